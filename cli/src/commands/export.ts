import { dirname, join } from "node:path";
import type { ListEndpoint } from "../../../functions/public-api/table/types.ts";
import { counted } from "../errors.ts";
import { exportToFile, exportToPipe, type Job } from "../export_list.ts";
import { formatOf, formats } from "../formats.ts";
import { describeKey } from "../key.ts";
import { everyColumn, lists, nameOf, opens } from "../lists.ts";
import { type Command, makeFolder, misused, readArguments, settings } from "./command.ts";

/** Parameters that are no filters: other options or the paging set them. */
const ours = ["limit", "format", "starting_after", "include"];

type Parameters = ListEndpoint["parameters"];

const filtersOf = ({ parameters }: ListEndpoint): Parameters => parameters.filter(({ name }) => !ours.includes(name));
const takes = ({ parameters }: ListEndpoint, filter: string): boolean => parameters.some(({ name }) => name === filter);

const filterLine = (list: ListEndpoint): string =>
  `  ${nameOf(list).padEnd(16)} ${filtersOf(list)
    .map(({ name, kind }) => (kind === "true" ? `--${name}` : `--${name} …`))
    .join(" ")}`;

const usage = `Usage: public-data-api export <list> [filters] --out <file>|-
       public-data-api export all [filters] --out <folder>

Writes every row of a list, newest first, with all columns. The name of the file gives its format: .csv or .json, .csv.gz or .json.gz.
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

Examples:
  public-data-api export activity --since 2026-01-01 --out kudos.csv
  public-data-api export all --out backup --format json --gzip
  public-data-api export members --out - | grep employee

${settings}`;

interface Wanted {
  isAll: boolean;
  jobs: Job[];
}

type Values = Record<string, string | boolean | undefined>;

/**
 * Reads the arguments.
 * @throws CliError that says what is wrong
 */
function readJobs(args: string[]): Wanted {
  const [resource = "", ...rest] = args;
  const isAll = resource === "all";
  const chosen = lists.filter(({ path, aliases }) => isAll || [path, ...aliases].includes(`/${resource}`));
  if (chosen.length === 0) throw misused("export", `There is no list ${JSON.stringify(resource)}`);
  const kinds = new Map(chosen.flatMap(filtersOf).map(({ name, kind }) => [name, kind === "true"]));
  const options = Object.fromEntries(
    [...kinds].map(([name, isFlag]) => [name, { type: isFlag ? ("boolean" as const) : ("string" as const) }]),
  );
  const { values } = readArguments("export", {
    args: rest,
    options: {
      ...options,
      out: { type: "string" },
      format: { type: "string" },
      gzip: { type: "boolean" },
      excel: { type: "boolean" },
      semicolons: { type: "boolean" },
    },
  });
  const given: Values = values;
  const filters = [...kinds.keys()].flatMap((name) => (given[name] === undefined ? [] : [[name, String(given[name])]]));
  const problem = wrongPlace(given, isAll) ?? wrongExcel(given);
  if (problem) throw misused("export", problem);
  const jobs = chosen.map((endpoint) => ({
    endpoint,
    filters: {
      ...Object.fromEntries(filters.filter(([name = ""]) => takes(endpoint, name))),
      ...(given.excel === true && { escape_formulas: "true" }),
      ...everyColumn(endpoint),
    },
    ...destination(endpoint, given, isAll),
  }));
  return { isAll, jobs };
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

function destination(endpoint: ListEndpoint, given: Values, isAll: boolean): Pick<Job, "out" | "format" | "compress"> {
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
  summary: "a list, or all lists, into files or a pipe",
  usage,
  async run(args, { output, progress, connect }) {
    const { isAll, jobs } = readJobs(args);
    const connection = connect();
    const key = await describeKey(connection);
    if (isAll) await makeFolder(dirname(jobs[0]?.out ?? ""));
    for (const job of jobs) {
      if (isAll && !opens(key, job.endpoint, progress.warn)) continue;
      const rows =
        job.out === "-"
          ? await exportToPipe(job, connection, output, progress)
          : await exportToFile(job, connection, progress);
      progress.done(`${job.out}: ${counted(rows, "row")}`);
    }
  },
};
