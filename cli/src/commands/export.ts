import { dirname, join } from "node:path";
import { isList } from "../../../functions/public-api/table/kinds.ts";
import type { Parameter } from "../../../functions/public-api/table/types.ts";
import { Refused } from "../connection.ts";
import { counted } from "../errors.ts";
import { exportToFile, exportToPipe, type Job } from "../export_list.ts";
import { formatOf, formats } from "../formats.ts";
import { describeKey } from "../key.ts";
import { everyColumn, exportedLists as lists, nameOf, opens, type Source, totals } from "../lists.ts";
import { type Command, makeFolder, misused, readArguments, settings } from "./command.ts";

/** Parameters that are no options of their own: other options or the paging set them. */
const ours = { list: ["limit", "format", "starting_after", "include"], aggregates: ["format"] };

const filtersOf = ({ kind, parameters }: Source) => parameters.filter(({ name }) => !ours[kind].includes(name));

const optionOf = ({ name, kind }: Parameter) =>
  [name, { type: kind === "true" ? "boolean" : "string", multiple: isList(kind) }] as const;

const filterLine = (source: Source): string =>
  `  ${nameOf(source).padEnd(21)} ${filtersOf(source)
    .map(({ name, kind }) => (kind === "true" ? `--${name}` : `--${name} …`))
    .join(" ")}`;

const usage = `Usage: public-data-api export <list> [filters] --out <file>|-
       public-data-api export all [filters] --out <folder>
       public-data-api export <totals> [filters] [--out <file>|-]

Writes every row of a list, newest first, with all columns. The name of the file gives its format: .csv or .json, .csv.gz or .json.gz.
Without --out and a format, totals are shown on a terminal as a table without IDs.
A copy that is kept up to date, and continues where it was interrupted: sync --help.

  --out <file>      the file; an older one is replaced when the new one is complete
  --out <folder>    with all: a file for each list that the key may read; a filter is used for the lists that have it
  --out -           the standard output
  --format <name>   csv (the default) or json, if no file name gives the format
  --gzip            compress the files; .gz is added to their names
  --excel           CSV that Excel opens as it is: with a byte-order mark, and with a ' before text that would be a formula
  --semicolons      with --excel: for an Excel that shows each row in one cell, as in countries with a decimal comma

Lists and their filters:
${lists.map(filterLine).join("\n")}

Totals and their filters, in which --time-zone is --time_zone:
${totals.map(filterLine).join("\n")}

Examples:
  public-data-api export activity --since 2026-01-01 --out kudos.csv
  public-data-api export all --out backup --format json --gzip
  public-data-api export activity/counts --by month,receiver_team --time-zone Europe/Berlin
  public-data-api export members --out - | grep employee

${settings}`;

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

/**
 * Reads the arguments.
 * @param isTerminal whether a person sees the output
 * @throws CliError that says what is wrong
 */
function readJobs([resource = "", ...rest]: string[], isTerminal: boolean): Job[] {
  const isAll = resource === "all";
  const named = ({ path, aliases }: Source) => [path, ...aliases].includes(`/${resource}`);
  const chosen: readonly Source[] = isAll ? lists : [...lists, ...totals].filter(named);
  if (chosen.length === 0) throw misused("export", `There is no list or total ${JSON.stringify(resource)}`);
  const options = Object.fromEntries(chosen.flatMap(filtersOf).map(optionOf));
  const { values } = readArguments("export", {
    args: rest.map((arg) => arg.replace(/(?<=^--[\w-]*)-/g, "_")),
    options: {
      ...options,
      out: { type: "string" },
      format: { type: "string" },
      gzip: { type: "boolean" },
      excel: { type: "boolean" },
      semicolons: { type: "boolean" },
    },
  });
  const { format, gzip, excel, semicolons, out = "-" } = values;
  const isBare = out === "-" && format === undefined && !gzip && !excel && !semicolons;
  const isTable = isTerminal && isBare && chosen[0]?.kind === "aggregates";
  const given: Values = isTable ? { ...values, out } : values;
  const problem = wrongPlace(given, isAll) ?? wrongExcel(given);
  if (problem) throw misused("export", problem);
  return chosen.map((endpoint) => ({
    endpoint,
    filters: {
      ...Object.fromEntries(
        filtersOf(endpoint).flatMap(({ name }) => (given[name] === undefined ? [] : [[name, String(given[name])]])),
      ),
      ...(excel && { escape_formulas: "true" }),
      ...(endpoint.kind === "list" && everyColumn(endpoint)),
    },
    ...destination(endpoint, given, isAll),
    ...(isTable && { format: formats.table }),
  }));
}

/** Why there can be no file for Excel; undefined if there can, or if none is wanted. */
function wrongExcel({ out, format, excel, semicolons }: Values): string | undefined {
  if (semicolons && !excel) return "--semicolons is for --excel";
  const isJson = format === "json" || formatOf(String(out))?.name === "json";
  return excel && isJson ? "--excel is for CSV" : undefined;
}

/** Why the rows cannot be written to the output; undefined if they can. */
function wrongPlace({ out, format }: Values, isAll: boolean): string | undefined {
  if (typeof out !== "string" || out === "") return "--out must say where to: a file, a folder with all, or -";
  if (format !== undefined && format !== "csv" && format !== "json") return "--format must be csv or json";
  if (out === "-") return isAll ? "all needs a folder: a pipe takes one list" : undefined;
  if (isAll) return undefined;
  const named = formatOf(out);
  if (!named) return "--out must end in .csv or .json, with or without .gz";
  if (format === undefined || format === named.name) return undefined;
  return `--out ends in .${named.name}: leave --format out`;
}

function destination(endpoint: Source, given: Values, isAll: boolean): Pick<Job, "out" | "format" | "compress"> {
  const chosen =
    formats[given.semicolons ? "semicolons" : given.excel ? "excel" : given.format === "json" ? "json" : "csv"];
  const place = String(given.out);
  if (place === "-") return { out: place, format: chosen, compress: given.gzip === true };
  const out = isAll ? join(place, `${nameOf(endpoint)}.${chosen.name}`) : place;
  const compress = given.gzip === true || /\.gz$/i.test(out);
  const format = given.excel ? chosen : (formatOf(out) ?? chosen);
  return { out: compress && !/\.gz$/i.test(out) ? `${out}.gz` : out, format, compress };
}

export const exportCommand: Command = {
  summary: "a list, all lists, or totals, into files, a pipe, or a table",
  usage,
  async run(args, { output, progress, connect }) {
    const isAll = args[0] === "all";
    const jobs = readJobs(args, output.isTTY);
    const connection = connect();
    const key = await describeKey(connection);
    if (isAll) await makeFolder(dirname(jobs[0]?.out ?? ""));
    for (const job of jobs) {
      if (isAll && !opens(key, job.endpoint, progress.warn)) continue;
      const exported =
        job.out === "-" ? exportToPipe(job, connection, output, progress) : exportToFile(job, connection, progress);
      const rows = await exported.catch((error) => {
        throw error instanceof Refused && error.status === 400 ? misused("export", error.message) : error;
      });
      const zone = job.endpoint.kind === "list" ? "" : `, time zone ${job.filters.time_zone ?? "UTC"}`;
      progress.done(`${job.out}: ${counted(rows, "row")}${zone}`);
    }
  },
};
