/** How the command ends (docs/connect/command-line.md). */
export const exitCodes = {
  failed: 1,
  usage: 2,
  refused: 3,
  unavailable: 4,
} as const;

/** A failure that its user can do something about: the message is all that is shown. */
export class Problem extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}
