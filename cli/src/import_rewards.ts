// Imports a reward catalogue of any size: checks all rows, then sends them in batches.
import { BadLines } from "./bad_lines.ts";
import { type Connection, Refused, request } from "./connection.ts";
import { CliError, shownError } from "./errors.ts";
import type { Progress } from "./progress.ts";
import type { CheckedRow, Sent } from "./reward_file.ts";

const batchSize = 500;

/**
 * The rows of a file that are sent. Rewards of an export without an external_id cannot be matched, and are left out.
 * @throws CliError that names the lines with an error
 */
export function rowsToSend(file: string, rows: readonly CheckedRow[]): CheckedRow[] {
  const badLines = new BadLines(file);
  const firstWith = new Map<unknown, number>();
  const sent = rows.filter(({ isLeftOut }) => !isLeftOut);
  for (const { line, reward, findings } of sent) {
    const id = reward.external_id;
    const first = firstWith.get(id);
    const shared = { field: "external_id", words: `must be unique in the file, line ${first} has it too` };
    if (first === undefined && id !== undefined) firstWith.set(id, line);
    badLines.add(line, first === undefined ? findings : [shared, ...findings]);
  }
  badLines.check();
  if (sent.length === 0) throw new CliError(`${file} has no rewards`);
  return sent;
}

/** Sends rewards, 500 at a time. Sending a batch twice has the same result as sending it once. */
export class Sending {
  /** What the API says about the rewards. */
  readonly counts = { created: 0, updated: 0, unchanged: 0 };
  /** How many rewards may have arrived twice: the API has counted them once more. */
  repeated = 0;
  readonly #connection: Connection;
  readonly #isDryRun: boolean;
  readonly #total: number;
  readonly #progress: Progress;
  #sent = 0;

  constructor(connection: Connection, isDryRun: boolean, total: number, progress: Progress) {
    this.#connection = connection;
    this.#isDryRun = isDryRun;
    this.#total = total;
    this.#progress = progress;
  }

  /** @throws CliError that says how many rewards are written, whatever breaks */
  async send(rewards: readonly Sent[]): Promise<void> {
    try {
      for (let at = 0; at < rewards.length; at += batchSize) await this.#sendBatch(rewards.slice(at, at + batchSize));
    } catch (error) {
      if (this.#isDryRun) throw error;
      const { message, exitCode } = shownError(error);
      // Only a refusal says that the last batch is not written.
      const more = error instanceof Refused ? "" : ", perhaps more";
      throw new CliError(`${message}\n${this.#sent} of ${this.#total} rewards are written${more}`, exitCode);
    }
  }

  async #sendBatch(batch: readonly Sent[]): Promise<void> {
    const path = this.#isDryRun ? "/rewards?dry_run=true" : "/rewards";
    const answer = await request(this.#connection, path, readCounts, JSON.stringify(batch));
    for (const name of ["created", "updated", "unchanged"] as const) this.counts[name] += answer.content[name];
    if (answer.isRepeated && !this.#isDryRun) this.repeated += batch.length;
    this.#sent += batch.length;
    this.#progress.show(this.#sent / this.#total, `${this.#sent} of ${this.#total} rewards`);
  }
}

function readCounts(body: string): Sending["counts"] {
  const { created, updated, unchanged } = JSON.parse(body);
  if (![created, updated, unchanged].every(Number.isInteger)) throw new Error("the answer has no counts");
  return { created, updated, unchanged };
}
