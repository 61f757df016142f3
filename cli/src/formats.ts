// The two file formats of an export. Both keep the API's values exactly as they were sent.
import Papa from "papaparse";

/** A row of a list: its id, its time, and its text in the file. */
export interface Row {
  id: string;
  time: string;
  text: string;
}

/** A page of a list. `start` is the text at the beginning of the file. */
export interface Page {
  start: string;
  rows: Row[];
}

/** How a page is requested and written. `between` is the text between two rows, `end` the text after the last row. */
export interface Format {
  name: "csv" | "json";
  between: string;
  end: string;
  /** Reads the body of a response. Throws an Error when it is incomplete. */
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
    if (!isWhole || id < 0 || time < 0) throw new Error("the CSV is not whole");
    const line = (cells: string[]) => `${Papa.unparse([cells])}\r\n`;
    return {
      start: line(header),
      rows: lines.map((cells) => ({ id: cells[id] ?? "", time: cells[time] ?? "", text: line(cells) })),
    };
  },
};

const json: Format = {
  name: "json",
  between: ",\n",
  end: "\n]\n",
  read(body) {
    const rows: Record<string, string>[] = JSON.parse(body);
    const texts = rowTexts(body);
    return {
      start: "[\n",
      rows: rows.map((row, index) => ({
        id: row.id ?? "",
        time: row.timestamp ?? row.created_at ?? "",
        text: texts[index] ?? "",
      })),
    };
  },
};

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

export const formats = { csv, json };

/** The format in the ending of a file's name, with or without .gz. Undefined if the ending is another one. */
export function formatOf(file: string): Format | undefined {
  const ending = /\.(csv|json)(\.gz)?$/i.exec(file)?.[1]?.toLowerCase();
  return ending === "csv" || ending === "json" ? formats[ending] : undefined;
}
