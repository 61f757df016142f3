import { checkFile, sendFile } from "../import_rewards.ts";
import { describeKey } from "../key.ts";
import { type Command, misused, readArguments, settings } from "./command.ts";

const usage = `Usage: public-data-api import <file> [--dry-run]

Creates and updates rewards from a file: .csv or .json, .csv.gz or .json.gz, also one that export rewards wrote. First every row is
checked, and each wrong line is reported. Then the rows are sent, 500 at a time. Sending the same file again changes nothing.

  --dry-run   check the file and send nothing; needs no key

Examples:
  public-data-api import rewards.csv --dry-run
  public-data-api import rewards.csv

${settings}`;

export const importCommand: Command = {
  summary: "a reward catalogue into the API",
  usage,
  async run(args, { progress, outcome, connect }) {
    const { values, positionals } = readArguments("import", {
      args,
      options: { "dry-run": { type: "boolean" } },
      allowPositionals: true,
    });
    const [file, ...others] = positionals;
    if (file === undefined || others.length > 0) throw misused("import", "Name one file");
    const isDryRun = values["dry-run"] === true;
    const connection = isDryRun ? null : connect();
    const { total, withoutId, blank } = await checkFile(file);
    if (withoutId > 0) progress.warn(`${file}: ${withoutId} rewards left out: they have no external_id`);
    if (blank > 0) progress.warn(`${file}: ${blank} rows skipped: they have nothing in any cell`);
    if (connection === null) return outcome(`${file}: ${total} rewards, all good; nothing was sent`);
    await describeKey(connection);
    outcome(`${file}: ${await sendFile(file, total, connection, progress)} rewards imported`);
  },
};
