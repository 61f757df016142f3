import type { Column } from "./endpoint_types.ts";
import type { Bytes } from "./responses.ts";

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma, colon, space] = [code('"'), code("\\"), code(","), code(":"), code(" ")];
const [utf8, decoder] = [new TextEncoder(), new TextDecoder("utf-8", { ignoreBOM: true })];

/** A table with a 1 for each of these bytes. */
function table(characters: string): Uint8Array {
  const bytes = new Uint8Array(256);
  for (const character of characters) bytes[code(character)] = 1;
  return bytes;
}

const blank = table(" \t\r\n");
const [opens, closes] = [table("{["), table("}]")];
/** A text that begins with one of these could be a formula. */
const formula = table("=+-@\t\r");
/** What may need quotes around a cell. The last is the first byte of a byte-order mark. */
const special = table('",\r\n\xef');
/** What is not simply copied from a text: its end, an escape, what is special, a control character, which is an error. */
const odd = table('",\\\xef').fill(1, 0, 32);

/** What may come between rows, after what. */
const expectedAfter: Record<string, string> = { "[": "{]", "{": ",]", ",": "{", "]": "" };

/**
 * Converts a JSON array of rows into the lines of a CSV file (`docs/api.md`, CSV), from bytes to bytes, as they come.
 * Numbers, and values of type `json` that are not texts, keep the characters of the JSON, without white space. The columns
 * must come in their order, as the database writes them; other fields between them are left out.
 *
 * It throws an Error when a row lacks a column, and when the array does not end. It does not check all of the JSON.
 */
export class CsvConverter {
  readonly #columns: readonly { name: Uint8Array; mayBeFormula: boolean }[];
  #expected = "[";
  /** 0 between rows, 1 in a row, more in its objects and arrays. */
  #depth = 0;
  /** How many columns of the row are written, whether a name is read, and whether its value is the next column. */
  #column = 0;
  #isName = true;
  #isWanted = false;
  /** Of the name or value that is read: its first byte, 0 before it; whether it has something odd, other than a comma. */
  #first = 0;
  #isOdd = false;
  #hasEscape = false;
  #isInText = false;
  #isEscaped = false;
  /** The complete lines; up to `#cell` the cells of the row; up to `#to` the name or value that is read. */
  #lines: Bytes;
  #complete: number;
  #cell: number;
  #to: number;
  /** For how many bytes there must be room. */
  #coming = 0;

  constructor(columns: readonly Column[], escapeFormulas: boolean) {
    this.#columns = columns.map(({ name, type }) => ({
      name: utf8.encode(name),
      mayBeFormula: escapeFormulas && (type === "text" || type === "json"),
    }));
    this.#lines = utf8.encode(`${columns.map(({ name }) => name).join(",")}\r\n`);
    this.#complete = this.#cell = this.#to = this.#lines.length;
  }

  /** Reads the next bytes of the JSON. Returns the lines of the CSV that are complete by now, possibly none. */
  convert(json: Uint8Array): Bytes {
    // The end of a line has two bytes, that of a row has one.
    this.#coming = json.length + 2;
    this.#makeRoom(this.#coming);
    for (let at = 0; at < json.length; at++) {
      if (this.#isInText) at = this.#readText(json, at);
      else if (blank[json[at] as number] === 0) this.#read(json[at] as number);
    }
    const complete = this.#lines.subarray(0, this.#complete);
    if (this.#complete > 0) this.#lines = this.#lines.slice(this.#complete, this.#to);
    this.#cell -= this.#complete;
    this.#to -= this.#complete;
    this.#complete = 0;
    return complete;
  }

  /** Converts the last bytes, or a whole array. Throws an Error if the array has no end yet. */
  end(json = new Uint8Array(0)): Bytes {
    const lines = this.convert(json);
    if (this.#expected !== "") throw new Error("the page is cut off");
    return lines;
  }

  #makeRoom(length: number): void {
    if (this.#lines.length - this.#to >= length) return;
    const larger = new Uint8Array(Math.max(2 * this.#lines.length, this.#to + length));
    larger.set(this.#lines.subarray(0, this.#to));
    this.#lines = larger;
  }

  /** Copies a text from here. Returns the place of its end, or of the end of the bytes. */
  #readText(json: Uint8Array, from: number): number {
    const lines = this.#lines;
    let [at, to] = [from, this.#to];
    for (;;) {
      // What is behind a backslash is as it is.
      if (this.#isEscaped && at < json.length) {
        lines[to++] = json[at++] as number;
        this.#isEscaped = false;
      }
      while (at < json.length && odd[json[at] as number] === 0) lines[to++] = json[at++] as number;
      if (at === json.length || json[at] === quote) break;
      const byte = json[at++] as number;
      this.#isOdd = true;
      this.#isEscaped = byte === backslash;
      this.#hasEscape ||= byte !== comma;
      lines[to++] = byte;
    }
    this.#isInText = at === json.length;
    if (!this.#isInText && this.#depth > 1) lines[to++] = quote;
    this.#to = to;
    return at;
  }

  /** Reads a byte that is outside of texts and no white space. */
  #read(byte: number): void {
    if (this.#depth === 0) this.#readBetween(String.fromCharCode(byte));
    else if (this.#depth === 1 && byte === colon) this.#endName();
    else if (this.#depth === 1 && (byte === comma || closes[byte] === 1)) {
      this.#endValue();
      if (byte !== comma) this.#endRow();
    } else {
      this.#isInText = byte === quote;
      if (this.#depth > 1 || byte !== quote) this.#lines[this.#to++] = byte;
      this.#first ||= byte;
      this.#depth += (opens[byte] as number) - (closes[byte] as number);
    }
  }

  #readBetween(character: string): void {
    if (!this.#expected.includes(character)) throw new Error("the page is not an array of rows");
    if (character === "{") this.#depth = 1;
    this.#expected = expectedAfter[character] as string;
  }

  #endName(): void {
    if (!this.#isName || this.#first !== quote) throw new Error("a field has no name");
    const name = this.#columns[this.#column]?.name ?? [];
    let same = 0;
    while (same < name.length && name[same] === this.#lines[this.#cell + same]) same++;
    this.#isWanted = same === name.length && same === this.#to - this.#cell;
    this.#isName = false;
    this.#begin();
  }

  #endValue(): void {
    if (this.#isName || this.#first === 0) throw new Error("a field has no value");
    if (this.#isWanted) {
      this.#endCell();
      this.#column++;
      this.#lines[this.#to++] = comma;
      this.#cell = this.#to;
    }
    this.#isName = true;
    this.#begin();
  }

  /** Begins the next name or value. */
  #begin(): void {
    this.#to = this.#cell;
    this.#first = 0;
    this.#isOdd = this.#hasEscape = false;
  }

  #endRow(): void {
    if (this.#column < this.#columns.length) throw new Error("a row lacks a column");
    // In place of the last comma.
    this.#lines[this.#to - 1] = code("\r");
    this.#lines[this.#to++] = code("\n");
    this.#complete = this.#cell = this.#to;
    this.#depth = this.#column = 0;
  }

  /** Makes the value a cell. */
  #endCell(): void {
    const [lines, start, isText] = [this.#lines, this.#cell, this.#first === quote];
    if (this.#first === code("n")) this.#to = start;
    if (isText && this.#hasEscape) this.#unescape();
    const isEmpty = this.#to === start;
    if (isText && this.#columns[this.#column]?.mayBeFormula && !isEmpty && formula[lines[start] as number] === 1) {
      lines.copyWithin(start + 1, start, this.#to++);
      lines[start] = code("'");
    }
    const isSpaced = !isEmpty && (lines[start] === space || lines[this.#to - 1] === space);
    if (isSpaced || this.#isOdd || opens[this.#first] === 1) this.#quote(isSpaced);
  }

  /** Half of a surrogate pair is not UTF-8, and is replaced. */
  #unescape(): void {
    const [lines, start] = [this.#lines, this.#cell];
    lines.copyWithin(start + 1, start, this.#to);
    lines[start] = lines[this.#to + 1] = quote;
    const text: string = JSON.parse(decoder.decode(lines.subarray(start, this.#to + 2)));
    this.#to = start + utf8.encodeInto(text, lines.subarray(start)).written;
  }

  /** Puts the cell in quotes if it needs them, and writes those that it has twice. */
  #quote(isSpaced: boolean): void {
    const isPlain = this.#first === quote && !this.#hasEscape;
    let [quotes, isNeeded] = [0, isSpaced || isPlain];
    for (let at = isPlain ? this.#to : this.#cell; at < this.#to; at++) {
      const byte = this.#lines[at] as number;
      if (special[byte] === 0) continue;
      if (byte === quote) quotes++;
      isNeeded ||= byte < 128 || (this.#lines[at + 1] === 0xbb && this.#lines[at + 2] === 0xbf);
    }
    if (!isNeeded) return;
    this.#makeRoom(quotes + 2 + this.#coming);
    const [lines, start] = [this.#lines, this.#cell];
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
}
