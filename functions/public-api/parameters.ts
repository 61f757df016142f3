import { z } from "zod";
import type { AggregatesEndpoint, Column, Endpoint, ParameterKind } from "./endpoint_types.ts";
import { changeColumns, steps } from "./endpoints.ts";
import { type Instant, inZone, isAfter, parseInstant, timestamp } from "./instants.ts";
import { badRequest, shownName, wrongTimeZone } from "./responses.ts";

/**
 * The parsed query: arguments of the database function, the columns of the rows, and the format of the response.
 */
export type Parameters = {
  args: { max_rows?: number } & Record<string, unknown>;
  columns: readonly Column[];
  format: "json" | "csv";
  escapeFormulas: boolean;
};

/** The values of a query, parsed but not yet checked against each other. */
type Read = {
  limit?: number;
  format?: "json" | "csv";
  escape_formulas?: boolean;
  since?: Instant;
  until?: Instant;
  time_zone?: string;
  include?: Column[];
  starting_after?: z.infer<typeof place>;
  by?: AggregatesEndpoint["by"];
  [filter: string]: unknown;
};

/** The longest window of a question, in seconds. */
const longestWindow = 400 * 86_400;

const instant = (bound: "since" | "until") =>
  z.string().transform((text, context) => {
    const parsed = parseInstant(text, bound);
    if (!parsed) context.addIssue("must be an ISO 8601 date-time");
    return parsed ?? z.NEVER;
  });

/** What the log leaves out of a problem: names from the caller. */
const sentNames = / \(sent: .*$/s;

/** Reads a list of names: known ones, each at most once, as many as `isGood` allows. */
const names = <Named extends { name: string }>(
  known: readonly Named[],
  rule: string,
  isGood: (found: Named[]) => boolean = () => true,
) =>
  z.array(z.string()).transform((sent, context) => {
    const found = sent.flatMap((name) => known.filter((one) => one.name === name));
    if (found.length > 0 && found.length === sent.length && new Set(found).size === sent.length && isGood(found))
      return found;
    const shown = sent.slice(0, 10).map((name) => (name === "" ? "an empty name" : shownName(name)));
    context.addIssue(`must be ${rule} (sent: ${shown.join(", ") || "no name"})`);
    return z.NEVER;
  });

/** Names of additional columns, in the endpoint's order. */
const columnNames = (included: readonly Column[]) =>
  names(included, `one or more of ${included.map(({ name }) => name).join(", ")}, each once`).transform((columns) =>
    included.filter((column) => columns.includes(column)),
  );

/** How many names `by` may have: one step of time and all others, but no more than three. */
export const maxNames = (by: AggregatesEndpoint["by"]): number =>
  Math.min(3, 1 + by.filter(({ name }) => !steps.includes(name)).length);

/** What a question is asked by: one step of time at most. */
function groupNames({ by }: AggregatesEndpoint): z.ZodType {
  const most = maxNames(by);
  const rule = `one to ${most} different names of ${by.map(({ name }) => name).join(", ")}`;
  return names(by, `${rule}, and at most one of ${steps.join(", ")}`, (groups) => {
    return groups.length <= most && groups.filter(({ name }) => steps.includes(name)).length <= 1;
  });
}

/** Names without a slash other than UTC are left out: the database takes CET for a zone without summer time. */
function isTimeZone(name: string): boolean {
  try {
    return /^(UTC$|[A-Za-z_]+\/)/i.test(name) && new Intl.DateTimeFormat("en", { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

const uuid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.source;

/** A row to start after, as the arguments of the database: its id, alone or behind its time. */
const place = z.string().transform((text, context) => {
  const [, time, id] = new RegExp(`^(?:(.*)_)?(${uuid})$`, "i").exec(text) ?? [];
  const after = time === undefined ? undefined : parseInstant(time, "until");
  if (id && time === undefined) return { starting_after: id.toLowerCase() };
  if (id && after && !after.day) return { starting_after: id.toLowerCase(), after_time: timestamp(after, Math.floor) };
  context.addIssue("must be the time and id of a row, joined by _, or its id");
  return z.NEVER;
});

const values: Record<Exclude<ParameterKind, "include" | "by">, z.ZodType> = {
  limit: z
    .string()
    .regex(/^([1-9][0-9]{0,2}|1000)$/, "must be an integer from 1 to 1000")
    .transform(Number),
  format: z.enum(["json", "csv"], "must be json or csv"),
  true: z.literal("true", "must be true").transform(() => true),
  uuid: z
    .string()
    .regex(new RegExp(`^${uuid}$`, "i"), "must be a uuid")
    .toLowerCase(),
  text: z
    .string()
    .regex(/^[^\0]*$/, "must not contain NUL or lone surrogates")
    .regex(/^.{1,255}$/su, "must have 1 to 255 characters"),
  // A blank was a plus sign that was not percent-encoded.
  email: z
    .string()
    .transform((text) => text.replaceAll(" ", "+"))
    .pipe(z.string().regex(/^(?=.{3,320}$)[^@\s\0]+@[^@\s\0+]+$/u, "must be an email address")),
  place,
  time_zone: z.string().refine(isTimeZone, wrongTimeZone),
  since: instant("since"),
  until: instant("until"),
  after: z.string().regex(/^(start|[0-9a-f]{56}([0-9a-f]{16})?)$/, "must be start or a cursor"),
};

/**
 * Reads the query of a request (`docs/api.md`, Lists). Throws one 400 that reports all wrong values, all parameters
 * that the endpoint does not have, and all repeated parameters.
 */
export function readParameters(endpoint: Endpoint, query: string): Parameters {
  const sent = split(endpoint, query);
  const all = [...sent].map(([name, texts]) => ({ name, ...readParameter(endpoint, name, texts) }));
  const problems = all.flatMap(({ problem }) => problem ?? []);
  const read: Read = Object.fromEntries(all.map(({ name, value }) => [name, value]));
  const { limit, format = "json", escape_formulas = false, include, by, starting_after, ...filters } = read;
  const [since, until] = [read.since, read.until].map((bound) => bound && inZone(bound, read.time_zone));
  if (since && until && isAfter(since, until)) problems.push("since must not be after until");
  problems.push(...conflicts(endpoint, sent, read));
  const wrong = all.find(({ problem }) => problem);
  if (problems.length > 0) throw badRequest(problems, wrong?.rule ?? wrong?.problem);

  const window = { since: since && timestamp(since, Math.ceil), until: until && timestamp(until, Math.floor) };
  const shared = { format, escapeFormulas: escape_formulas };
  if (endpoint.kind === "aggregates") {
    const groups = by ?? endpoint.by.filter(({ name }) => name === "month");
    return {
      args: { by: groups.map(({ name }) => name), ...filters, ...window },
      columns: [...groups.flatMap(({ columns }) => columns), ...endpoint.columns],
      ...shared,
    };
  }
  return {
    args: {
      ...(endpoint.kind === "changes" && { list: endpoint.list, after: "start" }),
      max_rows: limit ?? 100,
      ...filters,
      ...window,
      ...starting_after,
      include: include?.map(({ name }) => name),
    },
    columns: [
      ...("columns" in endpoint ? endpoint.columns : []),
      ...(include ?? []),
      ...(endpoint.kind === "changes" ? changeColumns : []),
    ],
    ...shared,
  };
}

/** The parameters that must not be sent together. */
function conflicts({ kind }: Endpoint, sent: Map<string, string[]>, read: Read): string[] {
  const { since, until, escape_formulas, format } = read;
  const problems: string[] = [];
  // In UTC: a window of 400 days in a time zone may be an hour longer.
  const end = until ?? { seconds: Date.now() / 1000, nanoseconds: 0 };
  if (kind === "aggregates" && since && isAfter(end, { ...since, seconds: since.seconds + longestWindow }))
    problems.push("since must be at most 400 days before until (default: now)");
  const isJson = format === "json" || !sent.has("format");
  if (escape_formulas && isJson) problems.push("escape_formulas needs format=csv");
  return problems;
}

/** Whether the value of a parameter is a list of names. */
const isList = (kind: ParameterKind | undefined) => kind === "include" || kind === "by";

const kindOf = ({ parameters }: Endpoint, name: string) => parameters.find((one) => one.name === name)?.kind;

/** The value of one parameter, from its raw texts; or what is wrong with it, and `rule`, the same without a caller's text. */
function readParameter(
  endpoint: Endpoint,
  name: string,
  texts: string[],
): { problem?: string; value?: unknown; rule?: string } {
  const kind = kindOf(endpoint, name);
  if (!kind) {
    const rule = `is not a parameter of ${accepted(endpoint)}`;
    return { problem: `${shownName(name)} ${rule}`, rule: `a name ${rule}` };
  }
  if (texts.length > 1 && !isList(kind)) return { problem: `${name} must be sent once to ${accepted(endpoint)}` };
  const decoded = texts.map(decode);
  if (decoded.includes(undefined)) return { problem: `${name} must be percent-encoded UTF-8` };
  const value = isList(kind) ? decoded.flatMap(namesIn) : decoded[0];
  const result = valueSchema(endpoint, kind).safeParse(value);
  if (result.success) return { value: result.data };
  const problem = `${name} ${result.error.issues[0]?.message}`;
  return { problem, rule: problem.replace(sentNames, "") };
}

/** The names in a text: between commas, with or without blanks around them, or a JSON list. */
function namesIn(text = ""): string[] {
  try {
    const { data } = z.array(z.string()).safeParse(JSON.parse(text));
    if (data) return data;
  } catch {
    // Not JSON.
  }
  return text.split(",").map((name) => name.trim());
}

function valueSchema(endpoint: Endpoint, kind: ParameterKind): z.ZodType {
  if (kind === "include") return columnNames("included" in endpoint ? endpoint.included : []);
  if (kind === "by") return endpoint.kind === "aggregates" ? groupNames(endpoint) : z.never();
  return values[kind];
}

/**
 * The parameters of a query in the order of their first appearance, with decoded names and all their raw values. Some
 * clients write a list as `include[]` or `include[0]`.
 */
function split(endpoint: Endpoint, query: string): Map<string, string[]> {
  const sent = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const text = equals < 0 ? pair : pair.slice(0, equals);
    const written = decode(text) ?? text;
    const [, list = ""] = /^(\w+)\[\d*\]$/.exec(written) ?? [];
    const name = isList(kindOf(endpoint, list)) ? list : written;
    const value = equals < 0 ? "" : pair.slice(equals + 1);
    const values = sent.get(name);
    if (values) values.push(value);
    else sent.set(name, [value]);
  }
  return sent;
}

/**
 * The header `Link` of a page with more rows (`docs/api.md`, Lists): the address and the query as it was sent, with the
 * parameter `name` set to `value`. Characters that would end the link, that readers of the header split it at, or that no
 * address may have, are escaped.
 */
export function linkToNext(address: string, query: string, name: string, value: string): string {
  const others = query.split("&").filter((pair) => pair !== "" && decode(pair.split("=")[0]) !== name);
  const next = [...others, `${name}=${value}`].join("&").replace(/[^!#-+\--:=?-Z_a-z~]/gu, encodeURIComponent);
  return `<${address}?${next}>; rel="next"`;
}

/** Percent-decodes a text, with `+` for a space. Undefined when the bytes are not UTF-8. */
function decode(text = ""): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}

function accepted({ method, path, parameters }: Endpoint): string {
  const names = parameters.map(({ name }) => name).join(", ");
  return `${method} ${path}, which accepts ${names || "none"}`;
}
