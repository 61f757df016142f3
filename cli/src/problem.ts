/** The exit codes of the command (docs/connect/command-line.md). */
export const exitCodes = {
  failed: 1,
  usage: 2,
  refused: 3,
  unavailable: 4,
} as const;

/** A failure that the user can do something about. Only its message is shown, without a stack. */
export class Problem extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
