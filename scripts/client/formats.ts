// The two files that an export can be. Both keep what the API sent, digit for digit.
import Papa from "papaparse";

/** A row of a list: its id, its time if rows of its kind have one, and how the file shows it. */
export interface Row {
  id: string;
  time: string | undefined;
  text: string;
}

/** A page of a list, with what the file begins with. */
export interface Page {
  start: string;
  rows: Row[];
}

/** How a page is asked for and written. `between` stands between two rows, `end` after the last. */
export interface Format {
  name: "csv" | "json";
  between: string;
  end: string;
  /** Reads the body of an answer; throws an Error when it is not whole. */
  read(body: string): Page;
}

const timeFields = ["timestamp", "created_at"];

const csv: Format = {
  name: "csv",
  between: "",
  end: "",
  read(body) {
    const { data, errors } = Papa.parse<string[]>(body, { delimiter: ",", newline: "\r\n", skipEmptyLines: true });
    const [header = [], ...lines] = data;
    const [id, time] = [header.indexOf("id"), header.findIndex((name) => timeFields.includes(name))];
    const isWhole =
      body.endsWith("\r\n") && errors.length === 0 && lines.every(({ length }) => length === header.length);
    if (!isWhole || id < 0) throw new Error("the CSV is not whole");
    const line = (cells: string[]) => `${Papa.unparse([cells])}\r\n`;
    return {
      start: line(header),
      rows: lines.map((cells) => ({ id: cells[id] ?? "", time: cells[time], text: line(cells) })),
    };
  },
};

/** Keeps a number's digits as they were sent: 1.10, or more than 2^53. */
function keepDigits(_name: string, value: unknown, context?: { source: string }): unknown {
  if (typeof value !== "number" || !context) return value;
  return (JSON as JSON & { rawJSON(text: string): unknown }).rawJSON(context.source);
}

const json: Format = {
  name: "json",
  between: ",\n",
  end: "\n]\n",
  read(body) {
    const rows = JSON.parse(body, keepDigits) as Record<string, string>[];
    return {
      start: "[\n",
      rows: rows.map((row) => ({ id: row.id ?? "", time: row.timestamp ?? row.created_at, text: JSON.stringify(row) })),
    };
  },
};

/** The format that a file's name ends in, if it is one of the two. */
export function formatOf(file: string): Format | undefined {
  return [csv, json].find(({ name }) => file.toLowerCase().endsWith(`.${name}`));
}
