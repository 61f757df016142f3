import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout as pause } from "node:timers/promises";
import { type ParseArgsConfig, parseArgs } from "node:util";
import { type Connection, readConnection } from "../connection.ts";
import { CliError, exitCodes, printableLines } from "../errors.ts";
import { type Progress, progressOn } from "../progress.ts";

/** The environment of a command. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  output: NodeJS.WriteStream;
  progress: Progress;
  /** Prints what came of the command: on the terminal, else to the standard output, for the log of a nightly job. */
  outcome(line: string): void;
  /** Asks on a terminal whether to continue. Elsewhere nobody can be asked, and the answer is yes. */
  confirm(question: string): Promise<boolean>;
  /** @throws CliError that names a missing setting */
  connect(): Connection;
}

export interface Command {
  /** One line for the list of commands. */
  summary: string;
  usage: string;
  run(args: string[], surroundings: Surroundings): Promise<void>;
}

/** In milliseconds. */
const deadline = 60_000;

/** The environment of this process, which runs this command with these arguments. */
export function surroundings(command: string, args: readonly string[]): Surroundings {
  const { env, stdin, stdout, stderr } = process;
  const plain = (text: string) => printableLines(text, args);
  const { show, done, warn } = progressOn(stderr, env);
  const progress: Progress = {
    show: (share, text) => show(share, plain(text)),
    done: (line) => done(plain(line)),
    warn: (line) => warn(plain(line)),
  };
  return {
    env,
    output: stdout,
    progress,
    outcome: (line) => (stderr.isTTY ? progress.done(line) : void stdout.write(`${plain(line)}\n`)),
    confirm: async (question) => !stdin.isTTY || !stderr.isTTY || (await isYes(question)),
    connect() {
      const settings = readConnection(env);
      const stop = stopBySignal();
      // Else a proxy that is asked for a tunnel, and is silent, would keep the process alive.
      stop.addEventListener("abort", () => settings.dispatcher.destroy());
      return {
        ...settings,
        command,
        deadline,
        stop,
        hasAnswered: false,
        pause: (milliseconds) => pause(milliseconds, undefined, { signal: stop }).catch(() => {}),
        say: progress.warn,
      };
    },
  };
}

/** Whether the user answers yes. */
async function isYes(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-C and Ctrl-D are no answer.
    return /^\s*y(es)?\s*$/i.test(await lines.question(`${question} [y/N] `).catch(() => ""));
  } finally {
    lines.close();
  }
}

/** Aborted by Ctrl-C, so that the command can say how to continue. The second time, the process ends at once. */
function stopBySignal(): AbortSignal {
  const controller = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM"] as const)
    process.once(signal, () => controller.abort(new CliError(`Stopped by ${signal}`, exitCodes[signal])));
  return controller.signal;
}

/** The end of every usage text. */
export const settings = `Settings, in the environment:
  PUBLIC_API_URL   the base address of the API
  PUBLIC_API_KEY   the API key
  HTTPS_PROXY      the address of a proxy, which is not used for the hosts in NO_PROXY
  NODE_EXTRA_CA_CERTS  a file with the certificate of the authority of a network that decrypts connections
  NO_COLOR         no colors on a terminal

Exit codes:
  0  done
  1  failed: a file, the disk, or a request that the API refused
  2  wrong arguments or settings, the address too, or a certificate
  3  the key is not valid, or does not have the scope
  4  no answer, a proxy that refuses, or no good answer in six tries: run it again later
  130, 143  stopped by Ctrl-C, by SIGTERM`;

/** @throws CliError that says what is wrong and how to see the usage */
export function readArguments<T extends ParseArgsConfig>(command: string, config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    throw misused(command, (error as Error).message);
  }
}

/** The CliError for a wrong argument. */
export function misused(command: string, problem: string): CliError {
  return new CliError(`${problem}\nFor help: public-data-api ${command} --help`, exitCodes.usage);
}

/** Makes a folder, and those above it, if they are not there. mkdir with `recursive` never ends below /proc. */
export async function makeFolder(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory()) return;
  if (found) throw new CliError(`${path} is a file: a folder is needed`, exitCodes.usage);
  if (dirname(path) !== path) await makeFolder(dirname(path));
  await mkdir(path).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
}
