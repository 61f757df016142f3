import { joined, type Page } from "./database.ts";
import type { Column } from "./endpoint_types.ts";
import { JsonText } from "./json_text.ts";
import type { Answer, Bytes } from "./responses.ts";

type Row = Record<string, unknown>;

/** How many bytes of a streamed page are converted to CSV at a time. */
const sliceBytes = 256 * 1024;

/**
 * A list as CSV (`docs/api.md`, CSV): a header, then one line per row, each ended by CRLF. `page` is the JSON array as
 * the database sends it, `name` is the name of the file without `.csv`. A streamed page is converted as fast as the
 * caller reads the CSV; if the page breaks off, the CSV breaks off too. With `escapeFormulas` no spreadsheet reads a
 * text cell as a formula.
 */
export async function csv(
  page: Page,
  name: string,
  columns: readonly Column[],
  escapeFormulas: boolean,
  headers: Record<string, string>,
): Promise<Answer> {
  const { unparse } = (await import("papaparse")).default;
  const fields = columns.map(({ name }) => name);

  /** The lines of the rows of a JSON array, as bytes: Deno sends them faster than a long string. */
  const lines = (json: string, header: boolean): Bytes => {
    const data = readRows(json, columns);
    for (const column of columns) finishCells(data, column, escapeFormulas);
    const text = unparse({ fields, data }, { header });
    // papaparse writes a line break at the end only if there are no rows.
    return new TextEncoder().encode(data.length > 0 ? `${text}\r\n` : text);
  };
  return {
    status: 200,
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      ...headers,
    },
    body: page.rest ? flowing(page.start, page.rest, lines) : lines(new TextDecoder().decode(page.start), true),
  };
}

/** The CSV of a page, slice by slice. The next slice is converted when the caller has read the one before. */
function flowing(
  start: Bytes,
  rest: ReadableStreamDefaultReader<Uint8Array>,
  lines: (json: string, header: boolean) => Bytes,
): ReadableStream<Uint8Array> {
  const slices = rowSlices(start, rest);
  let isFirst = true;
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value: slice, done } = await slices.next();
      if (done) return controller.close();
      controller.enqueue(lines(slice, isFirst));
      isFirst = false;
    },
    cancel: (reason) => rest.cancel(reason),
  });
}

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma] = [code('"'), code("\\"), code(",")];
const [openBrace, closeBrace, openBracket, closeBracket] = [code("{"), code("}"), code("["), code("]")];

/** Splits a JSON array of rows into JSON arrays of about `sliceBytes` each. The last one may be empty. */
async function* rowSlices(bytes: Bytes, rest: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const place = { depth: 0, isInText: false };
  let start = bytes.indexOf(openBracket) + 1;
  let at = start;
  for (;;) {
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      // Skips the character after a backslash, which may be a quote within the text.
      if (byte === backslash) at++;
      else enter(place, byte);
      const isFull = byte === comma && place.depth === 0 && !place.isInText && at - start >= sliceBytes;
      if (!isFull && place.depth >= 0) continue;
      yield `[${decoder.decode(bytes.subarray(start, at))}]`;
      if (place.depth < 0) return;
      start = at + 1;
    }
    const { done, value } = await rest.read();
    if (done) throw new Error("the page has no end");
    bytes = joined([bytes.subarray(start), value]);
    at -= start;
    start = 0;
  }
}

/** Updates the place for a byte of JSON, which may begin or end a text, an object or an array. */
function enter(place: { depth: number; isInText: boolean }, byte: number | undefined): void {
  if (byte === quote) place.isInText = !place.isInText;
  else if (place.isInText) return;
  else if (byte === openBrace || byte === openBracket) place.depth++;
  else if (byte === closeBrace || byte === closeBracket) place.depth--;
}

/** Any JSON value, as its text: JSON.parse would lose digits of numbers, and JSON.stringify fails on deep nesting. */
class JsonValue {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** The rows of a JSON array. Throws if the text is not a JSON array of objects. */
function readRows(text: string, columns: readonly Column[]): Row[] {
  const kept = columns.filter(({ type }) => type === "json").map(({ name }) => name);
  if (kept.length === 0) return JSON.parse(text);
  const rows: Row[] = [];
  const json = new JsonText(text);
  json.expect("[");
  if (json.take("]")) return rows;
  do {
    const row: Row = {};
    json.expect("{");
    do {
      const name: string = JSON.parse(text.slice(json.string(), json.at));
      json.expect(":");
      const value = text.slice(json.value(), json.at);
      row[name] = kept.includes(name) && /^[^"n]/.test(value) ? new JsonValue(value) : JSON.parse(value);
    } while (json.take(","));
    json.expect("}");
    rows.push(row);
  } while (json.take(","));
  json.expect("]");
  return rows;
}

function finishCells(rows: Row[], { name, type }: Column, escapeFormulas: boolean): void {
  if (type !== "json" && !(type === "text" && escapeFormulas)) return;
  for (const row of rows) {
    const value = row[name];
    if (value instanceof JsonValue) row[name] = withoutSpace(value.text);
    // Only a JSON string can be a formula; the number -5 is none.
    else if (escapeFormulas && typeof value === "string" && /^[=+\-@\t\r]/.test(value)) row[name] = `'${value}`;
  }
}

/** JSON without white space between its parts. */
function withoutSpace(json: string): string {
  return json.replace(/("(?:[^"\\]+|\\.)*")|\s+/g, (_, text = "") => text);
}
