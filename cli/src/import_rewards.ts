// Imports a reward catalogue of any size: checks all rows, then sends them in batches.
import { BadLines } from "./bad_lines.ts";
import { type Connection, request } from "./connection.ts";
import { Problem } from "./problem.ts";
import type { Progress } from "./progress.ts";
import { type LeftOut, readRewardFile } from "./reward_file.ts";

const batchSize = 500;

/** The number of rewards in a checked file, and what it has besides. */
interface Checked extends LeftOut {
  total: number;
}

/**
 * Checks every row of a file.
 * @throws Problem that names the lines with an error
 */
export async function checkFile(file: string): Promise<Checked> {
  const badLines = new BadLines(file);
  const firstWith = new Map<unknown, number>();
  let total = 0;
  const leftOut = await readRewardFile(file, ({ line, reward, findings }) => {
    total++;
    const id = reward.external_id;
    const first = firstWith.get(id);
    if (first !== undefined)
      findings.unshift({ problem: `external_id must be unique in the file, line ${first} has it too` });
    else if (id !== undefined) firstWith.set(id, line);
    badLines.add(line, findings);
  });
  badLines.check();
  if (total === 0) throw new Problem(`${file} has no rewards`);
  return { total, ...leftOut };
}

/**
 * Sends all rows of a checked file, 500 at a time, and returns how many the API imported. Sending a batch twice has the
 * same result as sending it once.
 * @throws Problem when a batch is refused; the batches before it are written
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
      throw error instanceof Problem
        ? new Problem(`${error.message}\n${sent} of ${total} rewards are written`, error.exitCode)
        : error;
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
