import type { Column } from "./endpoint_types.ts";
import type { Bytes } from "./responses.ts";

const code = (character: string): number => character.charCodeAt(0);
const [lineFeed, carriageReturn, space, apostrophe] = [code("\n"), code("\r"), code(" "), code("'")];
const [quote, backslash, comma, colon] = [code('"'), code("\\"), code(","), code(":")];
const [openBrace, closeBrace, openBracket, closeBracket] = [code("{"), code("}"), code("["), code("]")];
const replacement = 0xfffd;
/** A cell with one of these is in quotes, also one that begins or ends with a space. The last is a byte-order mark. */
const needsQuotes = new Set([quote, comma, lineFeed, carriageReturn, 0xfeff]);
const utf8 = new TextEncoder();
/** At least as many bytes as the end of a cell and of its row add when the beginning is in an earlier chunk. */
const spare = 16;

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
/** Ends a number, true, false or null. */
const wordEnd = table(" \t\r\n,}");
/** What is not simply copied from a text: its end, an escape, a comma, the last byte of a byte-order mark, controls. */
const special = table('"\\,\xbf').fill(1, 0, 32);

/** The characters after a backslash that stand for another one, or for themselves. */
const escapes = new Uint8Array(256);
for (const [letter, character] of ['""', "\\\\", "//", "b\b", "f\f", "n\n", "r\r", "t\t"])
  escapes[code(letter as string)] = code(character as string);

/**
 * The places in the JSON. A chunk can end at any of them. Their order counts: the first ten are in `places`, an escape
 * comes before a name, a name before what is nested.
 */
const [broken, beforePage, beforeFirstRow, beforeRow, afterRow, afterPage] = [0, 1, 2, 3, 4, 5] as const;
const [beforeFirstName, beforeName, beforeColon, afterValue, beforeValue] = [6, 7, 8, 9, 10] as const;
const [inText, inWord, inEscape, inCodeUnit, inName, inNameEscape] = [11, 12, 13, 14, 15, 16] as const;
const [inNested, inNestedText, inNestedEscape] = [17, 18, 19] as const;

/** At `places[256 * place + byte]`: the place that follows when this byte comes at one of the first ten places. */
const places = new Uint8Array(10 * 256);
for (const [place, byte, following] of [
  [beforePage, openBracket, beforeFirstRow],
  [beforeFirstRow, openBrace, beforeFirstName],
  [beforeFirstRow, closeBracket, afterPage],
  [beforeFirstName, quote, inName],
  [beforeName, quote, inName],
  [beforeColon, colon, beforeValue],
  [afterValue, comma, beforeName],
  [afterValue, closeBrace, afterRow],
  [afterRow, comma, beforeRow],
  [afterRow, closeBracket, afterPage],
  [beforeRow, openBrace, beforeFirstName],
] as const)
  places[256 * place + byte] = following;

/**
 * Converts a JSON array of rows into the lines of a CSV file (`docs/api.md`, CSV), chunk by chunk and from bytes to
 * bytes: it keeps the unfinished cell and nothing else. Numbers, and values of type `json` that are not texts, keep the
 * characters of the JSON, without white space. The columns must come in their order, as the database writes them; other
 * fields between them are left out.
 *
 * It throws an Error when a row lacks a column, and when the array does not end. It does not check all of the JSON.
 */
export class CsvConverter {
  /**
   * Of each column its name, what the database writes between its value and the one before, and whether it may be a
   * formula.
   */
  readonly #columns: readonly { name: Uint8Array; lead: Uint8Array; hasFormulas: boolean }[];
  #place: number = beforePage;
  /** The lines that `convert` has not returned yet, up to `#at`. The cell that is being written begins at `#cell`. */
  #lines: Bytes;
  #at: number;
  #cell: number;
  #isQuoted = false;
  /** The index of the column that comes next. */
  #column = 0;
  /** Whether the field is this column, as far as its name is known, and how long the name is so far. */
  #isColumn = false;
  #nameLength = 0;
  /** Whether the text has no character yet. */
  #isEmpty = false;
  /** The code unit of an escape so far, its number of digits, and the high surrogate before it, or 0. */
  #unit = 0;
  #digits = 0;
  #high = 0;
  /** How many objects and arrays of the value are open. */
  #depth = 0;

  constructor(columns: readonly Column[], escapeFormulas: boolean) {
    this.#columns = columns.map(({ name, type }, index) => ({
      name: utf8.encode(name),
      lead: utf8.encode(`${index > 0 ? "," : ""}"${name}":`),
      hasFormulas: escapeFormulas && (type === "text" || type === "json"),
    }));
    this.#lines = utf8.encode(`${columns.map(({ name }) => name).join(",")}\r\n`);
    this.#at = this.#lines.length;
    this.#cell = this.#at;
  }

  /** Reads the next bytes of the JSON. Returns the bytes of the CSV that are complete by now, possibly none. */
  convert(json: Uint8Array): Bytes {
    // The lines are shorter than the JSON, except for the quotes of objects and arrays.
    this.#makeRoom(json.length + spare);
    for (let next = 0; next < json.length; ) next = this.#read(json, next);
    return this.#complete();
  }

  /** Converts a whole array. */
  convertAll(json: Uint8Array): Bytes {
    const csv = this.convert(json);
    this.end();
    return csv;
  }

  /** Throws an Error if the array has no end yet. */
  end(): void {
    if (this.#place !== afterPage) throw new Error("the page has no end");
  }

  /** Reads what comes next, at least a byte of it. Returns where to go on. */
  #read(json: Uint8Array, next: number): number {
    const byte = json[next] as number;
    const place = this.#place;
    if (place === inText) return this.#readText(json, next);
    if (place === inWord) return this.#readWord(json, next);
    if ((place === afterValue || place === beforeFirstName) && this.#isLead(json, next)) {
      this.#isColumn = true;
      this.#beginCell();
      const value = next + (this.#columns[this.#column]?.lead.length ?? 0);
      if (json[value] !== quote) return value;
      this.#beginValue(quote);
      return value + 1;
    }
    if (place >= inNested) {
      this.#makeRoom(json.length - next + spare);
      this.#nested(byte);
    } else if (place >= inName) this.#readName(byte);
    else if (place >= inEscape) this.#escape(byte);
    else if (blank[byte] === 1) return next + 1;
    else if (place === beforeValue) this.#beginValue(byte);
    else this.#move(places[256 * place + byte] as number);
    return next + 1;
  }

  #readText(json: Uint8Array, start: number): number {
    const byte = json[start] as number;
    if (byte === quote) this.#endText();
    else if (byte === backslash) this.#place = inEscape;
    else {
      if (this.#isEmpty || this.#high !== 0) this.#beforeCharacter(byte);
      if (special[byte] === 0) return this.#copy(json, start, special);
      this.#special(byte);
    }
    return start + 1;
  }

  /** Reads a number, true, false or null, whose end shows only with what follows. */
  #readWord(json: Uint8Array, start: number): number {
    const end = this.#copy(json, start, wordEnd);
    if (end === json.length) return end;
    if (this.#lines[this.#cell] === code("n")) this.#at = this.#cell;
    this.#endValue();
    return end;
  }

  /** Copies the bytes up to one of these, or to the end of the chunk. Returns where it has stopped. */
  #copy(json: Uint8Array, start: number, ends: Uint8Array): number {
    const lines = this.#lines;
    let at = this.#at;
    let next = start;
    while (next < json.length && ends[json[next] as number] === 0) lines[at++] = json[next++] as number;
    this.#at = at;
    return next;
  }

  #readName(byte: number): void {
    if (this.#place === inNameEscape) {
      this.#isColumn = false;
      this.#place = inName;
    } else if (byte === quote) this.#endName();
    else if (byte === backslash) this.#place = inNameEscape;
    else if (this.#columns[this.#column]?.name[this.#nameLength++] !== byte) this.#isColumn = false;
  }

  #makeRoom(length: number): void {
    if (this.#lines.length - this.#at >= length) return;
    const larger = new Uint8Array(Math.max(2 * this.#lines.length, this.#at + length));
    larger.set(this.#lines.subarray(0, this.#at));
    this.#lines = larger;
  }

  /** The bytes of all complete cells. A cell that is not complete stays: it may turn out to need quotes. */
  #complete(): Bytes {
    const length = this.#isQuoted && this.#isColumn ? this.#at : this.#cell;
    const complete = this.#lines.subarray(0, length);
    if (length > 0) this.#lines = this.#lines.slice(length, this.#at);
    this.#at -= length;
    this.#cell = 0;
    return complete;
  }

  #move(place: number): void {
    if (place === broken) throw new Error("the page is not an array of rows");
    this.#place = place;
    if (place === inName) {
      this.#isColumn = true;
      this.#nameLength = 0;
    } else if (place === afterRow) {
      const missing = this.#columns[this.#column];
      if (missing) throw new Error(`a row lacks the column ${new TextDecoder().decode(missing.name)}`);
      this.#column = 0;
      this.#lines[this.#at++] = carriageReturn;
      this.#lines[this.#at++] = lineFeed;
      this.#cell = this.#at;
    }
  }

  #endName(): void {
    const { name } = this.#columns[this.#column] ?? {};
    this.#isColumn &&= this.#nameLength === name?.length;
    this.#beginCell();
    this.#place = beforeColon;
  }

  /** Whether the next column's value comes next, without white space: the usual case, and faster than byte by byte. */
  #isLead(json: Uint8Array, start: number): boolean {
    const lead = this.#columns[this.#column]?.lead;
    if (lead === undefined || start + lead.length > json.length) return false;
    for (let index = 0; index < lead.length; index++) if (json[start + index] !== lead[index]) return false;
    return true;
  }

  #beginCell(): void {
    this.#place = beforeValue;
    if (this.#isColumn && this.#column > 0) this.#lines[this.#at++] = comma;
    this.#cell = this.#at;
  }

  #beginValue(byte: number): void {
    this.#isQuoted = false;
    if (byte === quote) {
      this.#place = inText;
      this.#isEmpty = true;
      return;
    }
    if (wordStart[byte] === 1) {
      this.#place = inWord;
      this.#lines[this.#at++] = byte;
      return;
    }
    if (byte !== openBrace && byte !== openBracket) throw new Error("the page has a field without a value");
    this.#place = inNested;
    this.#nested(byte);
  }

  #endValue(): void {
    this.#place = afterValue;
    if (!this.#isColumn) this.#at = this.#cell;
    else {
      this.#column++;
      if (this.#isQuoted) this.#lines[this.#at++] = quote;
    }
    this.#isQuoted = false;
    this.#cell = this.#at;
  }

  /** Puts a quote before the cell, unless it has one. */
  #quote(): void {
    if (this.#isQuoted) return;
    this.#isQuoted = true;
    this.#lines.copyWithin(this.#cell + 1, this.#cell, this.#at++);
    this.#lines[this.#cell] = quote;
  }

  /** A byte of an object or an array, which keeps its characters. */
  #nested(byte: number): void {
    if (this.#place === inNested) {
      if (blank[byte] === 1) return;
      if (byte === openBrace || byte === openBracket) this.#depth++;
      else if (byte === closeBrace || byte === closeBracket) this.#depth--;
    }
    if (byte === quote || byte === comma) this.#quote();
    if (byte === quote) this.#lines[this.#at++] = quote;
    this.#lines[this.#at++] = byte;
    this.#place = this.#afterNested(byte);
    if (this.#depth === 0) this.#endValue();
  }

  #afterNested(byte: number): number {
    if (this.#place === inNestedEscape) return inNestedText;
    if (byte === quote) return this.#place === inNested ? inNestedText : inNested;
    return byte === backslash ? inNestedEscape : this.#place;
  }

  #endText(): void {
    if (this.#high !== 0) this.#endSurrogate();
    if (this.#at > this.#cell && this.#lines[this.#at - 1] === space) this.#quote();
    this.#endValue();
  }

  /** Before the first character of a text, and before any that follows a lone surrogate. */
  #beforeCharacter(character: number): void {
    if (this.#high !== 0) this.#endSurrogate();
    if (!this.#isEmpty) return;
    this.#isEmpty = false;
    if (character === space) this.#quote();
    if (this.#columns[this.#column]?.hasFormulas && formula[character] === 1) this.#lines[this.#at++] = apostrophe;
  }

  #endSurrogate(): void {
    this.#high = 0;
    this.#write(replacement);
  }

  #special(byte: number): void {
    if (byte < space) throw new Error("a text of the page has a control character");
    if (byte === comma) this.#quote();
    this.#lines[this.#at++] = byte;
    const start = this.#at - 3;
    if (start >= this.#cell && this.#lines[start] === 0xef && this.#lines[start + 1] === 0xbb) this.#quote();
  }

  /** A byte of an escape: the character after the backslash, or a digit of a code unit. */
  #escape(byte: number): void {
    if (this.#place === inCodeUnit) {
      this.#unit = 16 * this.#unit + Number.parseInt(String.fromCharCode(byte), 16);
      if (++this.#digits === 4) this.#codeUnit(this.#unit);
    } else if (byte === code("u")) {
      this.#place = inCodeUnit;
      this.#unit = 0;
      this.#digits = 0;
    } else this.#codeUnit(escapes[byte] || Number.NaN);
  }

  /** A UTF-16 code unit from an escape. One half of a pair without the other is not UTF-8, and is replaced. */
  #codeUnit(unit: number): void {
    if (Number.isNaN(unit)) throw new Error("a text of the page has a wrong escape");
    this.#place = inText;
    const isLow = unit >= 0xdc00 && unit <= 0xdfff;
    if (isLow && this.#high !== 0) {
      const character = 0x10000 + ((this.#high - 0xd800) << 10) + (unit - 0xdc00);
      this.#high = 0;
      this.#write(character);
      return;
    }
    this.#beforeCharacter(unit);
    if (unit >= 0xd800 && unit < 0xdc00) this.#high = unit;
    else this.#write(isLow ? replacement : unit);
  }

  /** Writes a character of a text as UTF-8. */
  #write(character: number): void {
    if (needsQuotes.has(character)) this.#quote();
    if (character === quote) this.#lines[this.#at++] = quote;
    if (character < 0x80) this.#lines[this.#at++] = character;
    else for (const byte of utf8.encode(String.fromCodePoint(character))) this.#lines[this.#at++] = byte;
  }
}
