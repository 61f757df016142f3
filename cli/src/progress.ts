import type { WriteStream } from "node:tty";

/** Shows the progress of a job. Outside a terminal only problems are shown, so that a nightly job prints nothing else. */
export interface Progress {
  /** @param done from 0 to 1, or null when the total is unknown */
  show(done: number | null, text: string): void;
  /** Prints a line about what was done. */
  done(line: string): void;
  /** Prints a line about a problem. */
  warn(line: string): void;
}

const width = 30;

/** The progress bar: filled in proportion to `done`, or a moving block if `done` is null. */
export function bar(done: number | null, step: number): string {
  if (done !== null) return "█".repeat(Math.round(Math.min(Math.max(done, 0), 1) * width)).padEnd(width, "░");
  return `${"░".repeat(step % (width - 2))}███`.padEnd(width, "░");
}

/** @param env the environment; NO_COLOR (https://no-color.org) and TERM=dumb are respected */
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
