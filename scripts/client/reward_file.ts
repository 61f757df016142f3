// A file of rewards, row by row, checked as the API itself checks them (docs/api.md, Import).
import { createReadStream } from "node:fs";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import Papa from "papaparse";
import { checkRow, repeatedNames, rewardFields, rowsOf } from "../../functions/public-api/reward_import.ts";
import { Problem } from "./connection.ts";

/** What a row of the file comes to: the reward as it is to be sent, or what is wrong with it. */
export interface CheckedRow {
  /** Where the row begins in the file, from 1. */
  line: number;
  reward: Record<string, unknown>;
  problems: string[];
}

type Visit = (row: CheckedRow) => void | Promise<void>;

/**
 * Reads all rows of a file, CSV or JSON by its name; a promise that `visit` returns is waited for.
 * @throws Problem when the file as a whole is not what it should be
 */
export async function readRewardFile(file: string, visit: Visit): Promise<void> {
  if (/\.csv$/i.test(file)) return await readCsv(file, visit);
  if (/\.json$/i.test(file)) return await readJson(file, visit);
  throw new Problem("The file must end in .csv or .json");
}

const utf8 = { fatal: true };

async function readJson(file: string, visit: Visit): Promise<void> {
  let text: string;
  let body: unknown;
  try {
    text = new TextDecoder("utf-8", utf8).decode(await readFile(file));
    body = JSON.parse(text);
  } catch (error) {
    throw new Problem(`${file}: ${(error as Error).message}`);
  }
  const { rows, depth } = rowsOf(body, text);
  const repeated = repeatedNames(text, depth);
  const lines = rowLines(text, depth);
  for (const [index, row] of rows.entries()) {
    const { row: reward, problems } = checkRow(row, repeated.get(index) ?? new Set());
    await visit({ line: lines[index] ?? 1, reward, problems });
  }
}

/** The lines on which the rows of a JSON text begin, for rows that stand at this depth. */
function rowLines(json: string, rowDepth: number): number[] {
  const lines: number[] = [];
  let depth = 0;
  let line = 1;
  let isNext = rowDepth === 1;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|\n|[{}[\],]|[^\s"{}[\],]+/g)) {
    if (token === "\n") {
      line++;
      continue;
    }
    if (isNext) lines.push(line);
    if (token === "{" || token === "[") depth++;
    else if (token === "}" || token === "]") depth--;
    // The list begins, or a comma stands between two of its rows.
    isNext = depth === rowDepth - 1 && (token === "[" || token === ",");
  }
  return lines;
}

/** The text of a file in UTF-8, without a byte-order mark, as it streams. */
async function* decoded(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder("utf-8", utf8);
  for await (const bytes of createReadStream(file)) yield decoder.decode(bytes, { stream: true });
  decoder.decode();
}

/** Reads CSV as it streams: a header, then one reward a record, which may take several lines. */
async function readCsv(file: string, visit: Visit): Promise<void> {
  let columns: string[] | undefined;
  let line = 1;
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(error instanceof Problem ? error : new Problem(`${file}: ${error.message}`));
    Papa.parse<string[]>(Readable.from(decoded(file)), {
      delimitersToGuess: [",", ";", "\t"],
      step({ data: cells, errors }, parser) {
        const begin = line;
        line += 1 + (cells.join("").match(/\r\n|\r|\n/g)?.length ?? 0);
        if (cells.length === 1 && cells[0] === "") return;
        if (!columns) {
          columns = cells;
          const [problem] = headerProblems(columns);
          if (problem === undefined) return;
          fail(new Problem(`${file}:${begin}: ${problem}`));
          return parser.abort();
        }
        const row = checkCells(columns, cells, begin);
        if (errors[0]) row.problems.push(errors[0].message);
        const visited = visit(row);
        if (!visited) return;
        parser.pause();
        visited.then(() => parser.resume(), fail);
      },
      complete: () => resolve(),
      error: fail,
    });
  });
  if (!columns) throw new Problem(`${file} is empty`);
}

function headerProblems(columns: string[]): string[] {
  const known = Object.keys(rewardFields);
  const { problems } = checkRow({}, new Set());
  return [
    ...columns
      .filter((name) => !known.includes(name))
      .map((name) => `there is no field ${JSON.stringify(name)}: a reward has ${known.join(", ")}`),
    ...columns.filter((name, index) => columns.indexOf(name) < index).map((name) => `${name} must be given once`),
    ...known
      .filter((name) => !columns.includes(name) && problems.some((problem) => problem.startsWith(`${name} `)))
      .map((name) => `the column ${name} is missing`),
  ];
}

/** An empty cell is a field that was not sent; a number is one that is written as JSON would write it. */
function checkCells(columns: string[], cells: string[], line: number): CheckedRow {
  if (cells.length !== columns.length) {
    return { line, reward: {}, problems: [`row must have ${columns.length} cells, it has ${cells.length}`] };
  }
  const sent = columns.flatMap((name, index) => {
    const cell = cells[index] ?? "";
    if (cell === "") return [];
    const isNumber = name === "points_cost" && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(cell);
    return [[name, isNumber ? Number(cell) : cell]];
  });
  const { row: reward, problems } = checkRow(Object.fromEntries(sent), new Set());
  return { line, reward, problems };
}
