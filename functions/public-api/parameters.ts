import { z } from "zod";
import type { Endpoint, ParameterKind } from "./endpoints.ts";
import { badRequest, shownName } from "./responses.ts";

/** What a query asks for: arguments of the database function, and the form of the answer. */
export type Parameters = { args: Record<string, unknown>; format: "json" | "csv"; escapeFormulas: boolean };

/** A point in time to the nanosecond: whole seconds since 1970 and nanoseconds after them (0 to 999,999,999). */
type Instant = { seconds: number; nanoseconds: number };

/** What remains of a query when every value has been read. */
type Read = {
  limit?: number;
  format?: "json" | "csv";
  escape_formulas?: boolean;
  since?: Instant;
  until?: Instant;
  [filter: string]: unknown;
};

const instant = (bound: "since" | "until") =>
  z.string().transform((text, context) => {
    const parsed = parseInstant(text, bound);
    if (!parsed) context.addIssue("must be an ISO 8601 date-time");
    return parsed ?? z.NEVER;
  });

const values: Record<ParameterKind, z.ZodType> = {
  limit: z
    .string()
    .regex(/^([1-9][0-9]{0,2}|1000)$/, "must be an integer from 1 to 1000")
    .transform(Number),
  format: z.enum(["json", "csv"], "must be json or csv"),
  true: z.literal("true", "must be true").transform(() => true),
  uuid: z
    .string()
    .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, "must be a uuid")
    .toLowerCase(),
  text: z
    .string()
    .min(1, "must not be empty")
    .regex(/^[^\0]*$/, "must not contain NUL or lone surrogates"),
  since: instant("since"),
  until: instant("until"),
};

/**
 * Reads the query of a request (`docs/api.md`, Lists). Strict: a value that is not what it must be, a parameter that the endpoint
 * does not list and one that comes twice are refused, all of them in one 400.
 */
export function readParameters(endpoint: Endpoint, query: string): Parameters {
  const problems: string[] = [];
  const read: Record<string, unknown> = {};
  const sent = split(query);
  for (const [name, texts] of sent) {
    const kind = endpoint.parameters.find((parameter) => parameter.name === name)?.kind;
    const text = decode(texts[0]);
    const result = kind && values[kind].safeParse(text);
    if (!result) problems.push(`${shownName(name)} must be left out: ${accepted(endpoint)}`);
    else if (texts.length > 1) problems.push(`${name} must be given once: ${accepted(endpoint)}`);
    else if (text === undefined) problems.push(`${name} must be percent-encoded UTF-8`);
    else if (!result.success) problems.push(`${name} ${result.error.issues[0]?.message}`);
    else read[name] = result.data;
  }
  const { limit = 100, format = "json", escape_formulas, since, until, ...filters } = read as Read;
  if (since && until && isAfter(since, until)) problems.push("since must not be after until");
  const isJson = read.format === "json" || !sent.has("format");
  if (escape_formulas && isJson) problems.push("escape_formulas needs format=csv");
  if (problems.length > 0) throw badRequest(problems);

  const isList = endpoint.columns.length > 0;
  const window = { since: since && timestamp(since, Math.ceil), until: until && timestamp(until, Math.floor) };
  return {
    args: isList ? { max_rows: limit, ...window, ...filters } : {},
    format,
    escapeFormulas: escape_formulas ?? false,
  };
}

/** The parameters of a query in the order of their first appearance, names decoded, with all their undecoded values. */
function split(query: string): Map<string, string[]> {
  const sent = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const text = equals < 0 ? pair : pair.slice(0, equals);
    const name = decode(text) ?? text;
    const value = equals < 0 ? "" : pair.slice(equals + 1);
    const values = sent.get(name);
    if (values) values.push(value);
    else sent.set(name, [value]);
  }
  return sent;
}

/** Percent-decoding with `+` for a space; nothing when the bytes are not UTF-8. */
function decode(text = ""): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function accepted({ method, path, parameters }: Endpoint): string {
  const names = parameters.map(({ name }) => name).join(", ");
  return `${method} ${path} accepts ${names || "no parameters"}`;
}

const dateTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+ -])(\d\d)(?::?(\d\d))?)?)?$/;

/** Reads a date-time, or a date: that is its first instant for `since` and its last one for `until`. Without a zone it is UTC. */
function parseInstant(text: string, bound: "since" | "until"): Instant | undefined {
  const match = dateTime.exec(text);
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const [fraction = "", sign, zoneHour = "0", zoneMinute = "0"] = match.slice(7);

  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month - 1, day);
  // A day that its month does not have leads into another month.
  const isRealDate = year > 0 && midnight.getUTCMonth() === month - 1;
  const isRealTime = hour < 24 && minute < 60 && second < 60 && Number(zoneHour) < 24 && Number(zoneMinute) < 60;
  if (!isRealDate || !isRealTime) return undefined;

  const start = midnight.getTime() / 1000;
  if (match[4] === undefined && bound === "until") return { seconds: start + 86_399, nanoseconds: 999_999_999 };
  // A plus sign that was not percent-encoded arrives as a space.
  const east = (Number(zoneHour) * 3600 + Number(zoneMinute) * 60) * (sign === "-" ? -1 : 1);
  return {
    seconds: start + hour * 3600 + minute * 60 + second - east,
    nanoseconds: Number(fraction.padEnd(9, "0")),
  };
}

function isAfter(a: Instant, b: Instant): boolean {
  return a.seconds === b.seconds ? a.nanoseconds > b.nanoseconds : a.seconds > b.seconds;
}

/** ISO 8601 in UTC with the microseconds that PostgreSQL keeps. An offset can lead out of the years 1 to 9999: PostgreSQL reads those. */
function timestamp({ seconds, nanoseconds }: Instant, round: (value: number) => number): string {
  const microseconds = round(nanoseconds / 1000);
  const date = new Date((seconds + Math.floor(microseconds / 1_000_000)) * 1000);
  const year = date.getUTCFullYear();
  const digits = (value: number, count: number) => String(value).padStart(count, "0");
  const monthToSecond = date.toISOString().slice(-20, -5);
  const era = year > 0 ? "" : " BC";
  return `${digits(year > 0 ? year : 1 - year, 4)}${monthToSecond}.${digits(microseconds % 1_000_000, 6)}Z${era}`;
}
