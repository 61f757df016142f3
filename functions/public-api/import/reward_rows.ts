import { z } from "zod";
import { badRequest } from "../answers/errors.ts";

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

/** The fields of a reward row, in the order in which problems are reported. `meta` is for OpenAPI. */
export const rewardFields = {
  external_id: text(1, 255, "must be a string of 1 to 255 characters").meta({
    description: "Your system's own ID for the reward, unique in a request.",
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
    description: "Whether the reward is retired. When absent, a new reward is not, and an update keeps the value.",
  }),
  stock_count: z
    .custom<number>((value) => Number.isInteger(value) && Number(value) >= 0, stock)
    // A column of the type integer.
    .refine((value) => value <= 2147483647, "must be at most 2147483647")
    .meta({ type: "integer", minimum: 0, maximum: 2147483647 })
    .nullish()
    .meta({ description: "The number that is left; null if it isn't counted. When absent, as for `description`." }),
  image_url: text(1, 2000, image)
    .refine((value) => /^https?:\/\/[^\s]+$/i.test(value) && URL.canParse(value), image)
    .nullish()
    .meta({ description: "The address of a picture, http or https, or null. When absent, as for `description`." }),
  vendor_name: text(1, 255, vendor).nullish().meta({
    description: "The supplier, or null. When absent, as for `description`.",
  }),
};

const fields = Object.entries(rewardFields);

/** A problem of a row, said as `<field> <words>`. */
export type RowProblem = { field: string; words: string };

/** Checks one row. Returns the row to write, and its problems (`docs/api.md`, Import). */
export function checkRow(sent: unknown): { row: Record<string, unknown>; problems: RowProblem[] } {
  if (!isObject(sent)) return { row: {}, problems: [{ field: "row", words: "must be an object" }] };
  const row: Record<string, unknown> = {};
  const problems: RowProblem[] = [];
  for (const [field, schema] of fields) {
    const result = schema.safeParse(sent[field]);
    if (!result.success) problems.push({ field, words: String(result.error.issues[0]?.message) });
    else if (result.data !== undefined) row[field] = result.data;
  }
  for (const field of Object.keys(sent))
    if (!Object.hasOwn(rewardFields, field)) problems.push({ field, words: "must be left out" });
  return { row, problems };
}

/** The rows of a parsed JSON text in any of the three forms (`docs/api.md`, Import). Throws a 400 for any other form. */
export function rowsOf(body: unknown): unknown[] {
  if (Array.isArray(body)) return body;
  if (isObject(body) && !Object.hasOwn(body, "rewards")) return [body];
  if (isObject(body) && Object.keys(body).length === 1 && Array.isArray(body.rewards)) return body.rewards;
  throw badRequest(['body must be a reward, an array of rewards or { "rewards": [ … ] }']);
}

/** The number of fields of a parsed JSON value, those of all objects within it too. */
export function countFields(value: unknown): number {
  let fields = 0;
  const open = [value];
  // While it runs, the loop appends what it will visit: the value may be nested deeper than calls can be.
  for (const one of open)
    if (typeof one === "object" && one !== null) {
      const values = Object.values(one);
      if (!Array.isArray(one)) fields += values.length;
      for (const inner of values) open.push(inner);
    }
  return fields;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
