// The file formats of an export. All keep the API's values exactly as they were sent.
import Papa from "papaparse";

/** The position of a row in its list. */
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
  read(body: string): Page;
}

const timeFields = ["timestamp", "created_at"];

const csvWith = (mark: string, separator: string): Format => ({
  name: "csv",
  mark,
  between: "",
  end: "",
  read(body) {
    const { data, errors } = Papa.parse<string[]>(body, { delimiter: ",", newline: "\r\n", skipEmptyLines: true });
    const [header = [], ...lines] = data;
    const [id, time] = [header.indexOf("id"), header.findIndex((name) => timeFields.includes(name))];
    const isWhole =
      body.endsWith("\r\n") && errors.length === 0 && lines.every(({ length }) => length === header.length);
    if (!isWhole || id < 0 || time < 0) throw new Error("the CSV is not whole");
    const line = (cells: string[]) => `${Papa.unparse([cells], { delimiter: separator })}\r\n`;
    return {
      start: line(header),
      rows: lines.map((cells) => checked(cells[id], cells[time], line(cells))),
    };
  },
});

const json: Format = {
  name: "json",
  mark: "",
  between: ",\n",
  end: "\n]\n",
  read(body) {
    const rows: (Record<string, unknown> | null)[] = JSON.parse(body);
    if (!Array.isArray(rows)) throw new Error("the answer is not a list");
    const texts = rowTexts(body);
    return {
      start: "[\n",
      rows: rows.map((row, index) => checked(row?.id, row?.timestamp ?? row?.created_at, texts[index] ?? "")),
    };
  },
};

/** A row. Throws an Error when it has no id, or no time in the API's form: then it is not a row of the API. */
function checked(id: unknown, time: unknown, text: string): Row {
  if (typeof id === "string" && id !== "" && typeof time === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(time))
    return { id, time, text };
  throw new Error("a row without an id or a time");
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
  csv: csvWith("", ","),
  excel: csvWith(utf8, ","),
  semicolons: csvWith(utf8, ";"),
  json,
};

/** The format in the ending of a file's name, with or without .gz. Undefined if the ending is another one. */
export function formatOf(file: string): Format | undefined {
  const ending = /\.(csv|json)(\.gz)?$/i.exec(file)?.[1]?.toLowerCase();
  return ending === "csv" || ending === "json" ? formats[ending] : undefined;
}
