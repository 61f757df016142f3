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
export class CliError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.failed) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A CliError for an error of the file system, which may not name its file; undefined for any other error. */
export function asCliError(error: unknown, file = "The file"): CliError | undefined {
  if (error instanceof CliError) return error;
  const { code, syscall, path, message } = error as NodeJS.ErrnoException;
  if (!code || !syscall) return undefined;
  if (code === "ENOENT" && path) return new CliError(`There is no ${path}`, exitCodes.usage);
  if (code === "EISDIR") return new CliError(`${path ?? file} is a folder: a file is needed`, exitCodes.usage);
  // As in "EACCES: permission denied, open 'rewards.csv'".
  const reason = /^\w+: ([^,]+),/.exec(message)?.[1] ?? message;
  return new CliError(
    `${path ?? file} cannot be ${syscall === "read" ? "read" : "opened or written"}: ${reason} (${code})`,
  );
}

/** A CliError for any error. One that nobody foresaw shows its stack. */
export function shownError(error: unknown): CliError {
  return asCliError(error) ?? new CliError(String((error as Error).stack));
}

/** A CliError for what was found wrong with a file that is read. */
export function inFile(file: string, error: unknown): CliError {
  const { code, name, message } = error as NodeJS.ErrnoException;
  const isOf =
    name === "SyntaxError" ? " is not valid JSON" : code?.startsWith("Z_") ? " is not a whole gzip file" : "";
  return asCliError(error, file) ?? new CliError(`${file}${isOf}: ${message}`);
}

/**
 * Text for a terminal: what nobody sees, or what could move the cursor or turn the text, is escaped (`\u200b`), so are
 * blanks that are no space.
 */
export function printable(text: string): string {
  return text.replace(/(?! )[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]/gu, (character) => {
    const code = (character.codePointAt(0) ?? 0).toString(16);
    return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, "0")}`;
  });
}

/** Lines for a terminal. The arguments name files and folders, whose line breaks, if they have any, are escaped too. */
export function printableLines(text: string, args: readonly string[]): string {
  const broken = args.flatMap((arg) => arg.split(/[/\\=]/)).filter((name) => name.includes("\n"));
  const lines = broken.reduce((left, name) => left.replaceAll(name, printable(name)), text).split("\n");
  return lines.map(printable).join("\n");
}

/** A number with its noun: 1 reward, 2 rewards. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** A text of the user's in quotes, at most 64 characters of it. */
export function quoted(text: string): string {
  const characters = [...text];
  const shown = characters.length > 64 ? `${characters.slice(0, 63).join("")}…` : text;
  return printable(JSON.stringify(shown));
}
