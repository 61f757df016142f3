// Reads a file of rewards and checks each row with the API's own checks (docs/api.md, Import).

import { checkRow, countFields, rewardFields, rowsOf } from "../../functions/public-api/import/reward_rows.ts";
import { CliError, counted, exitCodes, inFile, quoted } from "./errors.ts";
import { saveAsCsv, textOf } from "./file_text.ts";
import { formatOf } from "./formats.ts";
import { rewards } from "./lists.ts";
import { type CsvRecord, cellValue, damage, type Finding, hintFor, readCsv, trimmed } from "./reward_csv.ts";
import { placesOfRows } from "./reward_json.ts";

/** A reward to send. */
export type Sent = Record<string, unknown>;

/** A checked row: the reward to send, and what is wrong with it. */
export interface CheckedRow {
  /** The line of the file in which the row begins, counted from 1. */
  line: number;
  reward: Sent;
  findings: Finding[];
  /** What a row of an export has besides; null if the file is no export. */
  exported: Exported | null;
  /** Whether it is a reward of an export without an external_id, which cannot be matched. */
  isLeftOut: boolean;
  /** Its points as the file has them, if they are more than 0 and become 0. */
  lostPoints?: string | undefined;
}

/** The id and the time of a row of an export, empty for a row that was added, and the fields whose cells are empty. */
export interface Exported {
  id: string;
  created_at: string;
  emptied: string[];
}

/** The rows of a file, and what the user should know about the reading, in lines. */
export interface RewardFile {
  rows: CheckedRow[];
  notes: string[];
}

/** Fields of the list of rewards that an import does not write. A file that has all of them is an export. */
const readOnly = rewards.columns.map(({ name }) => name).filter((name) => !Object.hasOwn(rewardFields, name));

const isExport = (names: string[]): boolean => [...readOnly, "external_id"].every((name) => names.includes(name));

/** The headings of a file for the fields of a reward; an empty field leaves the column out. */
export type Headings = ReadonlyMap<string, string>;

/** A heading as it is compared: without blanks and line breaks around it, and each of those within it as one space. */
export const plainHeading = (text: string): string => trimmed(text).replace(/\s+/g, " ");

/** Reads all rows of a file, CSV or JSON by its name. Throws a CliError when the file as a whole is invalid. */
export async function readRewardFile(file: string, headings: Headings): Promise<RewardFile> {
  const format = formatOf(file);
  if (/\.(xls[xmb]?|ods|numbers)$/i.test(file)) throw new CliError(`${file} is a workbook. ${saveAsCsv}`);
  if (!format) throw new CliError(`${file} must end in .csv or .json, with or without .gz`, exitCodes.usage);
  if (format.name === "csv") return await readRecords(file, headings);
  if (headings.size > 0) throw new CliError(`--map is for CSV: a JSON file has the names of the API`);
  return { rows: await readJson(file), notes: [] };
}

async function readJson(file: string): Promise<CheckedRow[]> {
  let text = "";
  try {
    for await (const part of textOf(file)) text += part;
    const body = JSON.parse(text);
    const sent = rowsOf(body);
    const { places, others } = placesOfRows(text, body === sent ? 1 : body === sent[0] ? 0 : 2);
    if (others > 1) throw new Error("rewards must be given once");
    return sent.map((one, index) => {
      const { line = 0, fields = 0 } = places[index] ?? {};
      return { line, ...checkSent(one, countFields(one) < fields) };
    });
  } catch (error) {
    // An object in each line.
    const isLines = /^\s*\{[^\n]*\}\s*\n\s*\{/.test(text);
    throw inFile(file, isLines ? new Error("JSON Lines are not supported. Put the rewards into an array") : error);
  }
}

/** Checks a row of a JSON file. */
function checkSent(sent: unknown, hasTwice: boolean): Omit<CheckedRow, "line"> {
  const values: Record<string, unknown> = { ...Object(sent) };
  const isOfExport = isExport(Object.keys(values));
  const { id, created_at, external_id } = values;
  if (isOfExport) for (const name of readOnly) delete values[name];
  const { row: reward, problems } = checkRow(isOfExport ? values : sent);
  const wrong = problems.map(({ field, words }) => {
    const value = Object.hasOwn(rewardFields, field) ? values[field] : undefined;
    if (value === undefined || typeof value === "object") return { field, words };
    return { field, words, value: typeof value === "string" ? quoted(value) : String(value) };
  });
  return {
    reward,
    findings: hasTwice ? [{ field: "row", words: "must not have a field twice" }, ...wrong] : wrong,
    exported: isOfExport ? { id: String(id ?? ""), created_at: String(created_at), emptied: [] } : null,
    isLeftOut: isOfExport && external_id === null && id !== null,
  };
}

/** How many records may stand above the headings, such as a title. */
const maxTitles = 10;

/** Reads CSV: headings, then one reward per record. A record may have several lines. */
async function readRecords(file: string, headings: Headings): Promise<RewardFile> {
  const records: CsvRecord[] = [];
  await readCsv(file, (record) => void records.push(record));
  const filled = records.filter(({ cells }) => cells.some((cell) => trimmed(cell) !== ""));
  const problemsOf = ({ cells }: CsvRecord) => {
    const columns = columnsOf(cells, headings);
    return [...missingHeadings(cells, headings), ...headerProblems(columns, cells, headings)];
  };
  const titles = filled.slice(0, maxTitles + 1).findIndex((record) => problemsOf(record).length === 0);
  const header = filled[Math.max(titles, 0)];
  if (!header) throw new CliError(`${file} is empty`);
  const problems = problemsOf(header).map((problem) => `${file}:${header.line}: ${problem}`);
  if (titles < 0) throw new CliError(problems.join("\n"));
  const columns = columnsOf(header.cells, headings);
  const rows = filled.slice(titles + 1).map((record) => checkRecord(columns, header.cells, record));
  const blank = records.filter(({ line }) => line > header.line).length - rows.length;
  return {
    rows,
    notes: [
      ...(titles > 0 ? [`the headings are in line ${header.line}; the lines above it are skipped`] : []),
      ...(blank > 0 ? [`${counted(blank, "empty row")} skipped`] : []),
      ...rows.flatMap(({ line, lostPoints }) => (lostPoints ? [`line ${line}: ${lostPoints} points become 0`] : [])),
    ],
  };
}

/** The fields of the columns: that which --map gives a heading, else the heading. */
const columnsOf = (cells: string[], headings: Headings): string[] =>
  cells.map((cell) => headings.get(plainHeading(cell)) ?? plainHeading(cell));

const missingHeadings = (cells: string[], headings: Headings): string[] =>
  [...headings.keys()]
    .filter((name) => !cells.map(plainHeading).includes(name))
    .map((name) => `there is no column ${quoted(name)}, which --map names`);

/** What is wrong with the names of the columns. A name that is not given, as behind a comma too many, is one of them. */
function headerProblems(columns: string[], cells: string[], headings: Headings): string[] {
  const known = Object.keys(rewardFields);
  const allowed = isExport(columns) ? [...known, ...readOnly] : known;
  const unnamed = cells.filter((cell) => plainHeading(cell) === "").length;
  const others = columns.filter((name) => name !== "" && !allowed.includes(name));
  const required = checkRow({}).problems.map(({ field }) => field);
  const free = known.filter((name) => !columns.includes(name) && ![...headings.values()].includes(name));
  return [
    ...others.map((name) => unknownField(name, known)),
    ...(unnamed > 0 ? [`${unnamed} of ${columns.length} columns have no name: delete them, or the commas`] : []),
    ...columns
      .filter((name, index) => name !== "" && columns.indexOf(name) < index)
      .map((name) => `${quoted(name)} must be given once`),
    ...required.filter((name) => !columns.includes(name)).map((name) => `the column ${name} is missing`),
    ...(others.length > 0
      ? [
          `--map "<heading>=<field>" gives a heading one of ${free.join(", ")}; --map "<heading>=" leaves its column out`,
        ]
      : []),
  ];
}

function unknownField(name: string, known: string[]): string {
  const plain = name.replace(/^[^a-z]+|[^a-z]+$/gi, "").toLowerCase();
  const meant = known.find((field) => field === plain.replace(/[ -]/g, "_"));
  return `there is no field ${quoted(name)}${meant ? `: write ${meant}` : ""}`;
}

/** Checks a record. An empty cell is a field that was not sent, and so is one that is missing at the end of the row. */
function checkRecord(columns: string[], header: string[], { line, cells, findings }: CsvRecord): CheckedRow {
  if (cells.length > columns.length) {
    const words = `must have at most ${columns.length} cells, it has ${cells.length}`;
    return { line, reward: {}, findings: [{ field: "row", words }], exported: null, isLeftOut: false };
  }
  const cellOf = (name: string): string => cells[columns.indexOf(name)] ?? "";
  const fields = columns.filter((name) => Object.hasOwn(rewardFields, name));
  const filled = fields.filter((name) => cellOf(name) !== "");
  const { row: reward, problems } = checkRow(
    Object.fromEntries(filled.map((name) => [name, cellValue(name, cellOf(name))])),
  );
  const wrong = problems.map((problem) => ({ ...problem, ...hintFor(problem.field, cellOf(problem.field)) }));
  const damaged = Object.keys(reward).flatMap((name) => damage(name, cellOf(name)) ?? []);
  const points = cellValue("points_cost", cellOf("points_cost"));
  const isOfExport = isExport(columns);
  const emptied = fields.filter((name) => cellOf(name) === "");
  const located = [...wrong, ...damaged].map((finding) => ({
    ...finding,
    heading: plainHeading(header[columns.indexOf(finding.field)] ?? finding.field),
    value: quoted(cellOf(finding.field)),
  }));
  return {
    line,
    reward,
    findings: [...located, ...findings],
    exported: isOfExport ? { id: cellOf("id"), created_at: cellOf("created_at"), emptied } : null,
    isLeftOut: isOfExport && emptied.includes("external_id") && cellOf("id") !== "",
    lostPoints: reward.points_cost === 0 && Number(points) > 0 ? cellOf("points_cost") : undefined,
  };
}
