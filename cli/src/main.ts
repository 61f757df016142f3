// public-data-api: keeps a copy, exports lists, imports rewards, checks a key (docs/connect/command-line.md).
import { setFlagsFromString } from "node:v8";
import manifest from "../package.json" with { type: "json" };
import { checkCommand } from "./commands/check.ts";
import { type Command, settings, surroundings } from "./commands/command.ts";
import { exportCommand } from "./commands/export.ts";
import { importCommand } from "./commands/import.ts";
import { syncCommand } from "./commands/sync.ts";
import { CliError, exitCodes, shownError } from "./errors.ts";

const commands: Record<string, Command> = {
  sync: syncCommand,
  export: exportCommand,
  import: importCommand,
  check: checkCommand,
};

const usage = `Usage: public-data-api <command> [arguments]

${Object.entries(commands)
  .map(([name, { summary }]) => `  ${name.padEnd(8)} ${summary}`)
  .join("\n")}

For help: public-data-api <command> --help. --version prints ${manifest.version}.

${settings}`;

async function main([name = "", ...args]: string[]): Promise<void> {
  const here = surroundings(name, args);
  const print = (text: string) => void here.output.write(`${text}\n`);
  if (name === "--version") return print(manifest.version);
  if (name === "--help" || name === "-h" || name === "help") return print(usage);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (!command) throw new CliError(usage, exitCodes.usage);
    if (args.includes("--help") || args.includes("-h")) return print(command.usage);
    await command.run(args, here);
  } catch (error) {
    const { message, exitCode } = shownError(error);
    here.progress.warn(message);
    process.exitCode = exitCode;
  }
}

// A page is garbage as soon as it is written. By default V8 collects garbage late if there is much memory, and a long
// export would use 300 MB.
setFlagsFromString("--max-semi-space-size=1");
setFlagsFromString("--optimize-for-size");
// The process that reads the pipe may close it early, as `head` does. That ends an export, but no import and no sync.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") {
    process.stderr.write(`The output cannot be written (${error.message})\n`);
    process.exitCode = exitCodes.failed;
  }
  if (process.argv[2] === "export") process.exit();
});
await main(process.argv.slice(2));
