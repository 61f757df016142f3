// The JSON of a body, and where it is wrong (`docs/api.md`, Import).
import { type ApiError, badRequest, shownName } from "../answers/errors.ts";

/** The 400 for a body that is not JSON. `where` quotes it, so the log gets the rule alone. */
export const notJson = (where: string): ApiError =>
  badRequest([`body must be valid JSON: ${where}`], "body must be valid JSON");

/** How many more bytes a character has that begins with this one, and what the next may be: nothing if it begins none. */
function restOf(first: number): [missing: number, least: number, most: number] {
  if (first < 0x80) return [0, 0, 0];
  if (first < 0xc2 || first > 0xf4) return [1, 1, 0];
  // Nothing in more bytes than it needs, no surrogates, nothing beyond Unicode.
  const [least, most] = [first === 0xe0 ? 0xa0 : 0x80, first === 0xed ? 0x9f : 0xbf];
  if (first < 0xf0) return [first < 0xe0 ? 1 : 2, least, most];
  return [3, first === 0xf0 ? 0x90 : 0x80, first === 0xf4 ? 0x8f : 0xbf];
}

/** The first byte that is not UTF-8, such as a letter in Latin-1: it begins no character, or one that does not go on. */
export function wrongByte(pieces: readonly Uint8Array[]): string {
  let [read, place, first, missing, least, most] = [0, 0, 0, 0, 0, 0];
  const found = () => `byte ${place} (0x${first.toString(16).toUpperCase()}) is not UTF-8`;
  for (const piece of pieces)
    for (const byte of piece) {
      read++;
      if (missing === 0) {
        [place, first] = [read, byte];
        [missing, least, most] = restOf(byte);
      } else if (byte < least || byte > most) return found();
      else [missing, least, most] = [missing - 1, 0x80, 0xbf];
    }
  return found();
}

/** The value of a JSON text. Undefined if it is none. */
export function jsonIn(text = ""): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses the text of a body. Throws a 400 ApiError that says where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(wrongPlace(text, String(error)));
  }
}

const [space, escaped] = [/\s*/y, /\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/y];
/** A part of JSON; of a text the first quote. */
const part = /[{}[\],:"]|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null)(?![\w.])/y;

/** The place behind what a pattern finds there, or that place if it finds nothing. */
function behind(pattern: RegExp, text: string, place: number): number {
  pattern.lastIndex = place;
  return pattern.test(text) ? pattern.lastIndex : place;
}

/** Whether a part may come behind another one, by their first characters. In which brackets they are only JSON.parse tells. */
function mayFollow(before: string, next: string): boolean {
  const isEnd = ",:]}".includes(next);
  if (before !== "" && !"[{,:".includes(before)) return isEnd;
  return !isEnd || ["[]", "{}"].includes(before + next);
}

/** The place behind a text, or what is wrong with it. A loop: as one pattern, millions of escapes would take all of the stack. */
function endOfText(text: string, start: number): number | string {
  let isRight = true;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x22) return isRight ? at + 1 : "a control character or a wrong escape";
    const end = code === 0x5c ? behind(escaped, text, at) : at + Number(code >= 0x20);
    if (end === at) isRight = false;
    else at = end - 1;
  }
  return "no end";
}

/** A place in words. Characters are code points. */
function inWords(text: string, place: number): string {
  let [lines, characters] = [0, 0];
  for (let at = 0; at < place; at++) {
    const code = text.charCodeAt(at);
    if (code < 0xdc00 || code > 0xdfff) characters++;
    if (code !== 0x0a) continue;
    lines++;
    characters = 0;
  }
  return `${lines > 0 ? `line ${lines + 1}, ` : ""}character ${characters + 1}`;
}

/**
 * Where a text stops being JSON, and the word or character there. `error` is what JSON.parse says, with a place or without.
 * Nothing is as long as the text, which may have 8 MiB.
 */
function wrongPlace(text: string, error: string): string {
  let [before, place] = ["", behind(space, text, 0)];
  for (;;) {
    const [next = "", end] = [text[place], behind(part, text, place)];
    if (end === place || !mayFollow(before, next)) break;
    const ending = next === '"' ? endOfText(text, place) : end;
    if (typeof ending === "string") return `the text that begins at ${inWords(text, place)} has ${ending}`;
    [before, place] = [next, behind(space, text, ending)];
  }
  if (place === text.length) place = Number(/ at position (\d+)/.exec(error)?.[1] ?? place);
  const where = inWords(text, place);
  if (place === text.length) return `it ends too early, at ${where}`;
  const [found = ""] = /^(?:-?[\p{L}_$][\w$]{0,30}|.)/su.exec(text.slice(place, place + 40)) ?? [];
  return `${shownName(found)} at ${where}`;
}
