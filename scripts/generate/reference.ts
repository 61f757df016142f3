// The parts of docs/api-reference.md and docs/api-errors.md, each between <!-- name --> and <!-- end -->: what repeats
// endpoints.ts, and the error texts that the tests hold.

import { changeColumns, endpoints, lists, steps } from "../../functions/public-api/table/endpoints.ts";
import { kindAt } from "../../functions/public-api/table/kinds.ts";
import { scopes } from "../../functions/public-api/table/scopes.ts";
import type {
  AggregatesEndpoint,
  Column,
  Endpoint,
  ListEndpoint,
  Parameter,
} from "../../functions/public-api/table/types.ts";
import { badImports } from "../../test/support/bad_imports.ts";
import { type BadRequests, badRequests } from "../../test/support/bad_requests.ts";
import { schemas } from "./openapi/schemas.ts";

export const referencePages = ["docs/api-reference.md", "docs/api-errors.md"];

const code = (text: string) => `\`${text}\``;
const questions = endpoints.filter((endpoint) => endpoint.kind === "aggregates");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => ` ${cell}`.trimEnd()).join(" |")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

/** Those that the tables name one by one: the changes of all lists are alike. */
const named = endpoints.filter(({ kind }) => kind !== "changes");

/** Every method and path, with its aliases and its scope. */
const endpointTable = (): string =>
  table(
    ["Method and path", "Alias", "Scope", "Returns"],
    [
      ...named.map(({ method, path, aliases, scope, summary }) => [
        code(`${method} ${path}`),
        aliases.map(code).join(", "),
        scope ? code(scope) : "any valid key",
        summary,
      ]),
      [
        "`GET /members/changes`, and the same for each list",
        "`/users/changes`, …",
        "the list's",
        "What has changed in it",
      ],
    ],
  );

/** Every scope, with the endpoints that it opens (also in the introduction of docs/openapi.json). */
export const scopeTable = (): string =>
  table(
    ["Scope", "Allows"],
    scopes.map(({ name, opens }) => {
      const opened = named.filter(({ scope }) => scope === name);
      return [code(name), `${opened.map(({ method, path }) => code(`${method} ${path}`)).join(", ")}: ${opens}`];
    }),
  );

/** A range in words; a bound that the schema does not have is not named. */
const range = (minimum: unknown, maximum: unknown): string =>
  minimum === undefined ? "" : `, ${minimum} ${maximum === undefined ? "or more" : `to ${maximum}`}`;

function valueWords(one: Parameter, endpoint: Endpoint): string {
  const { schema, words } = kindAt(endpoint, one.kind);
  const { type, minimum, maximum, format } = schema;
  const given = schema.default === undefined ? "" : `; default ${code(`${schema.default}`)}`;
  if (Array.isArray(schema.enum)) return `${schema.enum.map(code).join(" or ")}${given}`;
  if (type === "integer") return `integer${range(minimum, maximum)}${given}`;
  return words ?? (typeof format === "string" ? format : "text");
}

const groups: [name: string, endpoints: readonly Endpoint[]][] = [
  ["all", [...lists, ...questions]],
  ["every list", lists],
  ["both totals", questions],
];

/** Every parameter of lists and totals; a row for each meaning that it has. */
function parameterTable(): string {
  const taken = [...lists, ...questions].flatMap((endpoint) => endpoint.parameters.map((one) => ({ endpoint, one })));
  const alike = Map.groupBy(taken, ({ one }) => `${one.name}: ${one.description}`);
  const rows = [...alike.values()].flatMap((having) => {
    const [first] = having;
    if (!first) return [];
    const paths = having.map(({ endpoint }) => code(endpoint.path)).join(", ");
    const group = groups.find(([, of]) => of.map(({ path }) => code(path)).join(", ") === paths);
    return [[code(first.one.name), valueWords(first.one, first.endpoint), group?.[0] ?? paths, first.one.description]];
  });
  return table(["Parameter", "Value", "Of", "Meaning"], rows);
}

function typeOf({ type, nullable, minimum, maximum }: Column): string {
  if (type === "json") return "any JSON value";
  return `${type}${range(minimum, maximum)}${nullable ? " or null" : ""}`;
}

const field = (when: string) => (column: Column) => [
  code(column.name),
  typeOf(column),
  `${when && `With ${code(when)}. `}${column.description}`,
];

/** A list or a question: its path, scope and fields. */
function section(endpoint: ListEndpoint | AggregatesEndpoint, fields: readonly string[][]) {
  const { method, path, aliases, scope, description } = endpoint;
  const title = path.slice(1).replaceAll(/[-/]/g, " ");
  const alias = aliases.map((one) => `, alias ${code(one)}`).join("");
  return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}

${code(`${method} ${path}`)}${alias}. Scope ${code(`${scope}`)}. ${description}

${table(["Field", "Type", "Meaning"], fields)}`;
}

const listSections = (): string =>
  lists
    .map((list) => section(list, [...list.columns.map(field("")), ...list.included.map(field("include"))]))
    .join("\n");

/** The columns of a group; the steps of time are alike, and have one row. */
function groupRows({ by }: AggregatesEndpoint): string[][] {
  const times = by.filter(({ name }) => steps.includes(name)).map(({ name }) => code(name));
  const others = by.filter(({ name }) => !steps.includes(name));
  return [
    [
      times.join(", "),
      "date",
      "With `by=` of this name. The day, or the first day of the week (a Monday), month, quarter, or year.",
    ],
    ...others.flatMap(({ name, columns }) => columns.map(field(`by=${name}`))),
  ];
}

const questionSections = (): string =>
  questions
    .map((question) => section(question, [...groupRows(question), ...question.columns.map(field(""))]))
    .join("\n");

/** The fields of a row of an import. */
function rewardTable(): string {
  const { properties, required } = schemas().RewardRow as {
    properties: Record<string, Record<string, unknown>>;
    required: string[];
  };
  const rows = Object.entries(properties).map(
    ([name, { type, minLength, maxLength, minimum, maximum, description }]) => {
      const [kind = "", isNullable] = [type].flat() as string[];
      const length = maxLength === undefined ? "" : ` of ${minLength || "up"} to ${maxLength} characters`;
      const value = `${kind.replace("string", "text")}${length}${range(minimum, maximum)}${isNullable ? ", or null" : ""}`;
      return [code(name), required.includes(name) ? `${value}; required` : value, String(description)];
    },
  );
  return table(["Field", "Value", "Meaning"], rows);
}

/** Requests that are refused for nothing but their address. */
const badParameters = Object.fromEntries(
  Object.entries(badRequests).filter(([, all]) => all.every(({ headers, body }) => !headers && body === undefined)),
);

/** Error texts, each with what causes it: a group of refused requests of the tests says it in its name. */
function errorTable(groups: BadRequests): string {
  const causes = new Map<string, Set<string>>();
  for (const [name, requests] of Object.entries(groups)) {
    const [one] = requests.filter(({ status }) => status === 400);
    if (!one) continue;
    const text =
      one.error
        .replace(/ \(sent: .*/s, "")
        .replace(/which accepts .*/s, "which accepts …")
        .split("; ")[0] ?? "";
    causes.set(text, (causes.get(text) ?? new Set()).add(name));
  }
  const rows = [...causes].map(([text, names]) => [
    code(text),
    // A rule that only repeats the text is not said again.
    [...names].filter((name) => !text.endsWith(name)).join("; "),
  ]);
  return table(["Text", "The rule"], rows);
}

const reference = (): string => `${endpointTable()}
## Scopes

${scopeTable()}
## Parameters

${parameterTable()}
${listSections()}
## Changes

\`GET /members/changes\`, and the same for each list, takes \`limit\`, \`format\`, \`escape_formulas\`, the list's \`include\`, and
\`after\`: \`start\` (default) or a cursor. Its rows have the fields of the list, then:

${table(["Field", "Type", "Meaning"], changeColumns.map(field("")))}
${questionSections()}
## Reward import

\`POST /rewards\`. Scope \`write:rewards\`. Parameter: \`dry_run\`. If an optional field is absent, an update keeps its value.

${rewardTable()}`;

const errors = (): string => `## Parameters

${errorTable(badParameters)}
## Imports

${errorTable(badImports)}`;

/**
 * Writes the generated part into a page.
 * @throws Error when the page has a part that is not known
 */
export function withReference(markdown: string): string {
  const parts: Record<string, () => string> = { reference, errors };
  return markdown.replace(/^<!-- (?!end -->)(\w+) -->\n.*?^<!-- end -->$/gms, (_, name: string) => {
    const part = parts[name];
    if (!part) throw new Error(`<!-- ${name} --> must be one of ${Object.keys(parts).join(", ")}`);
    return `<!-- ${name} -->\n\n${part()}\n<!-- end -->`;
  });
}
