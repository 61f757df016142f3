// Reads the records of a CSV file, and the values in their cells as spreadsheets write them.
import { Readable } from "node:stream";
import Papa from "papaparse";
import type { RowProblem } from "../../functions/public-api/import/reward_rows.ts";
import {
  edges,
  type Hint,
  hasThousands,
  isFalse,
  isNumber,
  isShortened,
  isTrue,
  refusals,
  shortened,
} from "./cell_rules.ts";
import { inFile, quoted } from "./errors.ts";
import { withEvenLines } from "./even_lines.ts";
import { textOf } from "./file_text.ts";
import { rewards } from "./lists.ts";

/** What is wrong with a row. A rule is shown once, however many rows break it. */
export interface Finding extends RowProblem {
  hint?: Hint;
  /** The heading of the column, and the value as it is shown. */
  heading?: string;
  value?: string;
}

/** A record of a CSV file; `line` is the line of the file in which it begins, counted from 1. */
export interface CsvRecord {
  line: number;
  cells: string[];
  findings: Finding[];
}

/** Reads a file as a stream, and awaits `take` for each record but empty lines. */
export async function readCsv(file: string, take: (record: CsvRecord) => void | Promise<void>): Promise<void> {
  let line = 1;
  const step = ({ data: cells, errors }: Papa.ParseStepResult<string[]>) => {
    const begin = line;
    line += 1 + (cells.join("").match(/\r\n|\r|\n/g)?.length ?? 0);
    if (cells.length === 1 && cells[0] === "") return;
    return take({
      line: begin,
      cells,
      findings: errors.slice(0, 1).map(({ message }) => ({ field: "row", words: `must be valid CSV: ${message}` })),
    });
  };
  await new Promise<void>((resolve, reject) => {
    const fail = (error: Error) => reject(inFile(file, error));
    Papa.parse<string[]>(Readable.from(withEvenLines(textOf(file))), {
      delimitersToGuess: [",", ";", "\t"],
      newline: "\n",
      step(record, parser) {
        try {
          const taken = step(record);
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

/** The types of the fields of a reward, by name. */
const types = new Map([...rewards.columns, ...rewards.included].map(({ name, type }) => [name, type]));

/** The value of a cell that is not empty. Text that is no number of JSON, or with a decimal comma, stays text. */
export function cellValue(name: string, cell: string): unknown {
  const type = types.get(name);
  if (type === "boolean" && (isTrue.test(cell) || isFalse.test(cell))) return isTrue.test(cell);
  const isOne = type === "integer" && isNumber.test(cell) && !hasThousands.test(cell);
  return isOne ? Number(cell.replace(",", ".")) : cell;
}

/** How to write a value that the field does not take, if something is known about it. */
export function hintFor(name: string, cell: string): { hint?: Hint } {
  const type = types.get(name);
  const hint = (rule: string, example: string) => ({ hint: { rule: `${name} ${rule}`, example } });
  if (type === "boolean") {
    const help = "if nothing in that column has changed, delete it";
    return hint("is true or false", `not ${quoted(cell)}; ${help}`);
  }
  if (type !== "integer") return {};
  const write = (rule: string, right: string) => hint(rule, `write ${right}, not ${quoted(cell)}`);
  if (hasThousands.test(cell)) return write("has no thousands separator", cell.replace(/[^\d-]/g, ""));
  if (isShortened.test(cell)) return { hint: shortened };
  const bare = trimmed(cell);
  return /^\d+$/.test(bare) && bare !== cell ? write("is the number alone", bare) : {};
}

/** A text without blanks and invisible characters at its ends. */
export const trimmed = (text: string): string => text.replace(new RegExp(edges, "gu"), "");

/** What a program has done to a cell: such a text is not what the catalogue has. */
export function damage(field: string, cell: string): Finding | undefined {
  const broken = refusals.find(([fields, cells]) => fields.test(field) && cells.test(cell));
  if (broken === undefined) return undefined;
  const [, , words, hint] = broken;
  return { field, words, ...(hint && { hint }) };
}
