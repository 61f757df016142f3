// Reads a file of rewards, row by row, and checks each row with the API's own checks (docs/api.md, Import).
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { checkRow, readRows, rewardFields, type SentRow } from "../../functions/public-api/reward_rows.ts";
import { saveAsCsv, textOf } from "./file_text.ts";
import { formatOf } from "./formats.ts";
import { Problem, quoted } from "./problem.ts";
import { type CsvRecord, cellValue, damage, type Finding, hintFor, readCsv } from "./reward_csv.ts";

/** A checked row: the reward to send, and what is wrong with it. */
interface CheckedRow {
  /** The line of the file in which the row begins, counted from 1. */
  line: number;
  reward: Record<string, unknown>;
  findings: Finding[];
}

type Visit = (row: CheckedRow) => void | Promise<void>;

/** Rows of a file that are no rewards to send. */
export interface LeftOut {
  /** Rewards of an export that have no external_id: they cannot be matched. */
  withoutId: number;
  /** Rows of a CSV file that have nothing in any cell. */
  blank: number;
}

/** Fields of the list of rewards that an import does not write. A file that has all of them is an export. */
const readOnly = endpoints
  .flatMap((endpoint) => (endpoint.kind === "list" && endpoint.path === "/rewards" ? endpoint.columns : []))
  .map(({ name }) => name)
  .filter((name) => !Object.hasOwn(rewardFields, name));

const isExport = (names: string[]): boolean => [...readOnly, "external_id"].every((name) => names.includes(name));

/**
 * Reads all rows of a file, CSV or JSON by its name, and awaits `visit` for each. If the file is an export, it leaves
 * out the fields that an import does not write, and the rewards without an external_id.
 * @throws Problem when the file as a whole is invalid
 */
export async function readRewardFile(file: string, visit: Visit): Promise<LeftOut> {
  const format = formatOf(file);
  if (/\.(xls[xmb]?|ods|numbers)$/i.test(file)) throw new Problem(`${file} is a workbook. ${saveAsCsv}`);
  if (!format) throw new Problem("The file must end in .csv or .json, with or without .gz");
  return format.name === "csv" ? await readRecords(file, visit) : await readJson(file, visit);
}

async function readJson(file: string, visit: Visit): Promise<LeftOut> {
  const rows: CheckedRow[] = [];
  let withoutId = 0;
  try {
    let text = "";
    for await (const part of textOf(file)) text += part;
    // Throws an Error that says where the JSON is invalid; readRows does not.
    JSON.parse(text);
    let line = 1;
    let counted = 0;
    readRows(text, Number.POSITIVE_INFINITY, (row) => {
      for (; counted < row.at; counted++) if (text[counted] === "\n") line++;
      const sent = ofExport(row);
      if (sent === null) withoutId++;
      else {
        const { row: reward, problems } = checkRow(sent);
        rows.push({ line, reward, findings: problems.map((problem) => ({ problem })) });
      }
    });
  } catch (error) {
    throw new Problem(`${file}: ${(error as Error).message}`);
  }
  for (const row of rows) await visit(row);
  return { withoutId, blank: 0 };
}

/**
 * A row of an export, without the fields that an import does not write; null if it has no external_id. Any other row is
 * returned unchanged.
 */
function ofExport(row: SentRow): SentRow | null {
  if (!isExport([...Object.keys(row.values), ...row.unknown])) return row;
  if (row.values.external_id === null) return null;
  return { ...row, unknown: new Set([...row.unknown].filter((name) => !readOnly.includes(name))) };
}

/** Reads CSV as a stream: a header, then one reward per record. A record may have several lines. */
async function readRecords(file: string, visit: Visit): Promise<LeftOut> {
  let columns: string[] | undefined;
  const leftOut = { withoutId: 0, blank: 0 };
  await readCsv(file, (record) => {
    const { line, cells } = record;
    if (!columns) {
      const problems = headerProblems(cells).map((problem) => `${file}:${line}: ${problem}`);
      if (problems.length > 0) throw new Problem(problems.join("\n"));
      columns = cells;
    } else if (cells.every((cell) => cell.trim() === "")) leftOut.blank++;
    else if (isExport(columns) && !cells[columns.indexOf("external_id")]) leftOut.withoutId++;
    else return visit(checkRecord(columns, record));
  });
  if (!columns) throw new Problem(`${file} is empty`);
  return leftOut;
}

/** What is wrong with the names of the columns. A name that is not given, as behind a comma too many, is one of them. */
function headerProblems(columns: string[]): string[] {
  const [first = ""] = columns;
  if (/^sep=/i.test(first)) return ["the line sep= is for Excel only: delete it"];
  const known = Object.keys(rewardFields);
  const allowed = isExport(columns) ? [...known, ...readOnly] : known;
  const others = columns.filter((name) => !allowed.includes(name));
  const unnamed = others.filter((name) => name === "").length;
  const { problems } = checkRow(rowWith({}));
  return [
    ...others.flatMap((name) => (name === "" ? [] : [unknownField(name, known)])),
    ...(unnamed > 0 ? [`${unnamed} of ${columns.length} columns have no name: delete them, or the commas`] : []),
    ...columns
      .filter((name, index) => name !== "" && columns.indexOf(name) < index)
      .map((name) => `${quoted(name)} must be given once`),
    ...known
      .filter((name) => !columns.includes(name) && problems.some((problem) => problem.startsWith(`${name} `)))
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
  const help = meant ? `write ${meant}` : `a reward has ${known.join(", ")}`;
  return `there is no field ${quoted(name)}: ${help}`;
}

const rowWith = (values: Record<string, unknown>) => ({
  isObject: true,
  values,
  repeated: new Set<string>(),
  unknown: new Set<string>(),
});

/** Checks a record. An empty cell is a field that was not sent, and so is one that is missing at the end of the row. */
function checkRecord(columns: string[], { line, cells, findings }: CsvRecord): CheckedRow {
  if (cells.length > columns.length) {
    const problem = `row must have at most ${columns.length} cells, it has ${cells.length}`;
    return { line, reward: {}, findings: [{ problem }] };
  }
  const filled = columns
    .map((name, index) => ({ name, cell: cells[index] ?? "" }))
    .filter(({ name, cell }) => cell !== "" && !readOnly.includes(name));
  const { row: reward, problems } = checkRow(
    rowWith(Object.fromEntries(filled.map(({ name, cell }) => [name, cellValue(name, cell)]))),
  );
  const damaged = filled.flatMap(({ name, cell }) => damage(name, cell) ?? []);
  const wrong = problems.map((problem) => {
    const named = filled.find(({ name }) => problem.startsWith(`${name} `));
    const hint = named && hintFor(named.name, named.cell);
    return hint === undefined ? { problem } : { problem, hint };
  });
  return { line, reward, findings: [...wrong, ...damaged, ...findings] };
}
