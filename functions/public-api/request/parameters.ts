import { badRequest, shownName } from "../answers/errors.ts";
import { changeColumns } from "../table/endpoints.ts";
import { type Instant, inZone, isAfter, timestamp } from "../table/instants.ts";
import { isList, kindAt } from "../table/kinds.ts";
import type { Column, Endpoint, Parameter } from "../table/types.ts";
import { jsonIn } from "./json_text.ts";

/** The parsed query: arguments of the database function, the columns of the rows, and the format of the response. */
export type Parameters = {
  args: { max_rows?: number | undefined } & Record<string, unknown>;
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
  starting_after?: { starting_after: string; after_time?: string };
  by?: string[];
  [filter: string]: unknown;
};

/** The longest window of aggregates, in seconds. */
const longestWindow = 400 * 86_400;

/** A parameter as it was sent: its name, decoded, and its raw value. */
type Sent = { name: string; raw: string };

/** The value of a parameter; or what is wrong with it, and `rule`, the same without a caller's text. */
type Reading = { value?: unknown; problem?: string; rule?: string };

/** Reads a query (`docs/api.md`, Lists). Throws one 400 for all wrong, unknown, and repeated parameters. */
export function readParameters(endpoint: Endpoint, query: string): Parameters {
  const sent = Map.groupBy(split(endpoint, query), ({ name }) => name);
  const all = [...sent].map(([name, values]) => ({ name, ...readParameter(endpoint, name, values) }));
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
      ...(endpoint.kind === "aggregates" ? { by, max_rows: limit } : { max_rows: limit ?? 100 }),
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
function conflicts({ kind }: Endpoint, sent: Map<string, Sent[]>, read: Read): string[] {
  const { since, until, escape_formulas, format } = read;
  // In UTC: a window of 400 days in a time zone may be an hour longer.
  const end = until ?? { seconds: Date.now() / 1000, nanoseconds: 0 };
  const longest = since && { ...since, seconds: since.seconds + longestWindow };
  const isTooLong = kind === "aggregates" && longest && isAfter(end, longest);
  const isJson = format === "json" || !sent.has("format");
  return [
    ...(isTooLong ? ["since must be at most 400 days before until (default: now)"] : []),
    ...(escape_formulas && isJson ? ["escape_formulas needs format=csv"] : []),
  ];
}

/** Reads one parameter from all that was sent of it. */
function readParameter(endpoint: Endpoint, name: string, sent: Sent[]): Reading {
  const kind = parameterOf(endpoint, name)?.kind;
  if (!kind) {
    const rule = `is not a parameter of ${accepted(endpoint)}`;
    return { problem: `${shownName(name)} ${rule}`, rule: `a name ${rule}` };
  }
  if (sent.length > 1 && !isList(kind)) return { problem: `${name} must be sent once to ${accepted(endpoint)}` };
  const decoded = sent.flatMap(({ raw }) => decode(raw) ?? []);
  if (decoded.length < sent.length) return { problem: `${name} must be percent-encoded UTF-8` };
  const [text = ""] = decoded;
  if (kind === "text" && text.includes("\0")) return { problem: `${name} must not contain NUL or lone surrogates` };
  const names = isList(kind) ? decoded.flatMap(namesIn) : [];
  const { rule, read } = kindAt(endpoint, kind);
  const value = read(text, names);
  if (value !== undefined) return { value };
  const shown = names.slice(0, 10).map((one) => (one === "" ? "an empty name" : shownName(one)));
  const whatWasSent = isList(kind) ? ` (sent: ${shown.join(", ") || "no name"})` : "";
  return { problem: `${name} ${rule}${whatWasSent}`, rule: `${name} ${rule}` };
}

const parameterOf = ({ parameters }: Endpoint, name: string): Parameter | undefined =>
  parameters.find((one) => one.name === name);

/** The names in a text: between commas, with or without blanks around them, or a JSON list. */
function namesIn(text: string): string[] {
  const names = jsonIn(text);
  if (Array.isArray(names) && names.every((name) => typeof name === "string")) return names;
  return text.split(",").map((name) => name.trim());
}

/** The parameters of a query. Some clients write a list as `include[]` or `include[0]`. */
function split(endpoint: Endpoint, query: string): Sent[] {
  const pairs = query.split("&").filter((pair) => pair !== "");
  return pairs.map((pair) => {
    const [text = "", ...values] = pair.split("=");
    const written = decode(text) ?? text;
    const [, list = ""] = /^(\w+)\[\d*\]$/.exec(written) ?? [];
    return { name: isList(parameterOf(endpoint, list)?.kind) ? list : written, raw: values.join("=") };
  });
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
