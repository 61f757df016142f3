/** The exit codes of the command (docs/connect/command-line.md). */
export const exitCodes = {
  failed: 1,
  usage: 2,
  refused: 3,
  unavailable: 4,
  /** 128 and the number of the signal, as shells have it. */
  SIGINT: 130,
  SIGTERM: 143,
} as const;

/** A failure that the user can do something about. Only its message is shown, without a stack. */
export class Problem extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A Problem for an error of the file system; undefined for any other error. */
export function asProblem(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (!code || !syscall) return undefined;
  return code === "ENOENT" && path ? new Problem(`There is no ${path}`, exitCodes.usage) : new Problem(message);
}

/** Text from a server for a terminal: control characters, which could move the cursor or turn the text, as �. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, "\ufffd");
}
