import { joined, type Page, pageBytes } from "./database.ts";
import type { Column } from "./endpoint.ts";
import { JsonText } from "./json_text.ts";
import type { Answer, Bytes } from "./responses.ts";

type Row = Record<string, unknown>;

/**
 * A list as CSV (`docs/api.md`, CSV): a header, then a line a row, each ended by CRLF. `page` is the JSON array as the database
 * sends it, `name` that of the file. A page that is not in memory as a whole is turned into CSV as fast as the caller takes it; if it breaks
 * off, so does the CSV. With `escapeFormulas` a spreadsheet takes no text cell for a formula.
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
  const encoder = new TextEncoder();
  const slices = rowSlices(page);

  /** The CSV of the next rows, as bytes: Deno needs longer to send a long string. Nothing behind the last ones. */
  const next = async (header: boolean): Promise<Bytes | undefined> => {
    const { value: slice, done } = await slices.next();
    if (done && !header) return undefined;
    const rows = slice ? readRows(slice, columns) : [];
    for (const column of columns) finishCells(rows, column, escapeFormulas);
    const text = unparse({ fields, data: rows }, { header });
    // papaparse ends only a file without rows with a line break.
    return encoder.encode(rows.length > 0 ? `${text}\r\n` : text);
  };
  const first = (await next(true)) ?? new Uint8Array();
  return {
    status: 200,
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      ...headers,
    },
    body: page.rest ? stream(first, () => next(false), page.rest) : first,
  };
}

function stream(
  first: Bytes,
  next: () => Promise<Bytes | undefined>,
  source: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first),
    async pull(controller) {
      const bytes = await next();
      if (bytes) controller.enqueue(bytes);
      else controller.close();
    },
    cancel: (reason) => source.cancel(reason),
  });
}

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma] = [code('"'), code("\\"), code(",")];
const [openBrace, closeBrace, openBracket, closeBracket] = [code("{"), code("}"), code("["), code("]")];

/** The rows of a JSON array as JSON arrays again, each of about `pageBytes`. The last one may have no row. */
async function* rowSlices({ start: bytes, rest }: Page): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const place = { depth: 0, isInText: false };
  let start = bytes.indexOf(openBracket) + 1;
  let at = start;
  for (;;) {
    for (; at < bytes.length; at++) {
      const byte = bytes[at];
      // What an escape stands before is no quote.
      if (byte === backslash) at++;
      else enter(place, byte);
      const isFull = byte === comma && place.depth === 0 && !place.isInText && at - start >= pageBytes;
      if (!isFull && place.depth >= 0) continue;
      yield `[${decoder.decode(bytes.subarray(start, at))}]`;
      if (place.depth < 0) return;
      start = at + 1;
    }
    const more = await rest?.read();
    if (!more || more.done) throw new Error("the page has no end");
    bytes = joined(bytes.subarray(start), more.value);
    at -= start;
    start = 0;
  }
}

/** Takes a byte of JSON into account: whether it begins or ends a text, an object or an array. */
function enter(place: { depth: number; isInText: boolean }, byte: number | undefined): void {
  if (byte === quote) place.isInText = !place.isInText;
  else if (place.isInText) return;
  else if (byte === openBrace || byte === openBracket) place.depth++;
  else if (byte === closeBrace || byte === closeBracket) place.depth--;
}

/** A value of any JSON, as its text: JSON.parse would lose digits of its numbers, and JSON.stringify fails where it is deep. */
class JsonValue {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

function readRows(slice: string, columns: readonly Column[]): Row[] {
  const kept = columns.filter(({ type }) => type === "json").map(({ name }) => name);
  if (kept.length === 0) return JSON.parse(slice);
  const rows: Row[] = [];
  const json = new JsonText(slice);
  json.expect("[");
  if (json.take("]")) return rows;
  do {
    const row: Row = {};
    json.expect("{");
    do {
      const name: string = JSON.parse(slice.slice(json.string(), json.at));
      json.expect(":");
      const text = slice.slice(json.value(), json.at);
      row[name] = kept.includes(name) && /^[^"n]/.test(text) ? new JsonValue(text) : JSON.parse(text);
    } while (json.take(","));
    json.expect("}");
    rows.push(row);
  } while (json.take(","));
  return rows;
}

function finishCells(rows: Row[], { name, type }: Column, escapeFormulas: boolean): void {
  if (type !== "text" && type !== "json") return;
  for (const row of rows) {
    const value = row[name];
    if (value instanceof JsonValue) row[name] = withoutSpace(value.text);
    // Only what came as text can be a formula, and -5 did not.
    else if (escapeFormulas && typeof value === "string" && /^[=+\-@\t\r]/.test(value)) row[name] = `'${value}`;
  }
}

/** JSON without white space between its parts. */
function withoutSpace(json: string): string {
  return json.replace(/("(?:[^"\\]+|\\.)*")|\s+/g, (_, text = "") => text);
}
