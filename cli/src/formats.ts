// The formats of an export. Those of files keep the API's values exactly as they were sent.
import Papa from "papaparse";
import { printable } from "./errors.ts";
import type { Source } from "./lists.ts";

/** The position of a row in its list; empty in totals. */
export interface Place {
  id: string;
  time: string;
}

/** A row of a list, and its text in the file. */
export interface Row extends Place {
  text: string;
}

/** A page of a list. `start` is the text at the beginning of the file. */
export interface Page {
  start: string;
  rows: Row[];
}

/**
 * How a page is requested and written. `mark` is the text before everything else, `between` the text between two rows,
 * `end` the text after the last row.
 */
export interface Format {
  name: "csv" | "json";
  mark: string;
  between: string;
  end: string;
  /** Reads the body of a response. Throws an Error when it is incomplete. */
  read(body: string, source: Source): Page;
}

const timeFields = ["timestamp", "created_at"];

/** @param write makes the lines of the file, of the header and the rows */
const csvWith = (mark: string, write: (table: string[][]) => string[]): Format => ({
  name: "csv",
  mark,
  between: "",
  end: "",
  read(body, source) {
    const { data, errors } = Papa.parse<string[]>(body, { delimiter: ",", newline: "\r\n", skipEmptyLines: true });
    const [header = [], ...lines] = data;
    const [first, time] = [header.indexOf(firstOf(source)), header.findIndex((name) => timeFields.includes(name))];
    const isWhole =
      body.endsWith("\r\n") && errors.length === 0 && lines.every(({ length }) => length === header.length);
    if (!isWhole || first < 0) throw new Error("the CSV is not whole");
    const [start = "", ...texts] = write([header, ...lines]);
    return { start, rows: lines.map((cells, index) => checked(source, cells[first], cells[time], texts[index])) };
  },
});

const separated = (separator: string) => (table: string[][]) =>
  table.map((cells) => `${Papa.unparse([cells], { delimiter: separator })}\r\n`);

/** A table for a terminal, without the IDs: each has a name beside it. */
function aligned(table: string[][]): string[] {
  const columns = (table[0] ?? []).flatMap((name, index) =>
    name.endsWith("_id") ? [] : [padded(table.map((cells) => printable(cells[index] ?? "")))],
  );
  return table.map((_, row) => {
    const line = columns.map((cells) => cells[row]).join("  ");
    return `${line.trimEnd()}\n`;
  });
}

/** The cells of a column, all equally wide; whole numbers stand at the right. */
function padded(cells: string[]): string[] {
  const widest = Math.max(...cells.map(width));
  const isWhole = cells.slice(1).every((cell) => /^\d*$/.test(cell));
  return cells.map((cell) => {
    const blanks = " ".repeat(widest - width(cell));
    return isWhole ? blanks + cell : cell + blanks;
  });
}

/** What takes two places of a terminal: emoji, and Chinese, Japanese, and Korean characters. */
const wide = /^[\p{Emoji_Presentation}\p{Ideographic}\p{scx=Kana}\p{scx=Hang}\uff01-\uff60]/u;

const width = (text: string): number =>
  [...new Intl.Segmenter().segment(text)].reduce((sum, { segment }) => sum + (wide.test(segment) ? 2 : 1), 0);

const json: Format = {
  name: "json",
  mark: "",
  between: ",\n",
  end: "\n]\n",
  read(body, source) {
    const rows: (Record<string, unknown> | null)[] = JSON.parse(body);
    if (!Array.isArray(rows)) throw new Error("the answer is not a list");
    const texts = rowTexts(body);
    return {
      start: "[\n",
      rows: rows.map((row, index) =>
        checked(source, row?.[firstOf(source)], row?.timestamp ?? row?.created_at, texts[index]),
      ),
    };
  },
};

/** The column by which rows are known as the API's: the id in a list, the count in totals. */
const firstOf = ({ columns }: Source): string => columns[0]?.name ?? "";

/** A row of the API, or an Error: in a list it has an id, and a time in the API's form, in totals a count. */
function checked({ kind }: Source, first: unknown, time: unknown, text = ""): Row {
  if (kind === "aggregates" && /^\d+$/.test(String(first))) return { id: "", time: "", text };
  const isTime = typeof time === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time);
  if (kind === "list" && typeof first === "string" && first !== "" && isTime) return { id: first, time, text };
  throw new Error(`a row without ${kind === "list" ? "an id or a time" : "a count"}`);
}

/** The rows of a JSON array as text: JSON.parse and JSON.stringify would change numbers (1.10, or more than 2^53). */
function rowTexts(body: string): string[] {
  const texts: string[] = [];
  let depth = 0;
  let start = 0;
  for (const { 0: token, index } of body.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token === "{" || token === "[") {
      if (++depth === 2) start = index;
    } else if (token === "}" || token === "]") {
      if (depth-- === 2) texts.push(body.slice(start, index + 1));
    }
  }
  return texts;
}

const utf8 = "\ufeff";

/** CSV for Excel begins with a byte-order mark, by which it recognizes UTF-8. */
export const formats = {
  csv: csvWith("", separated(",")),
  excel: csvWith(utf8, separated(",")),
  semicolons: csvWith(utf8, separated(";")),
  table: csvWith("", aligned),
  json,
};

/** The format in the ending of a file's name, with or without .gz. Undefined if the ending is another one. */
export function formatOf(file: string): Format | undefined {
  const ending = /\.(csv|json)(\.gz)?$/i.exec(file)?.[1]?.toLowerCase();
  return ending === "csv" || ending === "json" ? formats[ending] : undefined;
}
