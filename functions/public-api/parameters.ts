import { z } from "zod";
import type { Column, Endpoint, GroupsEndpoint, ParameterKind } from "./endpoint_types.ts";
import { changeColumns, steps } from "./endpoints.ts";
import { type Instant, isAfter, parseInstant, timestamp } from "./instants.ts";
import { badRequest, shownName } from "./responses.ts";

/**
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
  include?: Column[];
  by?: GroupsEndpoint["by"];
  [filter: string]: unknown;
};

/** The longest window of a question, in seconds. */
const longestWindow = 400 * 86_400;

/** What is wrong with a time zone, also with one that only the database does not know. */
export const wrongTimeZone = "must be UTC or the IANA name of a time zone, such as Europe/Berlin";

const instant = (bound: "since" | "until") =>
  z.string().transform((text, context) => {
    const parsed = parseInstant(text, bound);
    if (!parsed) context.addIssue("must be an ISO 8601 date-time");
    return parsed ?? z.NEVER;
  });

/** Parses names of additional columns, separated by commas, each at most once. Returns them in the endpoint's order. */
const columnNames = (included: readonly Column[]) =>
  z.string().transform((text, context) => {
    const names = text.split(",");
    const columns = included.filter(({ name }) => names.includes(name));
    if (columns.length === names.length) return columns;
    context.addIssue(`must be one or more of ${included.map(({ name }) => name).join(", ")}`);
    return z.NEVER;
  });

/** How many names `by` may have: one step of time and all others, but no more than three. */
export const mostNames = (by: GroupsEndpoint["by"]): number =>
  Math.min(3, 1 + by.filter(({ name }) => !steps.includes(name)).length);

/** Parses what a question is asked by: names with commas between them, each at most once, one step of time at most. */
function groupNames({ by }: GroupsEndpoint): z.ZodType {
  const known = by.map(({ name }) => name);
  const most = mostNames(by);
  return z.string().transform((text, context) => {
    const names = text.split(",");
    const groups = names.flatMap((name) => by.filter((group) => group.name === name));
    const isOnce = new Set(names).size === names.length && names.filter((name) => steps.includes(name)).length <= 1;
    if (groups.length === names.length && names.length <= most && isOnce) return groups;
    const words = `must be one to ${most} different ones of ${known.join(", ")}`;
    context.addIssue(`${words}, but only one of ${steps.join(", ")}`);
    return z.NEVER;
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

const values: Record<Exclude<ParameterKind, "include" | "by">, z.ZodType> = {
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
  const sent = split(query);
  const problems: string[] = [];
  const read: Read = {};
  for (const [name, texts] of sent) {
    const { problem, value } = readParameter(endpoint, name, texts);
    if (problem === undefined) read[name] = value;
    else problems.push(problem);
  }
  const { limit, format = "json", escape_formulas = false, since, until, include, by, ...filters } = read;
  problems.push(...conflicts(endpoint, sent, read));
  if (problems.length > 0) throw badRequest(problems);

  const window = { since: since && timestamp(since, Math.ceil), until: until && timestamp(until, Math.floor) };
  const shared = { format, escapeFormulas: escape_formulas };
  if (endpoint.kind === "groups") {
    const groups = by ?? endpoint.by.filter(({ name }) => name === "month");
    return {
      args: { by: groups.map(({ name }) => name), ...window, ...filters },
      columns: [...groups.flatMap(({ columns }) => columns), ...endpoint.columns],
      ...shared,
    };
  }
  return {
    args: {
      ...(endpoint.kind === "changes" && { list: endpoint.list, after: "start" }),
      max_rows: limit ?? 100,
      ...window,
      ...filters,
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
  if (since && until && isAfter(since, until)) problems.push("since must not be after until");
  const end = until ?? { seconds: Date.now() / 1000, nanoseconds: 0 };
  if (kind === "groups" && since && isAfter(end, { ...since, seconds: since.seconds + longestWindow }))
    problems.push("since must be at most 400 days before until, or before now without it");
  const isJson = format === "json" || !sent.has("format");
  if (escape_formulas && isJson) problems.push("escape_formulas needs format=csv");
  return problems;
}

/** The value of one parameter, from its raw texts, or what is wrong with it. */
function readParameter(endpoint: Endpoint, name: string, texts: string[]): { problem?: string; value?: unknown } {
  const kind = endpoint.parameters.find((parameter) => parameter.name === name)?.kind;
  if (!kind) return { problem: `${shownName(name)} must be left out: ${accepted(endpoint)}` };
  // Several `include` are taken together: many clients repeat a parameter that is a list.
  if (texts.length > 1 && kind !== "include") return { problem: `${name} must be given once: ${accepted(endpoint)}` };
  const text = decode(texts.join(","));
  if (text === undefined) return { problem: `${name} must be percent-encoded UTF-8` };
  const result = valueSchema(endpoint, kind).safeParse(text);
  return result.success ? { value: result.data } : { problem: `${name} ${result.error.issues[0]?.message}` };
}

function valueSchema(endpoint: Endpoint, kind: ParameterKind): z.ZodType {
  if (kind === "include") return columnNames("included" in endpoint ? endpoint.included : []);
  if (kind === "by") return endpoint.kind === "groups" ? groupNames(endpoint) : z.never();
  return values[kind];
}

/** The parameters of a query in the order of their first appearance, with decoded names and all their raw values. */
function split(query: string): Map<string, string[]> {
  const sent = new Map<string, string[]>();
  for (const pair of query.split("&")) {
    if (pair === "") continue;
    const equals = pair.indexOf("=");
    const text = equals < 0 ? pair : pair.slice(0, equals);
    // Some clients write the name of a parameter that is a list so.
    const name = (decode(text) ?? text).replace(/^include\[\]$/, "include");
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
  return `${method} ${path} accepts ${names || "no parameters"}`;
}
