// Imports a reward catalogue of any size: checks all rows, then sends them in batches.
import { BadLines } from "./bad_lines.ts";
import type { Catalogue } from "./catalogue.ts";
import { type Connection, request } from "./connection.ts";
import { Problem } from "./problem.ts";
import type { Progress } from "./progress.ts";
import { type Headings, readRewardFile, type Sent } from "./reward_file.ts";

const batchSize = 500;

/** So many rewards are named. */
const namedRewards = 20;

/** A checked file. */
export interface Checked {
  /** The external_ids of its rewards. */
  ids: Set<string>;
  /** Rewards of an export without an external_id: they cannot be matched, and are left out. */
  withoutId: number;
  /** Rows with nothing in any cell. */
  blank: number;
  /** Whether the file is an export, or part of one. */
  isExport: boolean;
}

/**
 * Checks every row of a file.
 * @throws Problem that names the lines with an error
 */
export async function checkFile(file: string, headings: Headings): Promise<Checked> {
  const badLines = new BadLines(file);
  const firstWith = new Map<unknown, number>();
  let [rows, withoutId, isExport] = [0, 0, false];
  const blank = await readRewardFile(file, headings, ({ line, reward, findings, exported, isLeftOut }) => {
    if (exported !== null) isExport = true;
    if (isLeftOut) return void withoutId++;
    rows++;
    const id = reward.external_id;
    const first = firstWith.get(id);
    if (first !== undefined)
      findings.unshift({ field: "external_id", words: `must be unique in the file, line ${first} has it too` });
    else if (id !== undefined) firstWith.set(id, line);
    badLines.add(line, findings);
  });
  badLines.check();
  if (rows === 0) throw new Problem(`${file} has no rewards`);
  return { ids: new Set([...firstWith.keys()].map(String)), withoutId, blank, isExport };
}

/**
 * Holds every row of a checked export against the catalogue.
 * @throws Problem that names the lines that do not agree with it
 */
export async function compareFile(file: string, headings: Headings, catalogue: Catalogue): Promise<void> {
  const badLines = new BadLines(file);
  await readRewardFile(file, headings, (row) => badLines.add(row.line, catalogue.compare(row)));
  badLines.check();
}

/** What the API says about rewards that were sent. */
export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
}

/** Sends rewards, 500 at a time. Sending a batch twice has the same result as sending it once. */
export class Sending {
  readonly counts: Counts = { created: 0, updated: 0, unchanged: 0 };
  /** Of a dry run: new rewards, 20 of them. */
  readonly created: Sent[] = [];
  readonly #connection: Connection;
  readonly #isDryRun: boolean;
  readonly #total: number;
  readonly #progress: Progress;
  #sent = 0;
  #batch: Sent[] = [];

  constructor(connection: Connection, isDryRun: boolean, total: number, progress: Progress) {
    this.#connection = connection;
    this.#isDryRun = isDryRun;
    this.#total = total;
    this.#progress = progress;
  }

  /**
   * Sends a reward with the next batch.
   * @throws Problem when a batch is refused; the batches before it are written
   */
  async add(reward: Sent): Promise<void> {
    this.#batch.push(reward);
    if (this.#batch.length === batchSize) await this.flush();
  }

  /** Sends what has not been sent yet. */
  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const answer = await this.#send(this.#batch).catch((error) => {
      if (!(error instanceof Problem) || this.#isDryRun) throw error;
      throw new Problem(`${error.message}\n${this.#sent} of ${this.#total} rewards are written`, error.exitCode);
    });
    for (const name of ["created", "updated", "unchanged"] as const) this.counts[name] += answer[name];
    if (this.#isDryRun) await this.#nameNew(this.#batch, answer.created);
    this.#sent += this.#batch.length;
    this.#batch = [];
    this.#progress.show(this.#sent / this.#total, `${this.#sent} of ${this.#total} rewards`);
  }

  async #send(rewards: Sent[]): Promise<Counts> {
    const path = this.#isDryRun ? "/rewards?dry_run=true" : "/rewards";
    const { content } = await request(this.#connection, path, readCounts, JSON.stringify(rewards));
    return content;
  }

  /** Finds the new ones of a batch, by asking for each half of it: a key that may only write is enough. */
  async #nameNew(batch: Sent[], created: number): Promise<void> {
    if (created === 0 || this.created.length >= namedRewards) return;
    if (created === batch.length) {
      this.created.push(...batch.slice(0, namedRewards - this.created.length));
      return;
    }
    const middle = batch.length >> 1;
    const first = await this.#send(batch.slice(0, middle));
    await this.#nameNew(batch.slice(0, middle), first.created);
    await this.#nameNew(batch.slice(middle), created - first.created);
  }
}

function readCounts(body: string): Counts {
  const { created, updated, unchanged } = JSON.parse(body);
  if (![created, updated, unchanged].every(Number.isInteger)) throw new Error("the answer has no counts");
  return { created, updated, unchanged };
}

/** Sends all rows of a checked file. */
export async function sendFile(
  file: string,
  headings: Headings,
  catalogue: Catalogue | null,
  sending: Sending,
): Promise<void> {
  await readRewardFile(file, headings, (row) => {
    if (row.isLeftOut) return;
    return sending.add(catalogue?.rewardOf(row) ?? row.reward);
  });
  await sending.flush();
}
