// Reads a file of rewards, row by row, and checks each row with the API's own checks (docs/api.md, Import).
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { checkRow, countFields, rewardFields, rowsOf } from "../../functions/public-api/reward_rows.ts";
import { saveAsCsv, textOf } from "./file_text.ts";
import { formatOf } from "./formats.ts";
import { Problem, quoted } from "./problem.ts";
import { type CsvRecord, cellValue, damage, type Finding, hintFor, readCsv } from "./reward_csv.ts";
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
}

/** The id and the time of a row of an export, empty for a row that was added, and the fields whose cells are empty. */
interface Exported {
  id: string;
  created_at: string;
  emptied: string[];
}

type Visit = (row: CheckedRow) => void | Promise<void>;

/** Fields of the list of rewards that an import does not write. A file that has all of them is an export. */
const readOnly = endpoints
  .flatMap((endpoint) => (endpoint.kind === "list" && endpoint.path === "/rewards" ? endpoint.columns : []))
  .map(({ name }) => name)
  .filter((name) => !Object.hasOwn(rewardFields, name));

const isExport = (names: string[]): boolean => [...readOnly, "external_id"].every((name) => names.includes(name));

/** The headings of a file for the fields of a reward; an empty field leaves the column out. */
export type Headings = ReadonlyMap<string, string>;

/**
 * Reads all rows of a file, CSV or JSON by its name, and awaits `visit` for each.
 * @returns the number of rows of a CSV file that have nothing in any cell
 * @throws Problem when the file as a whole is invalid
 */
export async function readRewardFile(file: string, headings: Headings, visit: Visit): Promise<number> {
  const format = formatOf(file);
  if (/\.(xls[xmb]?|ods|numbers)$/i.test(file)) throw new Problem(`${file} is a workbook. ${saveAsCsv}`);
  if (!format) throw new Problem("The file must end in .csv or .json, with or without .gz");
  if (format.name === "csv") return await readRecords(file, headings, visit);
  if (headings.size > 0) throw new Problem(`--map is for CSV: a JSON file has the names of the API`);
  await readJson(file, visit);
  return 0;
}

async function readJson(file: string, visit: Visit): Promise<void> {
  const rows: CheckedRow[] = [];
  try {
    let text = "";
    for await (const part of textOf(file)) text += part;
    const body = JSON.parse(text);
    const sent = rowsOf(body);
    const { places, others } = placesOfRows(text, body === sent ? 1 : body === sent[0] ? 0 : 2);
    if (others > 1) throw new Error("rewards must be given once");
    for (const [index, one] of sent.entries()) {
      const { line = 0, fields = 0 } = places[index] ?? {};
      rows.push({ line, ...checkSent(one, countFields(one) < fields) });
    }
  } catch (error) {
    throw new Problem(`${file}: ${(error as Error).message}`);
  }
  for (const row of rows) await visit(row);
}

/** Checks a row of a JSON file. */
function checkSent(sent: unknown, hasTwice: boolean): Omit<CheckedRow, "line"> {
  const values: Record<string, unknown> = { ...Object(sent) };
  const isOfExport = isExport(Object.keys(values));
  const { id, created_at, external_id } = values;
  if (isOfExport) for (const name of readOnly) delete values[name];
  const { row: reward, problems } = checkRow(isOfExport ? values : sent);
  return {
    reward,
    findings: hasTwice ? [{ field: "row", words: "must not have a field twice" }, ...problems] : problems,
    exported: isOfExport ? { id: String(id), created_at: String(created_at), emptied: [] } : null,
    isLeftOut: isOfExport && external_id === null,
  };
}

/** Reads CSV as a stream: a header, then one reward per record. A record may have several lines. */
async function readRecords(file: string, headings: Headings, visit: Visit): Promise<number> {
  let columns: string[] | undefined;
  let blank = 0;
  await readCsv(file, (record) => {
    const { line, cells } = record;
    if (!columns) {
      const names = cells.map((name) => headings.get(name) ?? name);
      const leftOut = cells.filter((name) => headings.get(name) === "");
      const problems = [...missingHeadings(cells, headings), ...headerProblems(names, leftOut.length)];
      if (problems.length > 0) throw new Problem(problems.map((problem) => `${file}:${line}: ${problem}`).join("\n"));
      columns = names;
    } else if (cells.every((cell) => cell.trim() === "")) blank++;
    else return visit(checkRecord(columns, record));
  });
  if (!columns) throw new Problem(`${file} is empty`);
  return blank;
}

const missingHeadings = (cells: string[], headings: Headings): string[] =>
  [...headings.keys()]
    .filter((name) => !cells.includes(name))
    .map((name) => `there is no column ${quoted(name)}, which --map names`);

/** What is wrong with the names of the columns. A name that is not given, as behind a comma too many, is one of them. */
function headerProblems(columns: string[], leftOut: number): string[] {
  const [first = ""] = columns;
  if (/^sep=/i.test(first)) return ["the line sep= is for Excel only: delete it"];
  const known = Object.keys(rewardFields);
  const allowed = isExport(columns) ? [...known, ...readOnly] : known;
  const others = columns.filter((name) => !allowed.includes(name));
  const unnamed = others.filter((name) => name === "").length - leftOut;
  const { problems } = checkRow({});
  return [
    ...others.flatMap((name) => (name === "" ? [] : [unknownField(name, known)])),
    ...(unnamed > 0 ? [`${unnamed} of ${columns.length} columns have no name: delete them, or the commas`] : []),
    ...columns
      .filter((name, index) => name !== "" && columns.indexOf(name) < index)
      .map((name) => `${quoted(name)} must be given once`),
    ...known
      .filter((name) => !columns.includes(name) && problems.some(({ field }) => field === name))
      .map((name) => `the column ${name} is missing`),
  ];
}

function unknownField(name: string, known: string[]): string {
  const meant = known.find(
    (field) =>
      field ===
      name
        .replace(/^[^a-z]+|[^a-z]+$/gi, "")
        .toLowerCase()
        .replace(/[ -]/g, "_"),
  );
  const help = meant
    ? `write ${meant}`
    : `a reward has ${known.join(", ")}; --map gives your own heading a field, or none`;
  return `there is no field ${quoted(name)}: ${help}`;
}

/** Checks a record. An empty cell is a field that was not sent, and so is one that is missing at the end of the row. */
function checkRecord(columns: string[], { line, cells, findings }: CsvRecord): CheckedRow {
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
  const damaged = filled.flatMap((name) => damage(name, cellOf(name)) ?? []);
  const isOfExport = isExport(columns);
  const emptied = fields.filter((name) => cellOf(name) === "");
  return {
    line,
    reward,
    findings: [...wrong, ...damaged, ...findings],
    exported: isOfExport ? { id: cellOf("id"), created_at: cellOf("created_at"), emptied } : null,
    isLeftOut: isOfExport && emptied.includes("external_id") && cellOf("id") !== "",
  };
}
