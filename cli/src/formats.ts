// The two file formats of an export. Both keep exactly what the API sent.
import Papa from "papaparse";

/** A row of a list: its id, its time, and how the file shows it. */
export interface Row {
  id: string;
  time: string;
  text: string;
}

/** A page of a list, and the beginning of the file. */
export interface Page {
  start: string;
  rows: Row[];
}

/** How a page is asked for and written. `between` stands between two rows, `end` after the last. */
export interface Format {
  name: "csv" | "json";
  between: string;
  end: string;
  /** Reads the body of an answer; throws an Error when it is incomplete. */
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

/** The rows of a JSON array as text: parsing and writing them again would change numbers (1.10, or more than 2^53). */
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

/** The format that a file's name ends in, compressed or not, if it is one of the two. */
export function formatOf(file: string): Format | undefined {
  const ending = /\.(csv|json)(\.gz)?$/i.exec(file)?.[1]?.toLowerCase();
  return ending === "csv" || ending === "json" ? formats[ending] : undefined;
}
