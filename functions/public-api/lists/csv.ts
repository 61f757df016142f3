import type { Answer, Bytes } from "../answers/responses.ts";
import type { Page } from "../database/data_api.ts";
import type { Parameters } from "../request/parameters.ts";
import type { Column } from "../table/types.ts";

/** A page as CSV (`docs/api.md`, CSV), in the file `name`.csv. A stream is converted as fast as the caller reads. */
export function csv(page: Page, name: string, asked: Parameters, more: Record<string, string>): Answer {
  const converter = new CsvConverter(asked.columns, asked.escapeFormulas);
  const headers = {
    "Content-Type": "text/csv; charset=utf-8; header=present",
    "Content-Disposition": `attachment; filename="${name}.csv"`,
    ...more,
  };
  const isStream = page instanceof ReadableStream;
  const body = isStream ? page.pipeThrough(new TransformStream(converter)) : converter.end(page);
  return { status: 200, headers, body };
}

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma, colon, space] = [code('"'), code("\\"), code(","), code(":"), code(" ")];
const [utf8, decoder] = [new TextEncoder(), new TextDecoder("utf-8", { ignoreBOM: true })];

/** A table with a 1 for each of these bytes. */
const table = (characters: string): Uint8Array =>
  new Uint8Array(256).map((_, byte) => Number(characters.includes(String.fromCharCode(byte))));

const [blank, quotes] = [table(" \t\r\n"), table('"')];
const [opens, closes, endsField] = [table("{["), table("}]"), table(",}]")];
/** What a text of JSON does not have as it is: its end, escapes, and control characters, which are an error. */
const endsPlain = table('"\\').fill(1, 0, 32);
/** What may need quotes around a cell; the last begins a byte-order mark. */
const special = table('",\r\n\xef');
const endsSimple = endsPlain.map((is, byte) => is | (special[byte] as number)); // What keeps a text from being copied.
/** A text that begins with one of these could be a formula. */
const formula = table("=+-@\t\r");
/** What may come between rows, after what. */
const expectedAfter: Record<string, string> = { "[": "{]", "{": ",]", ",": "{", "]": "" };

/** The place of the first of these from there on, or the end. */
function find(these: Uint8Array, bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && these[bytes[at] as number] === 0) at++;
  return at;
}

/** Whether these bytes stand there. */
function isAt(these: Uint8Array, bytes: Uint8Array, from: number): boolean {
  for (let at = 0; at < these.length; at++) if (bytes[from + at] !== these[at]) return false;
  return true;
}

/** These bytes, of which some are used, or a copy with room for more: so large that a long row is not copied often. */
function withRoom(bytes: Bytes, used: number, more: number): Bytes {
  if (bytes.length - used >= more) return bytes;
  const larger = new Uint8Array(Math.max(2 * bytes.length, used + more));
  larger.set(bytes.subarray(0, used));
  return larger;
}

/** The place of what a cell shows. A text with escapes is written over the JSON, half a surrogate pair is replaced. */
function shown(json: Bytes, start: number, end: number): [from: number, to: number] {
  if (json[start] === code("n")) return [start, start];
  if (json[start] !== quote) return [start, end];
  if (find(endsPlain, json, start + 1, end) === end - 1) return [start + 1, end - 1];
  return [0, utf8.encodeInto(JSON.parse(decoder.decode(json.subarray(start, end))), json).written];
}

/**
 * Converts a JSON array of rows into the lines of a CSV file, from bytes to bytes, as they come. Values other than
 * texts keep their characters, without white space; fields that are no column are left out. It throws an Error when a
 * row lacks a column, and when the array does not end, but does not check all of the JSON.
 */
export class CsvConverter implements Transformer<Uint8Array, Uint8Array> {
  readonly #columns: readonly { start: Uint8Array; mayBeFormula: boolean }[];
  #expected = "[";
  /** How many columns of the row are written. */
  #column = 0;
  /** What has come of a field, without white space: its JSON, how long that is, and where the value begins. */
  #field: Bytes = new Uint8Array(0);
  #length = 0;
  #value = 0;
  /** 0 between rows, 1 in a row, more in its objects and arrays. */
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  /** The CSV that is not returned yet, and how long it is. */
  #csv: Bytes;
  #to: number;

  constructor(columns: readonly Column[], escapeFormulas: boolean) {
    this.#columns = columns.map(({ name, type }) => ({
      start: utf8.encode(`"${name}":`),
      mayBeFormula: escapeFormulas && (type === "text" || type === "json"),
    }));
    this.#csv = utf8.encode(`${columns.map(({ name }) => name).join(",")}\r\n`);
    this.#to = this.#csv.length;
  }

  /** Reads the next bytes of the JSON. Returns the next bytes of the CSV, possibly none. */
  convert(json: Uint8Array): Bytes {
    this.#csv = withRoom(this.#csv, this.#to, json.length + 2); // The end of a line is longer than that of a row.
    for (let at = 0; at < json.length; at++) {
      if (this.#depth > 0) at = this.#readPlainField(json, at) || this.#readField(json, at);
      else if (blank[json[at] as number] === 0) this.#readBetween(String.fromCharCode(json[at] as number));
    }
    const csv = this.#csv.subarray(0, this.#to);
    if (csv.length > 0) [this.#csv, this.#to] = [new Uint8Array(0), 0];
    return csv;
  }

  /** Converts the last bytes, or a whole array. Throws an Error if the array has no end yet. */
  end(json = new Uint8Array(0)): Bytes {
    const csv = this.convert(json);
    if (this.#expected !== "") throw new Error("the page is cut off");
    return csv;
  }

  transform(json: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>): void {
    const csv = this.convert(json);
    if (csv.length > 0) controller.enqueue(csv);
  }

  flush(): void {
    this.end();
  }

  #readBetween(character: string): void {
    if (!this.#expected.includes(character)) throw new Error("the page is not an array of rows");
    if (character === "{") this.#depth = 1;
    this.#expected = expectedAfter[character] as string;
  }

  /** A shortcut for most fields: the next column, whole, a text without escapes. Returns the place of its end, or 0. */
  #readPlainField(json: Uint8Array, from: number): number {
    const column = this.#columns[this.#column];
    if (!column || this.#length > 0 || !isAt(column.start, json, from)) return 0;
    const value = from + column.start.length;
    const odd = find(endsSimple, json, value + 1, json.length);
    const end = find(endsPlain, json, odd, json.length);
    if (json[value] !== quote || json[end] !== quote || endsField[json[end + 1] ?? 0] === 0) return 0;
    this.#writeCell(column.mayBeFormula, json, value + 1, end, odd);
    if (json[end + 1] !== comma) this.#endRow();
    return end + 1;
  }

  /** Reads a field, or more of it. Returns the place of its end, or of the end of the bytes. */
  #readField(json: Uint8Array, from: number): number {
    const field = withRoom(this.#field, this.#length, json.length - from);
    this.#field = field;
    let [at, length, depth, isInText, isEscaped] = [from, this.#length, this.#depth, this.#isInText, this.#isEscaped];
    for (; at < json.length; at++) {
      const byte = json[at] as number;
      if (isInText) {
        isInText = isEscaped || byte !== quote;
        isEscaped = byte === backslash && !isEscaped;
      } else if (blank[byte] === 1) continue;
      else if (depth === 1 && endsField[byte] === 1) break;
      else if (depth === 1 && byte === colon) this.#value = length + 1;
      else {
        isInText = byte === quote;
        depth += (opens[byte] as number) - (closes[byte] as number);
      }
      field[length++] = byte;
    }
    [this.#length, this.#depth, this.#isInText, this.#isEscaped] = [length, depth, isInText, isEscaped];
    if (at < json.length) this.#endField(json[at] as number);
    return at;
  }

  /** Converts the field, if it is the next column. */
  #endField(ending: number): void {
    const [field, value, end, column] = [this.#field, this.#value, this.#length, this.#columns[this.#column]];
    const isText = field[value] === quote;
    if (field[0] !== quote || value === 0 || value === end) throw new Error("a field has no name or no value");
    if (column && value === column.start.length && isAt(column.start, field, 0))
      this.#writeCell(column.mayBeFormula && isText, field, ...shown(field, value, end));
    this.#length = this.#value = 0;
    if (ending !== comma) this.#endRow();
  }

  #endRow(): void {
    if (this.#column < this.#columns.length) throw new Error("a row lacks a column");
    this.#csv[this.#to++] = code("\r");
    this.#csv[this.#to++] = code("\n");
    this.#depth = this.#column = 0;
  }

  /** Writes these bytes as a cell. Before `simpleTo` none is special. */
  #writeCell(mayBeFormula: boolean, bytes: Uint8Array, start: number, end: number, simpleTo = start): void {
    // Room for quotes, an apostrophe, a comma, and the end of the line.
    const csv = withRoom(this.#csv, this.#to, 2 * (end - start) + 6);
    let [to, odd] = [this.#to, find(special, bytes, simpleTo, end)];
    while (odd < end && bytes[odd] === 0xef && (bytes[odd + 1] !== 0xbb || bytes[odd + 2] !== 0xbf))
      odd = find(special, bytes, odd + 1, end);
    const isQuoted = odd < end || bytes[start] === space || bytes[end - 1] === space;
    if (this.#column++ > 0) csv[to++] = comma;
    if (isQuoted) csv[to++] = quote;
    if (mayBeFormula && formula[bytes[start] as number] === 1) csv[to++] = code("'");
    const firstQuote = odd < end ? find(quotes, bytes, odd, end) : end;
    for (let at = start; at < firstQuote; at++) csv[to++] = bytes[at] as number;
    for (let at = firstQuote; at < end; at++) {
      const byte = bytes[at] as number;
      csv[to++] = byte;
      if (byte === quote) csv[to++] = quote;
    }
    if (isQuoted) csv[to++] = quote;
    [this.#csv, this.#to] = [csv, to];
  }
}
