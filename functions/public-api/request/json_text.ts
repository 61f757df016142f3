// The JSON of a body, and where it is wrong (`docs/api.md`, Import).
import { type ApiError, badRequest, shownName } from "../answers/errors.ts";

/** The 400 for a body that is not JSON. `where` quotes it, so the log gets the rule alone. */
export const notJson = (where: string): ApiError =>
  badRequest([`body must be valid JSON: ${where}`], "body must be valid JSON");

/** The first byte that is not UTF-8, such as a letter in Latin-1: it begins no character, or one that does not go on. */
export function wrongByte(bytes: Uint8Array): string {
  // A decoder writes U+FFFD for what is wrong: encoded again, it is the first character that differs.
  const right = new TextEncoder().encode(new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes));
  let place = 0;
  while (bytes[place] === right[place]) place++;
  while (((right[place] ?? 0) & 0xc0) === 0x80) place--;
  return `byte ${place + 1} (0x${bytes[place]?.toString(16).toUpperCase()}) is not UTF-8`;
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

/** A part of JSON; of a text the first quote. */
const part = /[{}[\],:"]|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null)(?![\w.])/y;
const space = /\s+/y;
/** What a text may have, and the same with any character and escape. Without a bound, millions would take all of the stack. */
const inText = /(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})){1,1000}/y;
const inAnyText = /(?:[^"\\]|\\.){1,1000}/sy;

/** The place behind all that a pattern finds from there on. */
function behind(pattern: RegExp, text: string, place: number): number {
  let end = place;
  for (pattern.lastIndex = end; pattern.test(text); ) end = pattern.lastIndex;
  return end;
}

/** Whether a part may come behind another one, by their first characters. In which brackets they are only JSON.parse tells. */
function mayFollow(before: string, next: string): boolean {
  const isEnd = ",:]}".includes(next);
  return "[{,:".includes(before) ? !isEnd || ["[]", "{}"].includes(before + next) : isEnd;
}

/** A place in words. Characters are code points. */
function inWords(text: string, place: number): string {
  let [line, start, character] = [1, 0, 1];
  for (let end = text.indexOf("\n"); end >= 0 && end < place; end = text.indexOf("\n", start))
    [line, start] = [line + 1, end + 1];
  for (const _ of text.slice(start, place)) character++;
  return `${line > 1 ? `line ${line}, ` : ""}character ${character}`;
}

/** What is wrong with a text that is right until there. */
const problemOfText = (text: string, place: number): string =>
  text[behind(inAnyText, text, place)] === '"' ? "a control character or a wrong escape" : "no end";

/** Where a text stops being JSON. `error` is what JSON.parse says. Nothing here is as long as the text (8 MiB). */
function wrongPlace(text: string, error: string): string {
  let [before, place] = ["", behind(space, text, 0)];
  for (;;) {
    const next = text[place] ?? "";
    part.lastIndex = place;
    if (!part.test(text) || !mayFollow(before, next)) break;
    const ending = next === '"' ? behind(inText, text, part.lastIndex) : part.lastIndex - 1;
    if (next === '"' && text[ending] !== next)
      return `the text that begins at ${inWords(text, place)} has ${problemOfText(text, ending)}`;
    [before, place] = [next, behind(space, text, ending + 1)];
  }
  if (place === text.length) place = Number(/ at position (\d+)/.exec(error)?.[1] ?? place);
  const where = inWords(text, place);
  if (place === text.length) return `it ends too early, at ${where}`;
  const [found = ""] = /^(?:-?[\p{L}_$][\w$]{0,30}|.)/su.exec(text.slice(place, place + 40)) ?? [];
  return `${shownName(found)} at ${where}`;
}
