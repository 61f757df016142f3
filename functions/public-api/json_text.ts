/** Thrown by JsonText when its text is not JSON. */
export class NotJson extends Error {}

const code = (character: string): number => character.charCodeAt(0);
const quote = code('"');
const backslash = code("\\");
const [openBrace, closeBrace, openBracket, closeBracket] = [code("{"), code("}"), code("["), code("]")];
const [comma, minus, plus, point, zero, nine] = [code(","), code("-"), code("+"), code("."), code("0"), code("9")];

const literals = ["true", "false", "null"];

/**
 * A JSON text that is read once, from left to right, without building its values: skipping a value stores one bit for
 * each level of nesting. JSON.parse would create objects for all of the up to 8 MiB, which can take seconds and
 * hundreds of megabytes.
 */
export class JsonText {
  /** The current position. */
  at = 0;
  readonly text: string;
  /** The open objects and arrays around the skipped value, outermost first, as bits: 1 is an object, 0 an array. */
  #open = new Uint8Array(64);
  #depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether this character is next, after white space. Skips only the white space. */
  isNext(character: string): boolean {
    return this.#next() === code(character);
  }

  /** Skips this character if it is next, and returns whether it was. */
  take(character: string): boolean {
    return this.#take(code(character));
  }

  /** Skips this character. Throws NotJson if another character is next. */
  expect(character: string): void {
    this.#expect(code(character));
  }

  /** Skips a string, such as the name of a field. Returns the position of its first quote; `at` is then its end. */
  string(): number {
    this.#next();
    const start = this.at;
    this.#string();
    return start;
  }

  /** Skips a value. Returns the position where it begins; `at` is then its end. */
  value(): number {
    let next = this.#next();
    const start = this.at;
    for (;;) {
      while (next === openBrace || next === openBracket) {
        this.at++;
        if (this.#take(closing(next))) break;
        this.#push(next);
        if (next === openBrace) this.#skipName();
        next = this.#next();
      }
      if (next !== openBrace && next !== openBracket) this.#scalar(next);
      if (!this.#isFollowed()) return start;
      next = this.#next();
    }
  }

  /** Throws NotJson if anything follows. */
  end(): void {
    if (this.#next() !== undefined) throw new NotJson();
  }

  /**
   * After a value: closes the objects and arrays that end there. Returns whether another value follows in an open one.
   */
  #isFollowed(): boolean {
    while (this.#depth > 0) {
      const kind = this.#innermost();
      if (this.#take(comma)) {
        if (kind === openBrace) this.#skipName();
        return true;
      }
      this.#expect(closing(kind));
      this.#depth--;
    }
    return false;
  }

  #push(kind: number): void {
    const [byte, bit] = [this.#depth >> 3, 1 << (this.#depth & 7)];
    if (byte === this.#open.length) {
      const larger = new Uint8Array(byte * 2);
      larger.set(this.#open);
      this.#open = larger;
    }
    const bits = this.#open[byte] ?? 0;
    this.#open[byte] = kind === openBrace ? bits | bit : bits & ~bit;
    this.#depth++;
  }

  #innermost(): number {
    const depth = this.#depth - 1;
    const isObject = (this.#open[depth >> 3] ?? 0) & (1 << (depth & 7));
    return isObject ? openBrace : openBracket;
  }

  #next(): number | undefined {
    let next = this.text.charCodeAt(this.at);
    while (next === 32 || next === 10 || next === 13 || next === 9) next = this.text.charCodeAt(++this.at);
    return this.at < this.text.length ? next : undefined;
  }

  #take(character: number): boolean {
    if (this.#next() !== character) return false;
    this.at++;
    return true;
  }

  #expect(character: number): void {
    if (!this.#take(character)) throw new NotJson();
  }

  #skipName(): void {
    this.#next();
    this.#string();
    this.expect(":");
  }

  #scalar(next: number | undefined): void {
    if (next === quote) this.#string();
    else if (next === minus || this.#isDigit()) this.#number();
    else this.#literal();
  }

  #literal(): void {
    const literal = literals.find((word) => this.text.startsWith(word, this.at));
    if (!literal) throw new NotJson();
    this.at += literal.length;
  }

  #string(): void {
    const { text } = this;
    if (text.charCodeAt(this.at) !== quote) throw new NotJson();
    for (;;) {
      const next = text.charCodeAt(++this.at);
      if (next === quote) break;
      if (next === backslash) this.#escape();
      // At the end of the text `next` is NaN.
      else if (!(next >= 32)) throw new NotJson();
    }
    this.at++;
  }

  #escape(): void {
    const escaped = this.text[++this.at] ?? "";
    if (escaped !== "u") {
      if (escaped === "" || !'"\\/bfnrt'.includes(escaped)) throw new NotJson();
      return;
    }
    if (!/^[0-9a-f]{4}$/i.test(this.text.slice(this.at + 1, this.at + 5))) throw new NotJson();
    this.at += 4;
  }

  #number(): void {
    if (this.text.charCodeAt(this.at) === minus) this.at++;
    if (this.text.charCodeAt(this.at) === zero) this.at++;
    else this.#digits();
    if (this.text.charCodeAt(this.at) === point) {
      this.at++;
      this.#digits();
    }
    const exponent = this.text[this.at];
    if (exponent !== "e" && exponent !== "E") return;
    const sign = this.text.charCodeAt(++this.at);
    if (sign === plus || sign === minus) this.at++;
    this.#digits();
  }

  #digits(): void {
    if (!this.#isDigit()) throw new NotJson();
    do this.at++;
    while (this.#isDigit());
  }

  #isDigit(): boolean {
    const next = this.text.charCodeAt(this.at);
    return next >= zero && next <= nine;
  }
}

function closing(kind: number): number {
  return kind === openBrace ? closeBrace : closeBracket;
}
