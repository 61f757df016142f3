import type { Column } from "./endpoint_types.ts";
import type { Bytes } from "./responses.ts";

const code = (character: string): number => character.charCodeAt(0);
const [quote, backslash, comma, colon, space] = [code('"'), code("\\"), code(","), code(":"), code(" ")];
const [openBrace, closeBrace, openBracket, closeBracket] = [code("{"), code("}"), code("["), code("]")];
const [carriageReturn, lineFeed, apostrophe] = [code("\r"), code("\n"), code("'")];
const utf8 = new TextEncoder();

/** A table with a 1 for each of these bytes. */
function table(characters: string): Uint8Array {
  const bytes = new Uint8Array(256);
  for (const character of characters) bytes[code(character)] = 1;
  return bytes;
}

const blank = table(" \t\r\n");
/** A text that begins with one of these could be a formula. */
const formula = table("=+-@\t\r");
/** Begins a number, true, false or null. */
const wordStart = table("-0123456789tfn");
const wordEnd = table(' \t\r\n,:[]{}"');
/** What is not simply copied from a text: its end, an escape, a comma, the last byte of a byte-order mark, controls. */
const special = table('"\\,\xbf').fill(1, 0, 32);

/** How many more objects and arrays are open after a byte. */
const nesting = new Int8Array(256);
for (const [bracket, more] of [
  [openBrace, 1],
  [openBracket, 1],
  [closeBrace, -1],
  [closeBracket, -1],
] as const)
  nesting[bracket] = more;

/** A cell with one of these is in quotes, also one that begins or ends with a space. The last is a byte-order mark. */
const quoted = new Set([quote, comma, lineFeed, carriageReturn, 0xfeff]);
const replacement = 0xfffd;
/** What the first byte of a character in UTF-8 has besides the character, for 0 to 3 bytes that follow. */
const firstByte = [0, 0xc0, 0xe0, 0xf0];
const unicode = utf8.encode("\\u");

/** The characters after a backslash that stand for another one, or for themselves. */
const escapes = new Uint8Array(256);
for (const [letter, character] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"])
  escapes[code(letter as string)] = code(character as string);

/** The values of hexadecimal digits, and 16 for any other byte. */
const digits = new Uint8Array(256).fill(16);
for (let value = 0; value < 16; value++)
  for (const digit of [value.toString(16), value.toString(16).toUpperCase()]) digits[code(digit)] = value;

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
  /** Of each column its name, what the database writes before its value, and whether it may be a formula. */
  readonly #columns: readonly { name: Uint8Array; lead: Uint8Array; mayBeFormula: boolean }[];
  /** What has come of the JSON, up to `#length`, without the rows that have been converted. */
  #buffer = new Uint8Array(0);
  #length = 0;
  /** A row that was not whole is read again when there are so many bytes: eight times as many as it had. */
  #enough = 0;
  /** What may come next: a bracket, a row, a comma between rows. */
  #expected = "[";
  /** The bytes that are being read, the next of them, and the first of the row. */
  #json: Uint8Array = this.#buffer;
  #at = 0;
  #row = 0;
  /** The lines that have not been taken yet, up to `#to`. */
  #lines: Bytes;
  #to: number;

  constructor(columns: readonly Column[], escapeFormulas: boolean) {
    this.#columns = columns.map(({ name, type }, index) => ({
      name: utf8.encode(name),
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
    if (length >= this.#enough) {
      this.#readRows(this.#buffer.subarray(0, length));
      this.#buffer.copyWithin(0, this.#at, length);
      this.#length -= this.#at;
      this.#enough = 8 * this.#length;
    }
    return this.#taken();
  }

  /** Converts a whole array. */
  convertAll(json: Uint8Array): Bytes {
    [this.#buffer, this.#length] = [json as Bytes, json.length];
    return this.end();
  }

  /** Converts the last rows. Throws an Error if the array has no end yet. */
  end(): Bytes {
    this.#readRows(this.#buffer.subarray(0, this.#length));
    if (this.#expected !== "") throw cut;
    return this.#taken();
  }

  #taken(): Bytes {
    const taken = this.#lines.subarray(0, this.#to);
    [this.#lines, this.#to] = [new Uint8Array(0), 0];
    return taken;
  }

  /** Room for lines. They are no longer than their JSON, except for objects and arrays. */
  #makeRoom(length: number): void {
    if (this.#lines.length - this.#to >= length) return;
    const larger = new Uint8Array(this.#to + length);
    larger.set(this.#lines.subarray(0, this.#to));
    this.#lines = larger;
  }

  /** Reads all whole rows. Then `#at` is where the others begin. */
  #readRows(json: Uint8Array): void {
    [this.#json, this.#at] = [json, 0];
    this.#makeRoom(json.length);
    while (this.#skipBlanks() < json.length) {
      const character = String.fromCharCode(json[this.#at] as number);
      if (!this.#expected.includes(character)) throw new Error("the page is not an array of rows");
      if (character !== "{") this.#at++;
      else if (!this.#readRow()) return;
      this.#expected = expectedAfter[character] as string;
    }
  }

  /** Reads a row from its first brace to its last. Returns false, and reads nothing, if it is not whole. */
  #readRow(): boolean {
    const to = this.#to;
    this.#row = this.#at;
    try {
      for (const { name, lead, mayBeFormula } of this.#columns) {
        if (this.#isNext(lead)) this.#at += lead.length;
        else while (!this.#readName(name)) this.#skipValue();
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
    this.#lines[this.#to - 1] = carriageReturn;
    this.#lines[this.#to++] = lineFeed;
    return true;
  }

  /** Whether these bytes come next, without white space: the usual case. */
  #isNext(bytes: Uint8Array): boolean {
    const [json, at] = [this.#json, this.#at];
    for (let index = 0; index < bytes.length; index++) if (json[at + index] !== bytes[index]) return false;
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

  /** Reads the name of a field, up to its value. Returns whether it is this name. */
  #readName(name?: Uint8Array): boolean {
    const to = this.#to;
    this.#expect(this.#at === this.#row ? openBrace : comma);
    if (this.#next() !== quote) throw new Error("a field has no name");
    this.#copyText();
    const read = this.#lines.subarray(to, this.#to);
    this.#to = to;
    this.#expect(colon);
    return read.length === name?.length && name.every((byte, index) => read[index] === byte);
  }

  #skipValue(): void {
    const to = this.#to;
    this.#readCell(false);
    this.#to = to;
  }

  #readCell(mayBeFormula: boolean): void {
    const byte = this.#next();
    const start = this.#to;
    let needsQuotes = false;
    if (byte === quote) needsQuotes = this.#copyText();
    else if (byte === openBrace || byte === openBracket) needsQuotes = this.#copyNested();
    else this.#copyWord();
    const lines = this.#lines;
    if (byte === quote && mayBeFormula && this.#to > start && formula[lines[start] as number] === 1)
      this.#insert(start, apostrophe);
    if (!needsQuotes && (this.#to === start || (lines[start] !== space && lines[this.#to - 1] !== space))) return;
    this.#insert(start, quote);
    lines[this.#to++] = quote;
  }

  #insert(at: number, byte: number): void {
    this.#lines.copyWithin(at + 1, at, this.#to++);
    this.#lines[at] = byte;
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

  /** An object or an array, which keeps its characters. Returns whether the cell needs quotes. */
  #copyNested(): boolean {
    this.#makeRoom(2 * (this.#json.length - this.#at));
    const [json, lines] = [this.#json, this.#lines];
    let [at, to, depth] = [this.#at, this.#to, 0];
    let [isInText, isEscaped, needsQuotes] = [false, false, false];
    do {
      const byte = json[at++];
      if (byte === undefined) throw cut;
      if (!isInText) {
        if (blank[byte] === 1) continue;
        depth += nesting[byte] as number;
        needsQuotes ||= byte === comma;
      }
      if (byte === quote) {
        lines[to++] = quote;
        if (!isEscaped) isInText = !isInText;
        needsQuotes = true;
      }
      isEscaped = isInText && !isEscaped && byte === backslash;
      lines[to++] = byte;
    } while (depth > 0);
    [this.#at, this.#to] = [at, to];
    return needsQuotes;
  }

  /** A text. Returns whether the cell needs quotes. */
  #copyText(): boolean {
    const [json, lines] = [this.#json, this.#lines];
    let [at, to, needsQuotes] = [this.#at + 1, this.#to, false];
    for (let byte = json[at++]; byte !== quote; byte = json[at++]) {
      if (byte === undefined) throw cut;
      if (special[byte] === 0) lines[to++] = byte;
      else if (byte === backslash) {
        [this.#at, this.#to] = [at, to];
        const character = this.#readEscape();
        this.#write(character);
        [at, to] = [this.#at, this.#to];
        needsQuotes ||= quoted.has(character);
      } else if (byte < space) throw new Error("a text of the page has a control character");
      else {
        lines[to++] = byte;
        needsQuotes ||= byte === comma || (lines[to - 2] === 0xbb && lines[to - 3] === 0xef);
      }
    }
    [this.#at, this.#to] = [at, to];
    return needsQuotes;
  }

  /** The character of an escape, from behind its backslash. Half of a surrogate pair is not UTF-8, and is replaced. */
  #readEscape(): number {
    const letter = this.#json[this.#at++];
    if (letter === undefined) throw cut;
    if (letter !== unicode[1]) return escapes[letter] || wrongEscape();
    const unit = this.#readUnit();
    if (unit < 0xd800 || unit > 0xdfff) return unit;
    const at = this.#at;
    if (unit > 0xdbff || !this.#isNext(unicode)) return replacement;
    this.#at += unicode.length;
    const low = this.#readUnit();
    if (low >= 0xdc00 && low <= 0xdfff) return 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
    this.#at = at;
    return replacement;
  }

  /** A UTF-16 code unit: four digits. */
  #readUnit(): number {
    let unit = 0;
    for (const end = this.#at + 4; this.#at < end; this.#at++) {
      const byte = this.#json[this.#at];
      if (byte === undefined) throw cut;
      const digit = digits[byte] as number;
      unit = 16 * unit + (digit < 16 ? digit : wrongEscape());
    }
    return unit;
  }

  /** Writes a character of a text as UTF-8, and a quote twice. */
  #write(character: number): void {
    const lines = this.#lines;
    if (character === quote) lines[this.#to++] = quote;
    const more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;
    lines[this.#to++] = (firstByte[more] as number) | (character >> (6 * more));
    for (let shift = 6 * more - 6; shift >= 0; shift -= 6) lines[this.#to++] = 0x80 | ((character >> shift) & 0x3f);
  }
}

function wrongEscape(): never {
  throw new Error("a text of the page has a wrong escape");
}
