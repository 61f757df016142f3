import { BadLines } from "../bad_lines.ts";
import { Catalogue, type Reward } from "../catalogue.ts";
import type { Connection } from "../connection.ts";
import { CliError, counted, exitCodes, quoted } from "../errors.ts";
import { doubts, named, type Placed, Review, some } from "../import_review.ts";
import { rowsToSend, Sending } from "../import_rewards.ts";
import { companyIdOf, describeKey, type Key } from "../key.ts";
import { type CheckedRow, type Headings, plainHeading, readRewardFile } from "../reward_file.ts";
import { type Command, misused, readArguments, type Surroundings, settings } from "./command.ts";

const usage = `Usage: public-data-api import <file> [--dry-run [--all] [--report <file>.csv]] [--map "<heading>=<field>"]… [--as-new]
                            [--archive-missing [--yes]]

Creates and updates rewards from a file: .csv or .json, .csv.gz or .json.gz, also one that export rewards wrote. First every row is
checked, and each wrong line is reported. Then the rows are sent, 500 at a time. Sending the same file again changes nothing.

  --dry-run           write nothing: show what would be new, and what would change, field by field; the key needs read:rewards too
  --all               with --dry-run: show all of it, not only 20 lines of each
  --report <file>     with --dry-run: write all of it to a CSV file for a spreadsheet
  --map "Price=points_cost"
                      the field of one of your own headings; "Supplier=" leaves that column out
  --as-new            of an export: also take rewards whose id and external_id are unknown here, as from another company
  --archive-missing   also archive the rewards with an external_id that the file does not have; it shows them, and asks on a
                      terminal. The key needs read:rewards too
  --yes               do not ask, and archive more than half of the catalogue too

A file that export rewards wrote is compared with the catalogue, so the key needs read:rewards too. Its empty cells clear a description,
a stock, a picture, a vendor; in any other file an empty cell leaves the field as it is.

Examples:
  public-data-api import rewards.csv --dry-run
  public-data-api import catalogue.csv --map "SKU=external_id" --map "Article=name" --map "Price=points_cost" --map "Supplier="

${settings}`;

interface Wanted {
  file: string;
  headings: Headings;
  isDryRun: boolean;
  showsAll: boolean;
  report: string | undefined;
  asNew: boolean;
  archives: boolean;
  isSure: boolean;
}

/** @throws CliError that says what is wrong */
function readWanted(args: string[]): Wanted {
  const { values, positionals } = readArguments("import", {
    args,
    options: {
      "dry-run": { type: "boolean" },
      all: { type: "boolean" },
      report: { type: "string" },
      map: { type: "string", multiple: true },
      "as-new": { type: "boolean" },
      "archive-missing": { type: "boolean" },
      yes: { type: "boolean" },
    },
    allowPositionals: true,
  });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw misused("import", "Name one file");
  const { "dry-run": isDryRun = false, all = false, "archive-missing": archives = false, yes = false, report } = values;
  if (yes && !archives) throw misused("import", "--yes is for --archive-missing");
  if (!isDryRun && (all || report !== undefined)) throw misused("import", "--all and --report are for --dry-run");
  if (report !== undefined && !/\.csv$/i.test(report)) throw misused("import", "--report must end in .csv");
  const headings = readHeadings(values.map ?? []);
  return { file, headings, isDryRun, showsAll: all, report, asNew: values["as-new"] ?? false, archives, isSure: yes };
}

function readHeadings(given: string[]): Headings {
  const headings = new Map<string, string>();
  for (const text of given) {
    // A heading may have an equals sign, a field has none.
    const at = text.lastIndexOf("=");
    const heading = plainHeading(text.slice(0, Math.max(at, 0)));
    if (heading === "") throw misused("import", `--map must be "<heading>=<field>", not ${quoted(text)}`);
    if (headings.has(heading)) throw misused("import", `--map must name ${quoted(heading)} once`);
    headings.set(heading, text.slice(at + 1));
  }
  return headings;
}

/**
 * Shows the rewards that the file does not have, and asks on a terminal whether they may be archived.
 * @throws CliError when they may not
 */
async function confirmArchiving(
  missing: Reward[],
  current: number,
  { isDryRun, isSure, file }: Wanted,
  here: Surroundings,
) {
  if (missing.length === 0) return;
  const heading = `Not in ${file}, ${isDryRun ? "would be" : "to be"} archived: ${missing.length}`;
  here.outcome([heading, ...some(named(missing))].join("\n"));
  if (isDryRun || isSure) return;
  if (missing.length * 2 > current)
    throw new CliError(
      `${missing.length} of ${current} rewards are not in ${file}: add --yes to archive them. Nothing was sent`,
    );
  if (!(await here.confirm(`Archive these ${missing.length}?`))) throw new CliError("Nothing was sent");
}

/** Why the catalogue is needed; null if it is not. */
function reasonOf({ file, archives, report }: Wanted, isExport: boolean): string | null {
  if (archives) return "--archive-missing";
  if (report !== undefined) return "--report";
  return isExport ? `${file} is an export: comparing it with the catalogue` : null;
}

/**
 * The catalogue, after every row has been compared with it, if the key may read it.
 * @throws CliError that names the lines that do not agree with it, or says why it is needed
 */
async function compared(wanted: Wanted, all: CheckedRow[], key: Key, connection: Connection, here: Surroundings) {
  const reason = reasonOf(
    wanted,
    all.some(({ exported }) => exported !== null),
  );
  if (reason === null && !wanted.isDryRun) return null;
  if (!key.scopes.includes("read:rewards")) {
    if (reason === null) return null;
    throw new CliError(`${reason} needs a key with the scope read:rewards too`, exitCodes.refused);
  }
  const catalogue = await Catalogue.fetch(connection, key.company_name);
  const badLines = new BadLines(wanted.file);
  for (const row of all) badLines.add(row.line, catalogue.compare(row, wanted.asNew));
  badLines.check();
  for (const line of catalogue.unwrittenLines()) here.progress.warn(`${wanted.file}: ${line}`);
  return catalogue;
}

/** What a dry run shows, in lines. */
async function reviewed({ file, report, showsAll }: Wanted, sent: Placed[], catalogue: Catalogue, here: Surroundings) {
  const review = new Review(file, sent, catalogue);
  for (const line of some(review.warnings)) here.progress.warn(line);
  if (report !== undefined) await review.write(report);
  return review.lines(showsAll);
}

/** Sends checked rows, or lets the API say what it would do. `all` are those too that are left out. */
async function send(wanted: Wanted, all: CheckedRow[], rows: CheckedRow[], connection: Connection, here: Surroundings) {
  const { file, isDryRun, archives } = wanted;
  const key = await describeKey(connection);
  companyIdOf(key, "import", "1.2.0");
  const catalogue = await compared(wanted, all, key, connection, here);
  const ids = new Set(rows.map(({ reward }) => reward.external_id));
  const current = archives ? (catalogue?.current() ?? []) : [];
  const missing = current.filter(({ external_id }) => !ids.has(external_id));
  await confirmArchiving(missing, current.length, wanted, here);

  const sent = rows.map((row) => ({ line: row.line, reward: catalogue?.rewardOf(row) ?? row.reward }));
  const total = isDryRun ? ids.size : ids.size + missing.length;
  const sending = new Sending(connection, isDryRun, total, here.progress);
  await sending.send(sent.map(({ reward }) => reward));
  const { created, updated, unchanged } = sending.counts;
  const counts = `${created} new, ${updated} changed, ${unchanged} unchanged`;
  if (isDryRun) {
    const unseen = created + updated > 0 ? ["To see which ones, and how, use a key that also has read:rewards"] : [];
    const lines = catalogue === null ? unseen : await reviewed(wanted, sent, catalogue, here);
    return here.outcome(
      [`${file}: ${counted(ids.size, "reward")}, nothing was written: ${counts}`, ...lines].join("\n"),
    );
  }
  await sending.send(
    missing.map(({ external_id, name, points_cost }) => ({ external_id, name, points_cost, is_archived: true })),
  );
  if (sending.repeated > 0)
    here.progress.warn(
      `${file}: ${counted(sending.repeated, "reward")} sent again after a lost answer; new ones may count as unchanged`,
    );
  const archived = archives ? `, ${missing.length} archived` : "";
  here.outcome(`${file}: ${counted(ids.size, "reward")} imported: ${counts}${archived}`);
}

export const importCommand: Command = {
  summary: "a reward catalogue into the API",
  usage,
  async run(args, here) {
    const wanted = readWanted(args);
    const { file, headings, isDryRun } = wanted;
    const connection = isDryRun && !here.env.PUBLIC_API_KEY ? null : here.connect();
    const { rows: all, notes } = await readRewardFile(file, headings);
    const rows = rowsToSend(file, all);
    const leftOut = all.length - rows.length;
    if (leftOut > 0) notes.push(`${counted(leftOut, "reward")} left out for lack of an external_id`);
    for (const note of notes) here.progress.warn(`${file}: ${note}`);
    for (const doubt of some(doubts(file, rows))) here.progress.warn(doubt);
    if (connection !== null) return await send(wanted, all, rows, connection, here);
    here.outcome(
      `${file}: ${counted(rows.length, "reward")}, no problem found. To see what would change, set PUBLIC_API_KEY`,
    );
  },
};
