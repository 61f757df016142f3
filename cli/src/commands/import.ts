import { Catalogue, type Reward } from "../catalogue.ts";
import type { Connection } from "../connection.ts";
import { type Checked, checkFile, compareFile, Sending, sendFile } from "../import_rewards.ts";
import { companyIdOf, describeKey, type Key } from "../key.ts";
import { exitCodes, Problem, printable, quoted } from "../problem.ts";
import type { Headings, Sent } from "../reward_file.ts";
import { type Command, misused, readArguments, type Surroundings, settings } from "./command.ts";

const usage = `Usage: public-data-api import <file> [--dry-run] [--map "<heading>=<field>"]… [--archive-missing [--yes]]

Creates and updates rewards from a file: .csv or .json, .csv.gz or .json.gz, also one that export rewards wrote. First every row is
checked, and each wrong line is reported. Then the rows are sent, 500 at a time. Sending the same file again changes nothing.

  --dry-run           write nothing: check the file, and let the API say what would be new, and what would change
  --map "Price=points_cost"
                      the field of one of your own headings; "Supplier=" leaves that column out
  --archive-missing   also archive the rewards with an external_id that the file does not have; it shows them, and asks on a
                      terminal. The key needs read:rewards too
  --yes               do not ask, and archive more than half of the catalogue too

A file that export rewards wrote is held against the catalogue, so the key needs read:rewards too. Its empty cells clear a description,
a stock, a picture, a vendor; in any other file an empty cell leaves the field as it is.

Examples:
  public-data-api import rewards.csv --dry-run
  public-data-api import catalogue.csv --map "SKU=external_id" --map "Article=name" --map "Price=points_cost" --map "Supplier="

${settings}`;

interface Wanted {
  file: string;
  headings: Headings;
  isDryRun: boolean;
  archives: boolean;
  isSure: boolean;
}

/** @throws Problem that says what is wrong */
function readWanted(args: string[]): Wanted {
  const { values, positionals } = readArguments("import", {
    args,
    options: {
      "dry-run": { type: "boolean" },
      map: { type: "string", multiple: true },
      "archive-missing": { type: "boolean" },
      yes: { type: "boolean" },
    },
    allowPositionals: true,
  });
  const [file, ...others] = positionals;
  if (file === undefined || others.length > 0) throw misused("import", "Name one file");
  const archives = values["archive-missing"] === true;
  if (values.yes && !archives) throw misused("import", "--yes is for --archive-missing");
  return {
    file,
    headings: readHeadings(values.map ?? []),
    isDryRun: values["dry-run"] === true,
    archives,
    isSure: values.yes === true,
  };
}

function readHeadings(given: string[]): Headings {
  const headings = new Map<string, string>();
  for (const text of given) {
    // A heading may have an equals sign, a field has none.
    const at = text.lastIndexOf("=");
    const heading = text.slice(0, Math.max(at, 0));
    if (heading === "") throw misused("import", `--map must be "<heading>=<field>", not ${quoted(text)}`);
    if (headings.has(heading)) throw misused("import", `--map must name ${quoted(heading)} once`);
    headings.set(heading, text.slice(at + 1));
  }
  return headings;
}

/** The catalogue, if it is needed to check an export, or to archive. */
async function catalogueFor(reason: string | null, key: Key, connection: Connection): Promise<Catalogue | null> {
  if (reason === null) return null;
  if (!key.scopes.includes("read:rewards"))
    throw new Problem(`${reason} needs a key with the scope read:rewards too`, exitCodes.refused);
  return await Catalogue.fetch(connection);
}

/** Some rewards by name. */
function named(rewards: readonly Sent[], count = rewards.length): string[] {
  const shown = rewards
    .slice(0, 20)
    .map(({ external_id, name }) => `  ${quoted(String(external_id))} ${printable(String(name))}`);
  return [...shown, ...(count > shown.length ? [`  and ${count - shown.length} more`] : [])];
}

/**
 * Shows the rewards that the file does not have, and asks on a terminal whether they may be archived.
 * @throws Problem when they may not
 */
async function confirmArchiving(
  missing: Reward[],
  current: number,
  { isDryRun, isSure, file }: Wanted,
  here: Surroundings,
) {
  if (missing.length === 0) return;
  here.outcome(
    [`Not in ${file}, ${isDryRun ? "would be" : "to be"} archived: ${missing.length}`, ...named(missing)].join("\n"),
  );
  if (isDryRun || isSure) return;
  if (missing.length * 2 > current)
    throw new Problem(
      `${missing.length} of ${current} rewards are not in ${file}: add --yes to archive them. Nothing was sent`,
    );
  if (!(await here.confirm(`Archive these ${missing.length}?`))) throw new Problem("Nothing was sent");
}

/** Sends a checked file, or lets the API say what it would do. */
async function send(
  wanted: Wanted,
  { ids, isExport }: Checked,
  connection: Connection,
  here: Surroundings,
): Promise<void> {
  const { file, headings, isDryRun, archives } = wanted;
  const key = await describeKey(connection);
  companyIdOf(key, "import");
  const compares = isExport ? `${file} is an export: holding it against the catalogue` : null;
  const catalogue = await catalogueFor(archives ? "--archive-missing" : compares, key, connection);
  if (catalogue !== null) {
    await compareFile(file, headings, catalogue);
    for (const line of catalogue.unwrittenLines()) here.progress.warn(`${file}: ${line}`);
  }
  const current = archives ? (catalogue?.current() ?? []) : [];
  const missing = current.filter(({ external_id }) => !ids.has(String(external_id)));
  await confirmArchiving(missing, current.length, wanted, here);

  const total = isDryRun ? ids.size : ids.size + missing.length;
  const sending = new Sending(connection, isDryRun, total, here.progress);
  await sendFile(file, headings, catalogue, sending);
  const { created, updated, unchanged } = sending.counts;
  const counts = `${created} new, ${updated} changed, ${unchanged} unchanged`;
  if (isDryRun) {
    const lines = created > 0 ? ["New would be:", ...named(sending.created, created)] : [];
    return here.outcome([`${file}: ${ids.size} rewards, nothing was written: ${counts}`, ...lines].join("\n"));
  }
  for (const { external_id, name, points_cost } of missing)
    await sending.add({ external_id, name, points_cost, is_archived: true });
  await sending.flush();
  const archived = archives ? `, ${missing.length} archived` : "";
  here.outcome(`${file}: ${ids.size} rewards imported: ${counts}${archived}`);
}

export const importCommand: Command = {
  summary: "a reward catalogue into the API",
  usage,
  async run(args, here) {
    const wanted = readWanted(args);
    const { file, headings, isDryRun } = wanted;
    const connection = isDryRun && !here.env.PUBLIC_API_KEY ? null : here.connect();
    const checked = await checkFile(file, headings);
    const { ids, blank, withoutId } = checked;
    if (blank > 0) here.progress.warn(`${file}: ${blank} rows skipped: they have nothing in any cell`);
    if (withoutId > 0) here.progress.warn(`${file}: ${withoutId} rewards left out: they have no external_id`);
    if (connection !== null) return await send(wanted, checked, connection, here);
    here.outcome(
      `${file}: ${ids.size} rewards, each good by itself; without PUBLIC_API_KEY nobody was asked what would change`,
    );
  },
};
