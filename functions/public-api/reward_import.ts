import { z } from "zod";
import { ApiError, badRequest, shownName } from "./responses.ts";

/** What a body may have at most: bytes, rewards, and milliseconds until it is complete. */
const limits = { bytes: 8 * 1024 * 1024, rewards: 500, milliseconds: 10_000 };

const text = (least: number, most: number, problem: string) =>
  z
    .string(problem)
    // With the flag u a character is a code point, however many UTF-16 units it takes.
    .regex(new RegExp(`^[^]{${least},${most}}$`, "u"), { error: problem, abort: true })
    .regex(/^[^\0\p{Cs}]*$/u, "must be text without NUL and lone surrogates")
    .meta({ minLength: least, maxLength: most });

/** The fields of a reward row, in the order in which their problems are reported. What `meta` says is for their JSON Schema. */
export const rewardFields = {
  external_id: text(1, 255, "must be a string of 1 to 255 characters").meta({
    description: "Your system's own id for the reward; unique in a request.",
  }),
  name: text(1, 255, "must be a string of 1 to 255 characters").meta({ description: "The reward's name." }),
  description: text(0, 2000, "must be a string of up to 2000 characters or null").nullish().meta({
    description: "More about it. Created as null when absent; on an update an absent one is kept, and null clears it.",
  }),
  points_cost: z
    .custom<number>((value) => typeof value === "number" && value >= 0, "must be a number of 0 or more")
    .transform(Math.round)
    .refine((value) => value <= Number.MAX_SAFE_INTEGER, `must be at most ${Number.MAX_SAFE_INTEGER}`)
    .meta({ type: "number", minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
    .meta({ description: "What it costs: rounded to a whole number, halves up." }),
  reward_type: text(1, 50, "must be a string of 1 to 50 characters").optional().meta({
    description: "Created as `perk` when absent; on an update an absent one is kept.",
  }),
};

/**
 * Reads the body of an import and checks every row (`docs/api.md`, Import). Returns the rows as `upsert_rewards` takes them: known
 * fields only, `points_cost` rounded to a whole number, optional fields only where they were sent.
 * Throws a 400 ApiError that names the rows and their problems, or a 408 when the body is not complete in time.
 */
export async function readRewards(body: ReadableStream<Uint8Array> | null): Promise<Record<string, unknown>[]> {
  const text = await readText(body);
  if (text === "") throw badRequest(["body must not be empty"]);
  const { rows, depth } = rowsOf(parse(text), text);
  if (rows.length === 0) throw badRequest(["body must not be empty"]);
  if (rows.length > limits.rewards) throw badRequest([`body must hold at most ${limits.rewards} rewards`]);

  const repeated = repeatedNames(text, depth);
  const problems: string[] = [];
  const firstWith = new Map<unknown, number>();
  const checked = rows.map((row, index) => {
    const result = checkRow(row, repeated.get(index) ?? new Set());
    const id = result.row.external_id;
    const first = firstWith.get(id);
    if (first !== undefined)
      result.problems.unshift(`external_id must be unique in the request, rewards[${first}] has it too`);
    else if (id !== undefined) firstWith.set(id, index);
    for (const problem of result.problems) problems.push(`rewards[${index}]: ${problem}`);
    return result.row;
  });
  if (problems.length > 0) throw badRequest(problems);
  return checked;
}

/** The rows in a body and how deep they stand in it. The form with `rewards` is told by that key, all else is a single reward. */
export function rowsOf(body: unknown, text: string): { rows: unknown[]; depth: number } {
  if (Array.isArray(body)) return { rows: body, depth: 2 };
  if (isObject(body)) {
    if (!Object.hasOwn(body, "rewards")) return { rows: [body], depth: 1 };
    const isAlone = Object.keys(body).length === 1 && repeatedNames(text, 1).size === 0;
    if (isAlone && Array.isArray(body.rewards)) return { rows: body.rewards, depth: 3 };
  }
  throw badRequest(['body must be a reward, an array of rewards or { "rewards": [ … ] }']);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Checks one row: what of it is written, and what is wrong with it (`docs/api.md`, Import). `repeated` are names that stand twice in it. */
export function checkRow(row: unknown, repeated: Set<string>): { row: Record<string, unknown>; problems: string[] } {
  if (!isObject(row)) return { row: {}, problems: ["row must be an object"] };
  const checked: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, schema] of Object.entries(rewardFields)) {
    const result = schema.safeParse(row[name]);
    if (repeated.has(name)) problems.push(`${name} must be given once`);
    else if (!result.success) problems.push(`${name} ${result.error.issues[0]?.message}`);
    else if (result.data !== undefined) checked[name] = result.data;
  }
  const unknown = Object.keys(row).filter((name) => !Object.hasOwn(rewardFields, name));
  return { row: checked, problems: [...problems, ...unknown.map((name) => `${shownName(name)} must be left out`)] };
}

/** The names that stand twice in a row, by the row's index: JSON.parse keeps the last value and drops the others without a word. */
export function repeatedNames(json: string, rowDepth: number): Map<number, Set<string>> {
  const repeated = new Map<number, Set<string>>();
  let seen = new Set<string>();
  let depth = 0;
  let row = 0;
  for (let at = 0; at < json.length; at++) {
    const character = json[at];
    if (character === "{" || character === "[") {
      if (++depth === rowDepth) seen = new Set();
    } else if (character === "}" || character === "]") depth--;
    else if (character === "," && depth === rowDepth - 1) row++;
    else if (character === '"') {
      const start = at;
      while (json[++at] !== '"') if (json[at] === "\\") at++;
      if (depth !== rowDepth || !/^\s*:/.test(json.slice(at + 1))) continue;
      const name: string = JSON.parse(json.slice(start, at + 1));
      if (seen.has(name)) repeated.set(row, (repeated.get(row) ?? new Set()).add(name));
      seen.add(name);
    }
  }
  return repeated;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw badRequest(["body must be valid JSON"]);
  }
}

/** Reads a body as UTF-8, not a byte further than it may be long and no longer than it may take. */
async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new ApiError(408, "Request Timeout")), limits.milliseconds);
  });
  try {
    let text = "";
    let bytes = 0;
    for (;;) {
      const { done, value } = await Promise.race([reader.read(), late]);
      if (done) return text + decoder.decode();
      bytes += value.length;
      if (bytes > limits.bytes) throw badRequest([`body must be at most 8 MiB and ${limits.rewards} rewards`]);
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    reader.cancel().catch(() => {});
    // What else can fail is the decoder, and the reader when the caller goes away.
    throw error instanceof ApiError ? error : badRequest(["body must be valid JSON"]);
  } finally {
    clearTimeout(timer);
  }
}
