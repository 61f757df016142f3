// Reads the records of a CSV file, and the values in their cells as spreadsheets write them.
import { Readable } from "node:stream";
import Papa from "papaparse";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import type { RowProblem } from "../../functions/public-api/reward_rows.ts";
import { inFile, quoted } from "./errors.ts";
import { withEvenLines } from "./even_lines.ts";
import { textOf } from "./file_text.ts";

/** How to mend a file: what holds for every cell of its kind, and this cell as the example. */
interface Hint {
  rule: string;
  example: string;
}

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
const types = new Map(
  endpoints
    .flatMap((endpoint) =>
      endpoint.kind === "list" && endpoint.path === "/rewards" ? [...endpoint.columns, ...endpoint.included] : [],
    )
    .map(({ name, type }) => [name, type]),
);

/** The value of a cell that is not empty. A number must be written as in JSON; any other text stays text. */
export function cellValue(name: string, cell: string): unknown {
  const type = types.get(name);
  if (type === "boolean" && /^(true|false)$/i.test(cell)) return cell.toLowerCase() === "true";
  const isNumber = type === "integer" && /^-?\d+(\.\d+)?([eE]\d+)?$/.test(cell) && !hasThousands.test(cell);
  return isNumber ? Number(cell) : cell;
}

/** A number such as 1.000, 1,000 or 1 000, which means a thousand or one, depending on the country. */
const hasThousands = /^-?[1-9]\d{0,2}([.,'\u2019 \u00a0\u202f]\d{3})+$/;

/** A number as a spreadsheet shows it when it is long. Its last digits are lost. */
const isShortened = /^-?\d([.,]\d+)?E[+-]\d+$/i;

/** How to write a value that the field does not take, if something is known about it. */
export function hintFor(name: string, cell: string): { hint?: Hint } {
  const type = types.get(name);
  const hint = (rule: string, example: string) => ({ hint: { rule: `${name} ${rule}`, example } });
  if (type === "boolean") {
    const help = "if nothing in that column has changed, delete it";
    return hint("is true or false in English", `not ${quoted(cell)}; ${help}`);
  }
  if (type !== "integer") return {};
  const write = (rule: string, right: string) => hint(rule, `write ${right}, not ${quoted(cell)}`);
  if (hasThousands.test(cell)) return write("has no thousands separator", cell.replace(/[^\d-]/g, ""));
  if (/^-?\d+,\d+$/.test(cell)) return write("has a decimal point", cell.replace(",", "."));
  if (isShortened.test(cell)) return { hint: shortened(cell) };
  const bare = trimmed(cell);
  return /^\d+$/.test(bare) && bare !== cell ? write("is the number alone", bare) : {};
}

const shortened = (cell: string): Hint => ({
  rule: "A spreadsheet has cut a long number",
  example: `${quoted(cell)}; take the file from before, and format that column as text`,
});

/** Blanks and invisible characters at the ends of a text. */
const invisible =
  /^[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]+|[\s\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800]+$/gu;

/** A text without blanks and invisible characters at its ends. */
export const trimmed = (text: string): string => text.replace(invisible, "");

/** What Excel and others leave in a cell whose formula has failed, in English or German. */
const formulaError = /^#(N\/A|REF!|NAME\?|VALUE!|DIV\/0!|NULL!|NUM!|SPILL!|CALC!|NV|BEZUG!|WERT!|ZAHL!)$/i;

/** What a spreadsheet or `export --excel` has done to a cell: such a text is not what the catalogue has. */
export function damage(field: string, cell: string): Finding | undefined {
  const finding = (words: string, rule: string, example: string) => ({ field, words, hint: { rule, example } });
  if (/^'[=+\-@\t\r]/.test(cell)) {
    const help = "export without --excel, and import that file";
    return finding(`must not begin with ${quoted(cell.slice(0, 2))}`, "A file of export --excel is for reading", help);
  }
  if (types.get(field) !== "text") return undefined;
  if (formulaError.test(cell)) return { field, words: "must not be the error of a formula" };
  if (field !== "description" && trimmed(cell) !== cell)
    return { field, words: "must not begin or end with a blank or an invisible character" };
  if (field !== "external_id") return undefined;
  if (isShortened.test(cell)) return { field, words: "must be whole", hint: shortened(cell) };
  if (/^(=?".*"|[='].*)$/s.test(cell))
    return finding("must be the id alone", "A spreadsheet marks text", `take the marks away from ${quoted(cell)}`);
  if (!/^\d+\.0$/.test(cell)) return undefined;
  const help = `write ${cell.slice(0, -2)}, not ${quoted(cell)}; in pandas, read the column with dtype=str`;
  return finding("must be the id alone", "A program has made numbers of the ids", help);
}
