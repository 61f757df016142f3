import type { Databases } from "./database.ts";

/** What a figure should reach; one without a target is told, not judged. */
export type Target = { atLeast: number } | { atMost: number };

/** One measured number: the median of its rounds, unless its name says otherwise. */
export interface Figure {
  /** What was measured, such as `activity, 100 rows`. */
  name: string;
  value: number;
  /** Such as `of the bare query`, `ms`, `buffers`. */
  unit: string;
  target?: Target;
  /** What else a reader should know: the numbers behind a ratio. */
  note?: string;
}

/** What every part of the benchmark gets. */
export interface Run {
  /** The filled databases, made when they are first asked for and shared by all parts. */
  databases: () => Promise<Databases>;
  /** An empty folder for this run; it is removed afterwards. */
  folder: string;
  /** Tells, in a few words, what happens now. */
  progress: (step: string) => void;
}

/** A part of the benchmark: one question, with its figures as the answer. */
export interface Part {
  /** What selects it on the command line. */
  name: string;
  title: string;
  measure: (run: Run) => Promise<Figure[]>;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Whether a figure reaches its target; null when it has none. A figure that is no number reaches none. */
export function reached({ value, target }: Figure): boolean | null {
  if (!target) return null;
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}
