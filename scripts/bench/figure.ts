import { readFile, writeFile } from "node:fs/promises";
import type { Database } from "./database.ts";

/** One question with a number as its answer: the median of its rounds. */
export interface Figure {
  /** What was measured, such as `activity, 100 rows`. */
  name: string;
  /** What each round measured. */
  rounds: readonly number[];
  /** Such as `of the bare page`, `ms`, `buffers`. */
  unit: string;
  target: { atLeast: number } | { atMost: number };
  /** What else a reader should know: the numbers behind a ratio. */
  note?: string;
  /** What it says of how much can be served, as a sentence. */
  headline?: string;
}

/** A part of the benchmark: one question, with its figures as the answer. */
export interface Part {
  /** What selects it on the command line, and its table in docs/scale.md. */
  name: string;
  title: string;
  measure: (run: Run) => Promise<Figure[]>;
}

/** What every part of the benchmark gets. */
export interface Run {
  /** The filled database, made when it is first asked for and shared by all parts. */
  database: () => Promise<Database>;
  /** An empty folder for this part; it is removed afterwards. */
  folder: string;
  /** Tells, in a few words, what happens now. */
  progress: (step: string) => void;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** The smallest value that 95 of 100 do not exceed. */
export function p95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? Number.NaN;
}

/**
 * Lets each side run once a round, in the order given and then the other way round.
 * @returns what each side measured, round by round
 */
export async function alternate(rounds: number, sides: readonly (() => Promise<number>)[]): Promise<number[][]> {
  const measured: number[][] = sides.map(() => []);
  for (let round = 0; round < rounds; round += 1) {
    const order = [...sides.entries()];
    for (const [side, run] of round % 2 === 0 ? order : order.reverse()) measured[side]?.push(await run());
  }
  return measured;
}

/** Round by round, one side in relation to another. */
export const ratios = (side: readonly number[] = [], other: readonly number[] = []): number[] =>
  side.map((value, round) => value / (other[round] ?? Number.NaN));

/** Alternates two sides: one in relation to the other, round by round, and the median of each. */
export async function compare(rounds: number, own: () => Promise<number>, other: () => Promise<number>) {
  const [here = [], there = []] = await alternate(rounds, [own, other]);
  return { rounds: ratios(here, there), own: median(here), other: median(there) };
}

/** Whether a figure misses its target. A figure that is no number does. */
export const misses = ({ rounds, target }: Figure): boolean =>
  !("atLeast" in target ? median(rounds) >= target.atLeast : median(rounds) <= target.atMost);

export const shown = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));

/** The figures with spread and target, as a table of Markdown. */
export function table(figures: readonly Figure[]): string {
  const cells = figures.map((figure) => {
    const { name, rounds, unit, target, note = "" } = figure;
    const spread = rounds.length > 1 ? `${shown(Math.min(...rounds))} to ${shown(Math.max(...rounds))}` : "";
    const goal = "atLeast" in target ? `≥ ${shown(target.atLeast)}` : `≤ ${shown(target.atMost)}`;
    return [name, `${shown(median(rounds))} ${unit}`, spread, misses(figure) ? `${goal} **missed**` : goal, note];
  });
  const lines = [["what", "median", "rounds", "target", "behind it"], ["---", "---", "---", "---", "---"], ...cells];
  return lines.map((line) => `| ${line.join(" | ")} |`).join("\n");
}

/** Puts each text between the two comments of docs/scale.md that have its name. */
export async function writePage(texts: ReadonlyMap<string, string>): Promise<void> {
  const page = new URL("../../docs/scale.md", import.meta.url);
  let markdown = await readFile(page, "utf8");
  for (const [name, text] of texts) {
    const begin = `<!-- bench ${name} -->\n`;
    const [before, rest] = markdown.split(begin);
    const end = rest?.indexOf("<!-- end -->") ?? -1;
    if (end === -1) throw new Error(`docs/scale.md has no ${begin.trim()} … <!-- end -->`);
    markdown = `${before}${begin}\n${text}\n\n${rest?.slice(end)}`;
  }
  await writeFile(page, markdown);
}
