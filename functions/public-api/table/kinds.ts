// The kinds of parameters: what a value is, for callers, for OpenAPI and the tools of assistants, and for the database.
import { steps } from "./endpoints.ts";
import { parseInstant } from "./instants.ts";
import type { Endpoint } from "./types.ts";

/** JSON Schema 2020-12, as OpenAPI 3.1 holds it. */
export type Schema = { readonly [keyword: string]: unknown };

type Kind = {
  /** What a value must be, for the error of one that is not. */
  readonly rule: string;
  readonly schema: Schema;
  /** The kind in words, where its schema does not say it. */
  readonly words?: string;
  /** The value of what was sent, a text or the names in it. Undefined if it breaks the rule. */
  readonly read: (text: string, names: readonly string[]) => unknown;
};

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.source;
const [onlyUuid, place] = [new RegExp(`^${uuid}$`, "i"), new RegExp(`^(?:(.*\\.\\d{6}Z)_)?(${uuid})$`, "i")];

/**
 * A row to start after, as the arguments of the database: its id, alone or behind its time. Only a time with six digits
 * is the row's: a client that has made a date of it may have rounded it, and would miss rows without a word.
 */
function placeIn(text: string): { starting_after: string; after_time?: string } | undefined {
  const [, time, id] = place.exec(text) ?? [];
  if (!id || (time && !parseInstant(time, "since"))) return undefined;
  return { starting_after: id.toLowerCase(), ...(time && { after_time: time }) };
}

/** Names without a slash other than UTC are left out: the database takes CET for a zone without summer time. */
function isTimeZone(name: string): boolean {
  try {
    return /^(UTC$|[A-Za-z_]+\/)/i.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

/** `since` and `until` are plain strings in the schema: they allow more than RFC 3339. */
const bound = (name: "since" | "until"): Kind => ({
  rule: "must be an ISO 8601 date-time",
  schema: { type: "string" },
  words: "date-time",
  read: (text) => parseInstant(text, name),
});

/** Different ones of the names that `include` or `by` may have at an endpoint, of `by` with one step of time at most. */
function names(endpoint: Endpoint, isBy: boolean): Kind {
  const included = "included" in endpoint ? endpoint.included : [];
  const known = (isBy && "by" in endpoint ? endpoint.by : included).map(({ name }) => name);
  const most = isBy ? Math.min(3, 1 + known.filter((name) => !steps.includes(name)).length) : known.length;
  const shared = { type: "array", minItems: 1, uniqueItems: true };
  return {
    rule: isBy
      ? `must be one to ${most} different names of ${known.join(", ")}, and at most one of ${steps.join(", ")}`
      : `must be one or more of ${known.join(", ")}, each once`,
    schema: { ...shared, ...(isBy && { maxItems: most, default: ["month"] }), items: { type: "string", enum: known } },
    words: `names, separated by commas${isBy ? "; default `month`" : ""}`,
    read: (_, sent) => {
      const isEachKnown =
        sent.length > 0 && sent.every((name, at) => known.includes(name) && sent.indexOf(name) === at);
      const ofTime = sent.filter((name) => steps.includes(name));
      return isEachKnown && sent.length <= most && ofTime.length <= 1 ? sent : undefined;
    },
  };
}

/** A row for each kind; that of a list of names depends on the endpoint. */
export const kinds = {
  limit: ({ kind }) => ({
    rule: "must be an integer from 1 to 1000",
    schema: { type: "integer", minimum: 1, maximum: 1000, ...(kind !== "aggregates" && { default: 100 }) },
    read: (text) => (/^([1-9][0-9]{0,2}|1000)$/.test(text) ? Number(text) : undefined),
  }),
  format: {
    rule: "must be json or csv",
    schema: { type: "string", enum: ["json", "csv"], default: "json" },
    read: (text) => /^(json|csv)$/.exec(text)?.[0],
  },
  /** The only value that is allowed is `true`. */
  true: {
    rule: "must be true",
    schema: { type: "string", enum: ["true"] },
    read: (text) => text === "true" || undefined,
  },
  uuid: {
    rule: "must be a uuid",
    schema: { type: "string", format: "uuid" },
    read: (text) => onlyUuid.exec(text)?.[0].toLowerCase(),
  },
  // Here and below a character is a code point, not a UTF-16 code unit.
  text: {
    rule: "must have 1 to 255 characters",
    schema: { type: "string", minLength: 1, maxLength: 255 },
    read: (text) => /^.{1,255}$/su.exec(text)?.[0],
  },
  email: {
    rule: "must be an email address",
    schema: { type: "string", minLength: 3, maxLength: 320 },
    // A blank was a plus sign that was not percent-encoded.
    read: (text) => /^(?=.{3,320}$)[^@\s\0]+@[^@\s\0+]+$/su.exec(text.replaceAll(" ", "+"))?.[0],
  },
  place: {
    rule: "must be the time and ID of a row, as the API sends them (six digits), or its ID",
    schema: { type: "string" },
    read: placeIn,
  },
  time_zone: {
    rule: "must be UTC or the IANA name of a time zone, such as Europe/Berlin",
    schema: { type: "string", default: "UTC", examples: ["Europe/Berlin"] },
    read: (text) => (isTimeZone(text) ? text : undefined),
  },
  since: bound("since"),
  until: bound("until"),
  after: {
    rule: "must be start or a cursor",
    schema: { type: "string", pattern: "^(start|[0-9a-f]{1,80})$", default: "start" },
    read: (text) => /^(start|[0-9a-f]{56}([0-9a-f]{16})?)$/.exec(text)?.[0],
  },
  include: (endpoint) => names(endpoint, false),
  by: (endpoint) => names(endpoint, true),
} satisfies Record<string, Kind | ((endpoint: Endpoint) => Kind)>;

/** The form of a query parameter's value (`docs/api.md`, Lists). */
export type ParameterKind = keyof typeof kinds;

/** Whether the value of a parameter is a list of names, with commas between them in a query. */
export const isList = (kind: ParameterKind | undefined): boolean => kind === "include" || kind === "by";

/** Whether a list has fewer rows with a parameter of this kind. */
export const isFilter = (kind: ParameterKind): boolean => ["uuid", "text", "email"].includes(kind);

/** What a parameter of this kind takes at an endpoint. */
export function kindAt(endpoint: Endpoint, kind: ParameterKind): Kind {
  const row: Kind | ((endpoint: Endpoint) => Kind) = kinds[kind];
  return typeof row === "function" ? row(endpoint) : row;
}
