import type { WriteStream } from "node:tty";

/** Shows how far a job is: a bar that moves on a terminal, a line now and then elsewhere. */
export interface Progress {
  /** @param done from 0 to 1, or null when nobody knows how much there is */
  show(done: number | null, text: string): void;
  /** A line that stays. */
  say(line: string): void;
}

const width = 30;
/** Elsewhere than on a terminal, one in so many steps gets a line. */
const quiet = 10;

/** The bar: filled up to where the job is, or a block that wanders. */
export function bar(done: number | null, step: number): string {
  if (done !== null) return "█".repeat(Math.round(Math.min(Math.max(done, 0), 1) * width)).padEnd(width, "░");
  return `${"░".repeat(step % (width - 2))}███`.padEnd(width, "░");
}

export function progressOn(output: Pick<WriteStream, "write"> & { isTTY?: boolean }): Progress {
  const clear = output.isTTY ? "\r\u001b[K" : "";
  let step = 0;
  return {
    show(done, text) {
      if (output.isTTY) output.write(`${clear}${bar(done, step)} ${text}`);
      else if (step % quiet === quiet - 1) output.write(`${text}\n`);
      step++;
    },
    say: (line) => void output.write(`${clear}${line}\n`),
  };
}
