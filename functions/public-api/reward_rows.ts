import { z } from "zod";
import { JsonText, NotJson } from "./json_text.ts";
import { badRequest, shownName } from "./responses.ts";

const text = (least: number, most: number, problem: string) =>
  z
    .string(problem)
    // With the flag u a character is a code point, not a UTF-16 code unit.
    .regex(new RegExp(`^[^]{${least},${most}}$`, "u"), { error: problem, abort: true })
    .regex(/^[^\0\p{Cs}]*$/u, "must be text without NUL and lone surrogates")
    .meta({ minLength: least, maxLength: most });

const vendor = "must be a string of 1 to 255 characters or null";
const image = "must be an http or https address of up to 2000 characters or null";
const stock = "must be an integer of 0 or more, or null";

/**
 * The fields of a reward row, in the order in which problems are reported. `meta` is for the JSON Schema in OpenAPI.
 */
export const rewardFields = {
  external_id: text(1, 255, "must be a string of 1 to 255 characters").meta({
    description: "Your system's own id for the reward; unique in a request.",
  }),
  name: text(1, 255, "must be a string of 1 to 255 characters").meta({ description: "The reward's name." }),
  description: text(0, 2000, "must be a string of up to 2000 characters or null").nullish().meta({
    description: "A description. When absent, a new reward gets null, and an update keeps the old one; null clears it.",
  }),
  points_cost: z
    .custom<number>((value) => typeof value === "number" && value >= 0, "must be a number of 0 or more")
    .transform(Math.round)
    .refine((value) => value <= Number.MAX_SAFE_INTEGER, `must be at most ${Number.MAX_SAFE_INTEGER}`)
    .meta({ type: "number", minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
    .meta({ description: "The price in points, rounded to a whole number, halves up." }),
  reward_type: text(1, 50, "must be a string of 1 to 50 characters").optional().meta({
    description: "When absent, a new reward gets `perk`, and an update keeps the old one.",
  }),
  is_archived: z.boolean("must be true or false").optional().meta({
    description: "Whether it is retired. When absent, a new reward is not, and an update keeps what it is.",
  }),
  stock_count: z
    .custom<number>((value) => Number.isInteger(value) && Number(value) >= 0, stock)
    // A column of the type integer.
    .refine((value) => value <= 2147483647, "must be at most 2147483647")
    .meta({ type: "integer", minimum: 0, maximum: 2147483647 })
    .nullish()
    .meta({ description: "How many are left; null when they are not counted. When absent, as for `description`." }),
  image_url: text(1, 2000, image)
    .refine((value) => /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value), image)
    .nullish()
    .meta({ description: "The address of a picture, http or https, or null. When absent, as for `description`." }),
  vendor_name: text(1, 255, vendor).nullish().meta({
    description: "Who supplies it, or null. When absent, as for `description`.",
  }),
};

const fields = Object.entries(rewardFields);

/** A row in a JSON text; `at` is the position where it begins. */
export type SentRow = {
  readonly at: number;
  readonly isObject: boolean;
  /** The first value of each field. */
  readonly values: Record<string, unknown>;
  /** Fields that occur twice. */
  readonly repeated: Set<string>;
  /** Names of fields that no reward has. */
  readonly unknown: Set<string>;
};

/** Checks one row. Returns the row to write, and the problems that were found (`docs/api.md`, Import). */
export function checkRow(sent: Omit<SentRow, "at">): { row: Record<string, unknown>; problems: string[] } {
  if (!sent.isObject) return { row: {}, problems: ["row must be an object"] };
  const row: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, schema] of fields) {
    const result = schema.safeParse(sent.values[name]);
    if (sent.repeated.has(name)) problems.push(`${name} must be given once`);
    else if (!result.success) problems.push(`${name} ${result.error.issues[0]?.message}`);
    else if (result.data !== undefined) row[name] = result.data;
  }
  for (const name of sent.unknown) problems.push(`${shownName(name)} must be left out`);
  return { row, problems };
}

type Visit = (row: SentRow, index: number) => void;

/**
 * Reads a JSON text in any of the three forms (`docs/api.md`, Import), and calls `visit` for its first `most` rows, one
 * after the other. Returns the number of rows, and the number of unknown fields that were only counted (those after 20
 * per row, for all rows together). Every character is read once, and only the current row is kept in memory.
 * Throws a 400 ApiError when the text as a whole is invalid. By then `visit` has been called for the rows before the
 * error.
 */
export function readRows(text: string, most: number, visit: Visit): { rows: number; more: number } {
  const json = new JsonText(text);
  const reader = new RowReader(json, most, visit);
  try {
    const rows = json.isNext("[") ? reader.array() : reader.object();
    json.end();
    if (rows === undefined) throw badRequest(['body must be a reward, an array of rewards or { "rewards": [ … ] }']);
    return { rows, more: reader.more };
  } catch (error) {
    throw error instanceof NotJson ? badRequest(["body must be valid JSON"]) : error;
  }
}

const names = [...Object.keys(rewardFields), "rewards"];

class RowReader {
  /** Unknown fields that were only counted. */
  more = 0;
  /**
   * How many more names of unknown fields are read, to be named in the error. Others are counted only.
   */
  #names: number;
  readonly #json: JsonText;
  readonly #most: number;
  readonly #visit: Visit;

  constructor(json: JsonText, most: number, visit: Visit) {
    this.#json = json;
    this.#most = most;
    this.#names = 20 * most;
    this.#visit = visit;
  }

  array(): number {
    const json = this.#json;
    json.expect("[");
    if (json.take("]")) return 0;
    let rows = 0;
    do {
      if (rows < this.#most) this.#visit(this.#row(), rows);
      else json.value();
      rows++;
    } while (json.take(","));
    json.expect("]");
    return rows;
  }

  /**
   * Reads a single reward, or the form with the key `rewards`. Returns the number of rows; undefined if it is neither.
   */
  object(): number | undefined {
    const names = { all: 0, rewards: 0 };
    let rows: number | undefined;
    const row = this.#row((name) => {
      names.all++;
      if (name !== "rewards") return false;
      names.rewards++;
      if (names.all > 1 || !this.#json.isNext("[")) return false;
      rows = this.array();
      return true;
    });
    if (names.rewards > 0) return names.all === 1 ? rows : undefined;
    if (!row.isObject) return undefined;
    this.#visit(row, 0);
    return 1;
  }

  /** Reads a row. A field for which `readField` returns true is not part of the row. */
  #row(readField?: (name: string | undefined) => boolean): SentRow {
    const json = this.#json;
    const isObject = json.isNext("{");
    const row = { at: json.at, isObject, values: {}, repeated: new Set<string>(), unknown: new Set<string>() };
    if (!isObject) json.value();
    else if (json.take("{") && !json.take("}")) {
      do {
        const name = this.#name();
        if (!readField?.(name)) this.#field(row, name);
      } while (json.take(","));
      json.expect("}");
    }
    return row;
  }

  /** Reads the name of a field. Returns undefined if it is unknown and will only be counted. */
  #name(): string | undefined {
    const json = this.#json;
    const start = json.string();
    const length = json.at - start;
    json.expect(":");
    const plain = names.find((name) => name.length === length - 2 && json.text.startsWith(name, start + 1));
    if (plain !== undefined || this.#names === 0) return plain;
    this.#names--;
    const raw = json.text.slice(start, start + length);
    return raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1);
  }

  #field({ values, repeated, unknown }: SentRow, name: string | undefined) {
    const json = this.#json;
    const start = json.value();
    if (name === undefined) this.more++;
    else if (!Object.hasOwn(rewardFields, name)) unknown.add(name);
    else if (Object.hasOwn(values, name)) repeated.add(name);
    else values[name] = valueIn(json.text, start, json.at);
  }
}

/** Parses a value in the text. No field may have an object or array, so any of these is replaced by an empty object. */
function valueIn(text: string, start: number, end: number): unknown {
  return /[[{]/.test(text.charAt(start)) ? {} : JSON.parse(text.slice(start, end));
}
