import type { Column } from "./endpoint.ts";
import { JsonText } from "./json_text.ts";
import type { Answer } from "./responses.ts";

type Row = Record<string, unknown>;

/** Bytes of JSON that are turned into CSV at once: a page may have 40 MB, and an instance has 256. */
const sliceBytes = 256 * 1024;

/**
 * A list as CSV (`docs/api.md`, CSV): a header, then a line a row, each ended by CRLF. `page` is the JSON array as the database sent
 * it, `name` that of the file. With `escapeFormulas` a spreadsheet takes no text cell for a formula.
 */
export async function csv(
  page: Uint8Array<ArrayBuffer>,
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
  const next = (header: boolean): Uint8Array<ArrayBuffer> | undefined => {
    const { value: slice, done } = slices.next();
    if (done && !header) return undefined;
    const rows = slice ? readRows(slice, columns) : [];
    for (const column of columns) finishCells(rows, column, escapeFormulas);
    const text = unparse({ fields, data: rows }, { header });
    // papaparse ends only a file without rows with a line break.
    return encoder.encode(rows.length > 0 ? `${text}\r\n` : text);
  };
  const first = next(true) ?? new Uint8Array();
  return {
    status: 200,
    headers: {
      "Content-Type": "text/csv; charset=utf-8; header=present",
      "Content-Disposition": `attachment; filename="${name}.csv"`,
      ...headers,
    },
    body: page.length <= sliceBytes ? first : stream(first, () => next(false)),
  };
}

function stream(first: Uint8Array<ArrayBuffer>, next: () => Uint8Array<ArrayBuffer> | undefined): ReadableStream {
  return new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(first),
    pull(controller) {
      const bytes = next();
      if (bytes) controller.enqueue(bytes);
      else controller.close();
    },
  });
}

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma] = [code('"'), code("\\"), code(",")];
const [openBrace, closeBrace, openBracket, closeBracket] = [code("{"), code("}"), code("["), code("]")];

/** The rows of a JSON array as JSON arrays again, each of about so many bytes. The last one may have no row. */
function* rowSlices(page: Uint8Array): Generator<string> {
  const decoder = new TextDecoder();
  let start = page.indexOf(openBracket) + 1;
  let depth = 0;
  for (let at = start; at < page.length; at++) {
    const byte = page[at];
    if (byte === quote) at = endOfText(page, at);
    else if (byte === openBrace || byte === openBracket) depth++;
    else if (byte === closeBrace || byte === closeBracket) depth--;
    const isFull = byte === comma && depth === 0 && at - start >= sliceBytes;
    if (!isFull && depth >= 0) continue;
    yield `[${decoder.decode(page.subarray(start, at))}]`;
    if (depth < 0) return;
    start = at + 1;
  }
  throw new Error("the page has no end");
}

/** Where the text ends that begins with the quote at this place. */
function endOfText(page: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < page.length && page[at] !== quote) at += page[at] === backslash ? 2 : 1;
  return at;
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
