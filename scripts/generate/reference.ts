// The parts of README.md and docs/api.md that repeat endpoints.ts, each between <!-- name --> and <!-- end -->.
import type {
  Column,
  Endpoint,
  GroupsEndpoint,
  ListEndpoint,
  Parameter,
} from "../../functions/public-api/endpoint_types.ts";
import { endpoints, lists } from "../../functions/public-api/endpoints.ts";
import { scopes } from "../../functions/public-api/scopes.ts";
import { type Examples, exampleQueries } from "./openapi/examples.ts";
import { parameter } from "./openapi/schemas.ts";

const code = (text: string) => `\`${text}\``;
const questions = endpoints.filter((endpoint) => endpoint.kind === "groups");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => ` ${cell}`.trimEnd()).join(" |")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

/** Those that the tables name one by one: the changes of all lists are alike. */
const named = endpoints.filter(({ kind }) => kind !== "changes");

/** Every method and path, with its aliases and its scope. */
const endpointTable = (): string =>
  table(
    ["Method and path", "Alias", "Scope", "What it answers"],
    [
      ...named.map(({ method, path, aliases, scope, summary }) => [
        code(`${method} ${path}`),
        aliases.map(code).join(", "),
        scope ? code(scope) : "any valid key",
        summary,
      ]),
      ["`GET /members/changes`, and so for every list", "`/users/changes`, …", "the list's", "What has changed in it"],
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

/** Words for the values that JSON Schema has no word for. */
const kinds: Partial<Record<Parameter["kind"], string>> = {
  since: "date-time",
  until: "date-time",
  include: "names of columns, with commas between them",
  by: "names, with commas between them; `month` when it is absent",
};

function valueWords(one: Parameter, endpoint: Endpoint): string {
  const { schema } = parameter(one, endpoint) as { schema: Record<string, unknown> };
  const { type, minimum, maximum, format } = schema;
  const given = schema.default === undefined ? "" : `; ${schema.default} when it is absent`;
  if (Array.isArray(schema.enum)) return `${schema.enum.map(code).join(" or ")}${given}`;
  if (type === "integer") return `integer, ${minimum} to ${maximum}${given}`;
  return kinds[one.kind] ?? (typeof format === "string" ? format : "text");
}

/** Every parameter of these endpoints, once. */
function parameterTable(title: string, all: string, of: readonly Endpoint[]): string {
  const names = [...new Set(of.flatMap(({ parameters }) => parameters.map(({ name }) => name)))];
  const rows = names.flatMap((name) => {
    const having = of.filter(({ parameters }) => parameters.some((one) => one.name === name));
    const [first] = having;
    const one = first?.parameters.find((one) => one.name === name);
    if (!first || !one) return [];
    const where = having.length === of.length ? all : having.map(({ path }) => code(path)).join(", ");
    const words = [...new Set(having.flatMap(({ parameters }) => parameters.filter((other) => other.name === name)))];
    return [
      [code(name), valueWords(one, first), where, [...new Set(words.map(({ description }) => description))].join(" ")],
    ];
  });
  return table(["Parameter", "Value", title, "Meaning"], rows);
}

function typeOf({ type, nullable, minimum, maximum }: Column): string {
  const range = minimum === undefined ? "" : `, ${minimum} to ${maximum}`;
  if (type === "json") return "any JSON value";
  return `${type}${range}${nullable ? " or null" : ""}`;
}

const field = (when: string) => (column: Column) => [
  code(column.name),
  typeOf(column),
  `${when && `With ${code(when)}. `}${column.description}`,
];

/** A list or a question: its parameters, its fields, and a request with its answer. */
function section(
  endpoint: ListEndpoint | GroupsEndpoint,
  fields: readonly string[][],
  query: string,
  examples: Examples,
) {
  const { method, path, aliases, scope, description, parameters } = endpoint;
  const title = path.slice(1).replaceAll(/[-/]/g, " ");
  const alias = aliases.map((one) => `, alias ${code(one)}`).join("");
  const answer = JSON.stringify(examples[`${method} ${path}`]?.json, null, 2);
  return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}

${code(`${method} ${path}`)}${alias}. Scope ${code(`${scope}`)}. ${description}

Parameters: ${parameters.map(({ name }) => code(name)).join(", ")}.

${table(["Field", "Type", "Meaning"], fields)}
\`\`\`sh
curl "$API${path}${query}" -H "X-API-Key: $KEY"
\`\`\`

\`\`\`json
${answer}
\`\`\`
`;
}

const listSections = (examples: Examples): string =>
  lists
    .map((list) => {
      const fields = [...list.columns.map(field("")), ...list.included.map(field("include"))];
      return section(list, fields, exampleQueries.list, examples);
    })
    .join("\n");

const questionSections = (examples: Examples): string =>
  questions
    .map((question) => {
      const groups = question.by.flatMap(({ name, columns }) => columns.map(field(`by=${name}`)));
      return section(question, [...groups, ...question.columns.map(field(""))], exampleQueries.groups, examples);
    })
    .join("\n");

/**
 * Writes the generated parts into a page.
 * @throws Error when the page has a part that is not known
 */
export function withReference(markdown: string, examples: Examples): string {
  const parts: Record<string, () => string> = {
    endpoints: endpointTable,
    scopes: scopeTable,
    parameters: () => parameterTable("Lists", "every list", lists),
    lists: () => listSections(examples),
    questionParameters: () => parameterTable("Questions", "both", questions),
    questions: () => questionSections(examples),
  };
  return markdown.replace(/^<!-- (?!end -->)(\w+) -->\n.*?^<!-- end -->$/gms, (_, name: string) => {
    const part = parts[name];
    if (!part) throw new Error(`<!-- ${name} --> must be one of ${Object.keys(parts).join(", ")}`);
    return `<!-- ${name} -->\n\n${part()}\n<!-- end -->`;
  });
}
