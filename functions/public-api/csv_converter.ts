import type { Column } from "./endpoint_types.ts";
import type { Bytes } from "./responses.ts";

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma, colon, space] = [code('"'), code("\\"), code(","), code(":"), code(" ")];
const [openBrace, closeBrace] = [code("{"), code("}")];
const [utf8, decoder] = [new TextEncoder(), new TextDecoder()];

/** A table with a 1 for each of these bytes. */
function table(characters: string): Uint8Array {
  const bytes = new Uint8Array(256);
  for (const character of characters) bytes[code(character)] = 1;
  return bytes;
}

const blank = table(" \t\r\n");
/** A text that begins with one of these could be a formula. */
const formula = table("=+-@\t\r");
const [opens, closes] = [table("{["), table("}]")];
/** Begins a number, true, false or null. */
const wordStart = table("-0123456789tfn");
const wordEnd = table(' \t\r\n,:[]{}"');
/** What is not simply copied from a text: its end, an escape, a comma, the last byte of a byte-order mark, controls. */
const special = table('"\\,\xbf').fill(1, 0, 32);
/** A cell with one of these is in quotes, also one that begins or ends with a space. The last is a byte-order mark. */
const quoted = /[",\r\n\ufeff]/;

const expectedAfter: Record<string, string> = { "[": "{]", "{": ",]", ",": "{", "]": "" };

/** Thrown when the bytes end within a row. */
const cut = new Error("the page is cut off");

/**
 * Converts a JSON array of rows into the lines of a CSV file (`docs/api.md`, CSV), row by row and from bytes to bytes.
 * Numbers, and values of type `json` that are not texts, keep the characters of the JSON, without white space. The columns
 * must come in their order, as the database writes them; other fields between them are left out.
 *
 * It throws an Error when a row lacks a column, and when the array does not end. It does not check all of the JSON.
 */
export class CsvConverter {
  /** Of each column its name in quotes, what the database writes before its value, and whether it may be a formula. */
  readonly #columns: readonly { name: Uint8Array; lead: Uint8Array; mayBeFormula: boolean }[];
  /** What has come of the JSON, up to `#length`, without the rows that have been converted. */
  #buffer = new Uint8Array(0);
  #length = 0;
  /** A row that was not whole is read again when there are so many bytes: eight times as many as it had. */
  #enough = 0;
  /** What may come next: a bracket, a row, a comma between rows. */
  #expected = "[";
  /** The bytes that are being read, the next of them, and the first of the row. */
  #json = new Uint8Array(0);
  #at = 0;
  #row = 0;
  /** The lines that have not been taken yet, up to `#to`. */
  #lines: Bytes;
  #to: number;

  constructor(columns: readonly Column[], escapeFormulas: boolean) {
    this.#columns = columns.map(({ name, type }, index) => ({
      name: utf8.encode(`"${name}"`),
      lead: utf8.encode(`${index > 0 ? "," : "{"}"${name}":`),
      mayBeFormula: escapeFormulas && (type === "text" || type === "json"),
    }));
    this.#lines = utf8.encode(`${columns.map(({ name }) => name).join(",")}\r\n`);
    this.#to = this.#lines.length;
  }

  /** Reads the next bytes of the JSON. Returns the lines of the CSV that are complete by now, possibly none. */
  convert(json: Uint8Array): Bytes {
    const length = this.#length + json.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(json, this.#length);
    this.#length = length;
    if (length >= this.#enough) this.#readRows();
    return this.#taken();
  }

  /** Converts a whole array. */
  convertAll(json: Uint8Array): Bytes {
    [this.#buffer, this.#length] = [json as Bytes, json.length];
    return this.end();
  }

  /** Converts the last rows. Throws an Error if the array has no end yet. */
  end(): Bytes {
    this.#readRows();
    if (this.#expected !== "") throw cut;
    return this.#taken();
  }

  #taken(): Bytes {
    const taken = this.#lines.subarray(0, this.#to);
    if (this.#to > 0) [this.#lines, this.#to] = [new Uint8Array(0), 0];
    return taken;
  }

  /** Room for lines. They are no longer than their JSON, except for objects and arrays. */
  #makeRoom(length: number): void {
    if (this.#lines.length - this.#to >= length) return;
    const larger = new Uint8Array(this.#to + length);
    larger.set(this.#lines.subarray(0, this.#to));
    this.#lines = larger;
  }

  /** Reads all whole rows, and keeps the rest. */
  #readRows(): void {
    const json = this.#buffer.subarray(0, this.#length);
    [this.#json, this.#at] = [json, 0];
    this.#makeRoom(json.length);
    while (this.#skipBlanks() < json.length) {
      const character = String.fromCharCode(json[this.#at] as number);
      if (!this.#expected.includes(character)) throw new Error("the page is not an array of rows");
      if (character !== "{") this.#at++;
      else if (!this.#readRow()) break;
      this.#expected = expectedAfter[character] as string;
    }
    this.#buffer.copyWithin(0, this.#at, this.#length);
    this.#length -= this.#at;
    this.#enough = 8 * this.#length;
  }

  /** Reads a row from its first brace to its last. Returns false, and reads nothing, if it is not whole. */
  #readRow(): boolean {
    const to = this.#to;
    this.#row = this.#at;
    try {
      for (const { name, lead, mayBeFormula } of this.#columns) {
        if (!this.#take(lead)) while (!this.#readName(name)) this.#skipValue();
        this.#readCell(mayBeFormula);
        this.#lines[this.#to++] = comma;
      }
      while (this.#next() !== closeBrace) {
        this.#readName();
        this.#skipValue();
      }
    } catch (error) {
      if (error !== cut) throw error;
      [this.#at, this.#to] = [this.#row, to];
      return false;
    }
    this.#at++;
    // In place of the last comma.
    this.#lines[this.#to - 1] = code("\r");
    this.#lines[this.#to++] = code("\n");
    return true;
  }

  /** Reads these bytes if they come next. */
  #take(bytes: Uint8Array): boolean {
    const [json, at] = [this.#json, this.#at];
    for (let index = 0; index < bytes.length; index++) if (json[at + index] !== bytes[index]) return false;
    this.#at += bytes.length;
    return true;
  }

  #skipBlanks(): number {
    while (blank[this.#json[this.#at] as number] === 1) this.#at++;
    return this.#at;
  }

  /** The next byte that is no white space. */
  #next(): number {
    const byte = this.#json[this.#skipBlanks()];
    if (byte === undefined) throw cut;
    return byte;
  }

  #expect(byte: number): void {
    if (this.#next() !== byte) throw new Error("a row lacks a column, or is no JSON");
    this.#at++;
  }

  /** Reads the name of a field, up to its value. Returns whether it is this name, written without escapes. */
  #readName(name?: Uint8Array): boolean {
    this.#expect(this.#at === this.#row ? openBrace : comma);
    if (this.#next() !== quote) throw new Error("a field has no name");
    const isThis = name !== undefined && this.#take(name);
    if (!isThis) this.#skipValue();
    this.#expect(colon);
    return isThis;
  }

  #skipValue(): void {
    const to = this.#to;
    this.#readCell(false);
    this.#to = to;
  }

  #readCell(mayBeFormula: boolean): void {
    const byte = this.#next();
    const start = this.#to;
    let quotes = -1;
    if (byte === quote) quotes = this.#copyText();
    else if (opens[byte] === 1) quotes = this.#copyNested();
    else this.#copyWord();
    const lines = this.#lines;
    if (byte === quote && mayBeFormula && this.#to > start && formula[lines[start] as number] === 1) {
      lines.copyWithin(start + 1, start, this.#to++);
      lines[start] = code("'");
    }
    const isSpaced = this.#to > start && (lines[start] === space || lines[this.#to - 1] === space);
    if (quotes >= 0 || isSpaced) this.#quote(start, Math.max(0, quotes));
  }

  /** Puts the cell that begins here in quotes, and writes those that it has twice. */
  #quote(start: number, quotes: number): void {
    const lines = this.#lines;
    let [from, to] = [this.#to, this.#to + quotes + 1];
    lines[to] = quote;
    this.#to = to + 1;
    // From its end, because it becomes longer where it is; what is before its first quote at once.
    while (to > from + 1) {
      const byte = lines[--from] as number;
      lines[--to] = byte;
      if (byte === quote) lines[--to] = quote;
    }
    lines.copyWithin(start + 1, start, from);
    lines[start] = quote;
  }

  /** A number, true, false or null, which is an empty cell. */
  #copyWord(): void {
    const [json, lines, start] = [this.#json, this.#lines, this.#to];
    if (wordStart[json[this.#at] as number] === 0) throw new Error("the page has a field without a value");
    let [at, to] = [this.#at, start];
    while (wordEnd[json[at] as number] === 0) lines[to++] = json[at++] as number;
    if (at >= json.length) throw cut;
    [this.#at, this.#to] = [at, lines[start] === code("n") ? start : to];
  }

  /** An object or an array, which keeps its characters. Returns as `#copyText`. */
  #copyNested(): number {
    this.#makeRoom(2 * (this.#json.length - this.#at));
    const [json, lines] = [this.#json, this.#lines];
    let [at, to, depth, quotes] = [this.#at, this.#to, 0, 0];
    let [isInText, isEscaped] = [false, false];
    do {
      const byte = json[at++];
      if (byte === undefined) throw cut;
      if (byte === quote) {
        quotes++;
        isInText = isEscaped || !isInText;
      } else if (!isInText) {
        if (blank[byte] === 1) continue;
        depth += (opens[byte] as number) - (closes[byte] as number);
      }
      isEscaped = isInText && !isEscaped && byte === backslash;
      lines[to++] = byte;
    } while (depth > 0);
    const needsQuotes = quotes > 0 || lines.subarray(this.#to, to).includes(comma);
    [this.#at, this.#to] = [at, to];
    return needsQuotes ? quotes : -1;
  }

  /** A text. Returns how many quotes the cell has that is to be in quotes, or -1. */
  #copyText(): number {
    const [json, lines] = [this.#json, this.#lines];
    let [at, to, quotes] = [this.#at + 1, this.#to, -1];
    for (let byte = json[at]; byte !== quote; byte = json[++at]) {
      if (byte === undefined) throw cut;
      lines[to++] = byte;
      if (special[byte] === 0) continue;
      if (byte === backslash) return this.#copyEscaped(at);
      if (byte < space) throw new Error("a text of the page has a control character");
      if (byte === comma || (lines[to - 2] === 0xbb && lines[to - 3] === 0xef)) quotes = 0;
    }
    [this.#at, this.#to] = [at + 1, to];
    return quotes;
  }

  /** A text whose first escape is here. Half of a surrogate pair is not UTF-8, and is replaced. */
  #copyEscaped(first: number): number {
    const [json, start] = [this.#json, this.#at];
    let at = first;
    while (json[at] !== quote) {
      if (at >= json.length) throw cut;
      at += json[at] === backslash ? 2 : 1;
    }
    this.#at = at + 1;
    const text: string = JSON.parse(decoder.decode(json.subarray(start, this.#at)));
    const { written } = utf8.encodeInto(text, this.#lines.subarray(this.#to));
    const from = this.#to;
    this.#to += written;
    if (!quoted.test(text)) return -1;
    let quotes = 0;
    for (let index = from; index < this.#to; index++) if (this.#lines[index] === quote) quotes++;
    return quotes;
  }
}
