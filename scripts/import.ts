// npm run import -- <file>.csv|.json [--dry-run]: a reward catalogue of any size (docs/connect/command-line.md).
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Connection, Problem, readConnection, request } from "./client/connection.ts";
import { type Progress, progressOn } from "./client/progress.ts";
import { readRewardFile } from "./client/reward_file.ts";

const batchSize = 500;

const usage = `Usage: npm run import -- <file>.csv|.json [--dry-run]
  --dry-run   check the file and send nothing
PUBLIC_API_URL and PUBLIC_API_KEY say where, and with which key.`;

/**
 * Checks every row and returns how many there are.
 * @throws Problem with each bad line
 */
export async function checkFile(file: string): Promise<number> {
  const problems: string[] = [];
  const firstWith = new Map<unknown, number>();
  let count = 0;
  await readRewardFile(file, ({ line, reward, problems: found }) => {
    count++;
    const id = reward.external_id;
    const first = firstWith.get(id);
    if (first !== undefined) found.unshift(`external_id must be unique in the file, line ${first} has it too`);
    else if (id !== undefined) firstWith.set(id, line);
    if (found.length > 0) problems.push(`${file}:${line}: ${found.join("; ")}`);
  });
  if (problems.length > 0) throw new Problem(`${problems.join("\n")}\nNothing was sent`);
  if (count === 0) throw new Problem(`${file} holds no rewards`);
  return count;
}

/**
 * Sends all rows of a checked file, 500 at a time, and returns how many the API took. A batch that was sent twice changes nothing.
 * @throws Problem when a batch is refused; those before it are written
 */
export async function sendFile(
  file: string,
  total: number,
  connection: Connection,
  progress: Progress,
): Promise<number> {
  let batch: object[] = [];
  let sent = 0;
  const send = async () => {
    const read = (body: string) => Number(JSON.parse(body).imported);
    const { content } = await request(connection, "/rewards", read, JSON.stringify(batch)).catch((error) => {
      throw error instanceof Problem ? new Problem(`${error.message}\n${sent} of ${total} rewards are written`) : error;
    });
    sent += content;
    batch = [];
    progress.show(sent / total, `${sent} of ${total} rewards`);
  };
  await readRewardFile(file, ({ reward }) => {
    batch.push(reward);
    return batch.length === batchSize ? send() : undefined;
  });
  if (batch.length > 0) await send();
  return sent;
}

function readArguments(args: string[]): { file: string; isDryRun: boolean } {
  try {
    const options = { "dry-run": { type: "boolean" } } as const;
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true });
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw new Error("Name one file");
    return { file, isDryRun: values["dry-run"] ?? false };
  } catch (error) {
    throw new Problem(`${(error as Error).message}\n${usage}`);
  }
}

async function main(): Promise<void> {
  const progress = progressOn(process.stderr);
  try {
    const { file, isDryRun } = readArguments(process.argv.slice(2));
    const total = await checkFile(file);
    if (isDryRun) return progress.say(`${file}: ${total} rewards, all good; nothing was sent`);
    const connection = { ...readConnection(process.env), pause: (ms: number) => pause(ms), say: progress.say };
    progress.say(`${file}: ${await sendFile(file, total, connection, progress)} rewards imported`);
  } catch (error) {
    progress.say((error as Error).message);
    process.exitCode = 1;
  }
}

if (import.meta.main) await main();
