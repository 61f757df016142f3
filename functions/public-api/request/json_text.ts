// The JSON of a body, and where it is wrong (`docs/api.md`, Import).
import { type ApiError, badRequest, shownName } from "../answers/responses.ts";

/** The 400 for a body that is not JSON. `where` quotes it, so the log gets the rule alone. */
export const notJson = (where: string): ApiError =>
  badRequest([`body must be valid JSON: ${where}`], "body must be valid JSON");

/** The first byte that is not UTF-8, such as a letter in Latin-1. */
export function wrongByte(pieces: readonly Uint8Array[]): string {
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0));
  pieces.reduce((at, piece) => {
    bytes.set(piece, at);
    return at + piece.length;
  }, 0);
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  const encoder = new TextEncoder();
  let [place, from] = [0, 0];
  for (const { index } of text.matchAll(/\ufffd/g)) {
    place += encoder.encode(text.slice(from, index)).length;
    // That character itself has three bytes.
    if (bytes[place] !== 0xef) break;
    [place, from] = [place + 3, index + 1];
  }
  return `byte ${place + 1} (0x${bytes[place]?.toString(16).toUpperCase()}) is not UTF-8`;
}

/** Parses the text of a body. Throws a 400 ApiError that says where it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw notJson(wrongPlace(text, String(error)));
  }
}

/** A part of JSON without escapes, and the white space behind it. Of a text: all but quotes, backslashes and control characters. */
const part =
  /([{}[\],:]|"[ !#-[\]-\u{10ffff}]*"|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[Ee][+-]?\d+)?|true|false|null)(?![\w.]))\s*/uy;

/** Whether a part may come behind another one. In which brackets they are only JSON.parse tells. */
function mayFollow(before: string, next: string): boolean {
  const isEnd = ",:]}".includes(next);
  if (before !== "" && !"[{,:".includes(before)) return isEnd;
  return !isEnd || ["[]", "{}"].includes(before + next);
}

/** The place of the first part that is wrong, and the text without escapes. The length of the text if every part may be right. */
function firstWrong(text: string): [place: number, plain: string] {
  // Texts of the same length: as alternatives of the pattern, millions of escapes would take all of the stack.
  const plain = text.replace(/\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4})/g, (escaped) => (escaped[1] === "u" ? "xxxxxx" : "xx"));
  let [before, place] = ["", text.length - text.trimStart().length];
  for (;;) {
    part.lastIndex = place;
    const [whole = "", next = ""] = part.exec(plain) ?? [];
    if (next === "" || !mayFollow(before, next)) return [place, plain];
    [before, place] = [next, place + whole.length];
  }
}

/** Where a text stops being JSON, and the word or character there. `error` is what JSON.parse says, with a place or without. */
function wrongPlace(text: string, error: string): string {
  const [first, plain] = firstWrong(text);
  const place = first < text.length ? first : Number(/ at position (\d+)/.exec(error)?.[1] ?? first);
  const before = text.slice(0, place).split("\n");
  const line = before.length > 1 ? `line ${before.length}, ` : "";
  const where = `${line}character ${[...(before.at(-1) ?? "")].length + 1}`;
  if (place === text.length) return `it ends too early, at ${where}`;
  if (plain[place] === '"' && mayFollow(plain.slice(0, place).trimEnd().at(-1) ?? "", '"')) {
    const isOpen = plain.indexOf('"', place + 1) < 0;
    return `the text that begins at ${where} has ${isOpen ? "no end" : "a control character or a wrong escape"}`;
  }
  const [found = ""] = /^(?:-?[\p{L}_$][\w$]{0,30}|.)/su.exec(text.slice(place)) ?? [];
  return `${shownName(found)} at ${where}`;
}
