// Reads a file of rewards, row by row, and checks each row with the API's own checks (docs/api.md, Import).
import { createReadStream } from "node:fs";
import { pipeline, Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import Papa from "papaparse";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { checkRow, readRows, rewardFields, type SentRow } from "../../functions/public-api/reward_rows.ts";
import { withEvenLines } from "./even_lines.ts";
import { formatOf } from "./formats.ts";
import { Problem } from "./problem.ts";

/** A checked row: the reward to send, and the problems that were found. */
interface CheckedRow {
  /** The line of the file in which the row begins, counted from 1. */
  line: number;
  reward: Record<string, unknown>;
  problems: string[];
}

type Visit = (row: CheckedRow) => void | Promise<void>;

/** Fields of the list of rewards that an import does not write. A file that has all of them is an export. */
const readOnly = endpoints
  .flatMap((endpoint) => (endpoint.kind === "list" && endpoint.path === "/rewards" ? endpoint.columns : []))
  .map(({ name }) => name)
  .filter((name) => !Object.hasOwn(rewardFields, name));

const isExport = (names: string[]): boolean => [...readOnly, "external_id"].every((name) => names.includes(name));

/**
 * Reads all rows of a file, CSV or JSON by its name, and awaits `visit` for each. If the file is an export, it leaves
 * out the fields that an import does not write, and the rewards without an external_id.
 * @returns how many rewards were left out
 * @throws Problem when the file as a whole is invalid
 */
export async function readRewardFile(file: string, visit: Visit): Promise<number> {
  const format = formatOf(file);
  if (!format) throw new Problem("The file must end in .csv or .json, with or without .gz");
  return format.name === "csv" ? await readCsv(file, visit) : await readJson(file, visit);
}

async function readJson(file: string, visit: Visit): Promise<number> {
  const rows: CheckedRow[] = [];
  let withoutId = 0;
  try {
    let text = "";
    for await (const part of decoded(file)) text += part;
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
        rows.push({ line, reward, problems });
      }
    });
  } catch (error) {
    throw new Problem(`${file}: ${(error as Error).message}`);
  }
  for (const row of rows) await visit(row);
  return withoutId;
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

/** The text of a file in UTF-8, without a byte-order mark, as a stream. */
async function* decoded(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const stored = createReadStream(file);
  const content = /\.gz$/i.test(file) ? pipeline(stored, createGunzip(), () => {}) : stored;
  let isStart = true;
  for await (const bytes of content) {
    // A mark of UTF-16, or the zero that it has beside every Latin letter.
    if (isStart && (/^(\xff\xfe|\xfe\xff)/.test(bytes.toString("latin1", 0, 2)) || bytes.subarray(0, 4).includes(0)))
      throw new Error(`the text is UTF-16. ${asUtf8}`);
    isStart = false;
    yield orError(
      () => decoder.decode(bytes, { stream: true }),
      `the text is not UTF-8, but Windows-1252 or so. ${asUtf8}`,
    );
  }
  orError(() => decoder.decode(), "the file is cut off: its last character is not whole");
}

const asUtf8 = "Save it as UTF-8 (in Excel: Save as, CSV UTF-8)";

function orError(decode: () => string, message: string): string {
  try {
    return decode();
  } catch {
    throw new Error(message);
  }
}

/** Reads CSV as a stream: a header, then one reward per record. A record may have several lines. */
async function readCsv(file: string, visit: Visit): Promise<number> {
  let columns: string[] | undefined;
  let line = 1;
  let withoutId = 0;
  const take = ({ data: cells, errors }: Papa.ParseStepResult<string[]>): void | Promise<void> => {
    const begin = line;
    line += 1 + (cells.join("").match(/\r\n|\r|\n/g)?.length ?? 0);
    if (cells.length === 1 && cells[0] === "") return;
    if (!columns) {
      const problems = headerProblems(cells).map((problem) => `${file}:${begin}: ${problem}`);
      if (problems.length > 0) throw new Problem(problems.join("\n"));
      columns = cells;
    } else if (isExport(columns) && cells.length === columns.length && cells[columns.indexOf("external_id")] === "")
      withoutId++;
    else {
      const row = checkCells(columns, cells, begin);
      row.problems.push(...errors.slice(0, 1).map(({ message }) => message));
      return visit(row);
    }
  };
  await parseRecords(file, take);
  if (!columns) throw new Problem(`${file} is empty`);
  return withoutId;
}

/** Calls `take` for each record of a CSV file, and awaits it. */
async function parseRecords(
  file: string,
  take: (record: Papa.ParseStepResult<string[]>) => void | Promise<void>,
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(error instanceof Problem ? error : new Problem(`${file}: ${error.message}`));
    Papa.parse<string[]>(Readable.from(withEvenLines(decoded(file))), {
      delimitersToGuess: [",", ";", "\t"],
      newline: "\n",
      step(record, parser) {
        try {
          const taken = take(record);
          if (!taken) return;
          parser.pause();
          taken.then(() => parser.resume(), fail);
        } catch (error) {
          fail(error as Error);
          parser.abort();
        }
      },
      complete: () => resolve(),
      error: fail,
    });
  });
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
      .map((name) => `${name} must be given once`),
    ...known
      .filter((name) => !columns.includes(name) && problems.some((problem) => problem.startsWith(`${name} `)))
      .map((name) => `the column ${name} is missing`),
  ];
}

function unknownField(name: string, known: string[]): string {
  const meant = known.find((field) => field === name.trim().toLowerCase().replace(/[ -]/g, "_"));
  const help = meant ? `write ${meant}` : `a reward has ${known.join(", ")}`;
  return `there is no field ${JSON.stringify(name)}: ${help}`;
}

/** A number such as 1.000, 1,000 or 1 000, which means a thousand or one, depending on the country. */
const hasThousands = /^-?[1-9]\d{0,2}([.,'\u2019 \u00a0\u202f]\d{3})+$/;

const rowWith = (values: Record<string, unknown>) => ({
  isObject: true,
  values,
  repeated: new Set<string>(),
  unknown: new Set<string>(),
});

/** Checks the cells of a row. An empty cell is a field that was not sent. A number must be written as in JSON. */
function checkCells(columns: string[], cells: string[], line: number): CheckedRow {
  if (cells.length !== columns.length) {
    return { line, reward: {}, problems: [`row must have ${columns.length} cells, it has ${cells.length}`] };
  }
  const sent = columns.flatMap((name, index) => {
    const cell = cells[index] ?? "";
    if (cell === "" || readOnly.includes(name)) return [];
    const isNumber = name === "points_cost" && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(cell) && !hasThousands.test(cell);
    return [[name, isNumber ? Number(cell) : cell]];
  });
  const { row: reward, problems } = checkRow(rowWith(Object.fromEntries(sent)));
  const points = cells[columns.indexOf("points_cost")] ?? "";
  const named = problems.map((problem) =>
    problem.startsWith("points_cost ") && hasThousands.test(points)
      ? `points_cost must be written without a thousands separator: ${points.replace(/\D/g, "")}, not ${points}`
      : problem,
  );
  return { line, reward, problems: named };
}
