import { writeFile } from "node:fs/promises";
import type { Database } from "./database.ts";

/** A row of a table: the median of its rounds, and its target. */
export interface Figure {
  /** What was measured, such as `activity, 100 rows`. */
  name: string;
  rounds: number[];
  /** Such as `times the bare page`. */
  unit: string;
  /** How many times the best release's median it may be, where a change is worth more than the usual 1.05. */
  allowed?: number;
  /** What the median may be at most (history.ts). None for a figure of the clock, which depends on the machine. */
  target?: number;
  /** What a reader should also know: the numbers behind a ratio. */
  note?: string;
  /** How much can be served, as a sentence. */
  headline?: string;
}

/** A part of the benchmark, with a table in scripts/bench/results.md. */
export interface Part {
  /** Selects the part on the command line. */
  name: string;
  title: string;
  measure: (run: Run) => Promise<Figure[]>;
}

/** What every part of the benchmark gets. */
export interface Run {
  /** The filled database. It is created when it is first needed; all parts use the same one. */
  database: () => Promise<Database>;
  /** A temporary folder. */
  folder: string;
  /** Prints in a few words what is measured now. */
  progress: (step: string) => void;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/**
 * Measures the service, and the least work that gives the same result, by turns; every other round in reverse order.
 * @returns the ratio of each round, and the median of each side
 */
export async function compare(rounds: number, service: () => Promise<number>, bare: () => Promise<number>) {
  const ofService: number[] = [];
  const ofBare: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 1) ofBare.push(await bare());
    ofService.push(await service());
    if (round % 2 === 0) ofBare.push(await bare());
  }
  const ratios = ofService.map((value, round) => value / (ofBare[round] ?? Number.NaN));
  return { rounds: ratios, service: median(ofService), bare: median(ofBare) };
}

/** Whether a figure misses its target. NaN does. */
export const misses = ({ rounds, target }: Figure): boolean => target !== undefined && !(median(rounds) <= target);

export const shown = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));

/** The figures of a part as a section of scripts/bench/results.md: a heading and a table. */
export function section(title: string, figures: readonly Figure[]): string {
  const cells = figures.map((figure) => {
    const { name, rounds, unit, target, note = "" } = figure;
    const spread = `${shown(Math.min(...rounds))} to ${shown(Math.max(...rounds))}`;
    const goal = target === undefined ? "" : `≤ ${shown(target)}${misses(figure) ? " **missed**" : ""}`;
    return [name, `${shown(median(rounds))} ${unit}`, spread, goal, note];
  });
  const head = ["what", "median", "rounds", "target", "also measured"];
  const lines = [head, head.map(() => "---"), ...cells];
  return `## ${title}\n\n${lines.map((line) => `| ${line.join(" | ")} |`).join("\n")}`;
}

/** How the figures of the page are made, for its readers. */
const introduction = `# Results of npm run bench

Written by \`npm run bench -- --write\`, which needs pgbench, Linux and an otherwise idle machine. Most figures compare the
service with the least work that gives the same result, by turns in the same run: speeds depend on the machine, ratios
less. A figure is the median of its rounds; no round is left out. A target is 1.05 times the best median that any
version reached: 1.1 times for lists, 1.3 for changes of moods, whose cursors are encrypted since 1.4.0. SQL and the
function are compared by the processor time of their process. Network, gateway and PostgREST aren't in it.`;

/** Writes the page of results: the run, with version and commit, then its texts. */
export async function writeResults(texts: readonly string[]): Promise<void> {
  await writeFile(new URL("results.md", import.meta.url), `${[introduction, ...texts].join("\n\n")}\n`);
}
