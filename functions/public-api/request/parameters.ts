import { badRequest, shownName, wrongTimeZone } from "../answers/responses.ts";
import { changeColumns, steps } from "../table/endpoints.ts";
import { type Instant, inZone, isAfter, parseInstant, timestamp } from "../table/instants.ts";
import type { Column, Endpoint, ParameterKind } from "../table/types.ts";

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
  include?: string[];
  starting_after?: ReturnType<typeof placeIn>;
  by?: string[];
  [filter: string]: unknown;
};

/** The longest window of aggregates, in seconds. */
const longestWindow = 400 * 86_400;

/** The names that `include` or `by` can have. */
export function namesFor(endpoint: Endpoint): readonly string[] {
  const all = "included" in endpoint ? endpoint.included : endpoint.kind === "aggregates" ? endpoint.by : [];
  return all.map(({ name }) => name);
}

/** How many of them can be sent: of `by` one step of time and all others, but no more than three. */
export function maxNames(endpoint: Endpoint): number {
  const known = namesFor(endpoint);
  if (endpoint.kind !== "aggregates") return known.length;
  return Math.min(3, 1 + known.filter((name) => !steps.includes(name)).length);
}

/** The value of a parameter; or what is wrong with it, and `rule`, the same without a caller's text. */
type Reading = { value?: unknown; problem?: string; rule?: string };

/** Reads a list of names: known ones, each once, and one step of time at most. */
function readNames(endpoint: Endpoint, sent: string[]): Reading {
  const [known, most] = [namesFor(endpoint), maxNames(endpoint)];
  const isGood =
    sent.length > 0 &&
    sent.length <= most &&
    new Set(sent).size === sent.length &&
    sent.every((name) => known.includes(name)) &&
    sent.filter((name) => steps.includes(name)).length <= 1;
  if (isGood) return { value: sent };
  const rule =
    endpoint.kind === "aggregates"
      ? `must be one to ${most} different names of ${known.join(", ")}, and at most one of ${steps.join(", ")}`
      : `must be one or more of ${known.join(", ")}, each once`;
  const shown = sent.slice(0, 10).map((name) => (name === "" ? "an empty name" : shownName(name)));
  return { problem: `${rule} (sent: ${shown.join(", ") || "no name"})`, rule };
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

/**
 * A row to start after, as the arguments of the database: its id, alone or behind its time. Only a time with six digits
 * is the row's: a client that has made a date of it may have rounded it, and would miss rows without a word.
 */
function placeIn(text: string): { starting_after: string; after_time?: string } | undefined {
  const [, time, id] = new RegExp(`^(?:(.*\\.\\d{6}Z)_)?(${uuid})$`, "i").exec(text) ?? [];
  if (!id || (time && !parseInstant(time, "since"))) return undefined;
  return { starting_after: id.toLowerCase(), ...(time && { after_time: time }) };
}

/** The shortest and the longest text of a filter, in characters. */
export const lengths = { text: [1, 255], email: [3, 320] } as const;

/** Whether a text has the length of its kind. A character is a code point, not a UTF-16 code unit. */
const hasLength = (text: string, [least, most]: (typeof lengths)[keyof typeof lengths]): boolean =>
  new RegExp(`^[^]{${least},${most}}$`, "u").test(text);

/** Of each kind the rule for its texts, and the value of a text that is as the rule says. */
const values: Record<Exclude<ParameterKind, "include" | "by">, [rule: string, read: (text: string) => unknown]> = {
  limit: [
    "must be an integer from 1 to 1000",
    (text) => (/^([1-9][0-9]{0,2}|1000)$/.test(text) ? Number(text) : undefined),
  ],
  format: ["must be json or csv", (text) => (text === "json" || text === "csv" ? text : undefined)],
  true: ["must be true", (text) => text === "true" || undefined],
  uuid: ["must be a uuid", (text) => new RegExp(`^${uuid}$`, "i").exec(text)?.[0].toLowerCase()],
  text: [
    `must have ${lengths.text.join(" to ")} characters`,
    (text) => (hasLength(text, lengths.text) ? text : undefined),
  ],
  // A blank was a plus sign that was not percent-encoded.
  email: [
    "must be an email address",
    (text) =>
      hasLength(text, lengths.email) ? /^[^@\s\0]+@[^@\s\0+]+$/u.exec(text.replaceAll(" ", "+"))?.[0] : undefined,
  ],
  place: ["must be the time and ID of a row, as the API sends them (six digits), or its ID", placeIn],
  time_zone: [wrongTimeZone, (text) => (isTimeZone(text) ? text : undefined)],
  since: ["must be an ISO 8601 date-time", (text) => parseInstant(text, "since")],
  until: ["must be an ISO 8601 date-time", (text) => parseInstant(text, "until")],
  after: ["must be start or a cursor", (text) => /^(start|[0-9a-f]{56}([0-9a-f]{16})?)$/.exec(text)?.[0]],
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
  const { limit, format = "json", escape_formulas = false, include, by = ["month"], starting_after, ...filters } = read;
  const [since, until] = [read.since, read.until].map((bound) => bound && inZone(bound, read.time_zone));
  if (since && until && isAfter(since, until)) problems.push("since must not be after until");
  problems.push(...conflicts(endpoint, sent, read));
  const wrong = all.find(({ problem }) => problem);
  if (problems.length > 0) throw badRequest(problems, wrong?.rule ?? wrong?.problem);

  const window = { since: since && timestamp(since, Math.ceil), until: until && timestamp(until, Math.floor) };
  const included = "included" in endpoint ? endpoint.included.filter(({ name }) => include?.includes(name)) : [];
  const groups = endpoint.kind === "aggregates" ? endpoint.by : [];
  return {
    args: {
      ...(endpoint.kind === "changes" && { list: endpoint.list, after: "start" }),
      ...(endpoint.kind === "aggregates" ? { by } : { max_rows: limit ?? 100 }),
      ...filters,
      ...window,
      ...starting_after,
      include: include && included.map(({ name }) => name),
    },
    columns: [
      ...by.flatMap((group) => groups.find(({ name }) => name === group)?.columns ?? []),
      ...("columns" in endpoint ? endpoint.columns : []),
      ...included,
      ...(endpoint.kind === "changes" ? changeColumns : []),
    ],
    format,
    escapeFormulas: escape_formulas,
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
const isList = (kind: ParameterKind | undefined): kind is "include" | "by" => kind === "include" || kind === "by";

const kindOf = ({ parameters }: Endpoint, name: string) => parameters.find((one) => one.name === name)?.kind;

/** Reads one parameter from its raw texts. */
function readParameter(endpoint: Endpoint, name: string, texts: string[]): Reading {
  const kind = kindOf(endpoint, name);
  if (!kind) {
    const rule = `is not a parameter of ${accepted(endpoint)}`;
    return { problem: `${shownName(name)} ${rule}`, rule: `a name ${rule}` };
  }
  if (texts.length > 1 && !isList(kind)) return { problem: `${name} must be sent once to ${accepted(endpoint)}` };
  const decoded = texts.flatMap((text) => decode(text) ?? []);
  if (decoded.length < texts.length) return { problem: `${name} must be percent-encoded UTF-8` };
  const { value, problem, rule = problem } = readValue(endpoint, kind, decoded);
  return problem === undefined ? { value } : { problem: `${name} ${problem}`, rule: `${name} ${rule}` };
}

function readValue(endpoint: Endpoint, kind: ParameterKind, texts: string[]): Reading {
  if (isList(kind)) return readNames(endpoint, texts.flatMap(namesIn));
  const [text = ""] = texts;
  if (kind === "text" && text.includes("\0")) return { problem: "must not contain NUL or lone surrogates" };
  const [problem, read] = values[kind];
  const value = read(text);
  return value === undefined ? { problem } : { value };
}

/** The names in a text: between commas, with or without blanks around them, or a JSON list. */
function namesIn(text: string): string[] {
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  } catch {
    // Not JSON.
  }
  return text.split(",").map((name) => name.trim());
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
 * parameter `name` set to `value`. What would end the link, what readers split it at, and what no address has is escaped.
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
