import type { WriteStream } from "node:tty";

/** Tells a person how far a job is. Elsewhere than on a terminal only what goes wrong is said: a nightly job that went well is silent. */
export interface Progress {
  /** @param done from 0 to 1, or null when nobody knows how much there is */
  show(done: number | null, text: string): void;
  /** What was done, in a line that stays. */
  done(line: string): void;
  /** What went wrong, or has to be known, in a line that stays. */
  warn(line: string): void;
}

const width = 30;

/** The bar: filled up to where the job is, or a block that wanders. */
export function bar(done: number | null, step: number): string {
  if (done !== null) return "█".repeat(Math.round(Math.min(Math.max(done, 0), 1) * width)).padEnd(width, "░");
  return `${"░".repeat(step % (width - 2))}███`.padEnd(width, "░");
}

/** @param env NO_COLOR (https://no-color.org) and TERM=dumb are heeded */
export function progressOn(
  output: Pick<WriteStream, "write"> & { isTTY?: boolean },
  env: NodeJS.ProcessEnv = process.env,
): Progress {
  const isTerminal = output.isTTY === true && env.TERM !== "dumb";
  const clear = isTerminal ? "\r\u001b[K" : "";
  const paint = (color: number, text: string) =>
    isTerminal && !env.NO_COLOR ? `\u001b[${color}m${text}\u001b[39m` : text;
  const [green, red] = [32, 31];
  let step = 0;
  return {
    show(done, text) {
      if (isTerminal) output.write(`${clear}${paint(green, bar(done, step++))} ${text}`);
    },
    done(line) {
      if (output.isTTY) output.write(`${clear}${line}\n`);
    },
    warn: (line) => void output.write(`${clear}${paint(red, line)}\n`),
  };
}
