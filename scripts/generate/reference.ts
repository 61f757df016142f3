// The parts of README.md and docs/api.md that repeat endpoints.ts, each between <!-- name --> and <!-- end -->.
import type { Column, Endpoint, ListEndpoint, Parameter } from "../../functions/public-api/endpoint_types.ts";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { scopes } from "../../functions/public-api/scopes.ts";
import type { Examples } from "./openapi/examples.ts";
import { parameter } from "./openapi/schemas.ts";

const code = (text: string) => `\`${text}\``;
const lists = endpoints.filter((endpoint) => endpoint.kind === "list");

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `|${cells.map((cell) => ` ${cell}`.trimEnd()).join(" |")} |\n`;
  return `${line(head)}|${"---|".repeat(head.length)}\n${rows.map(line).join("")}`;
}

/** Every method and path, with its aliases and its scope. */
const endpointTable = (): string =>
  table(
    ["Method and path", "Alias", "Scope", "What it answers"],
    endpoints.map(({ method, path, aliases, scope, summary }) => [
      code(`${method} ${path}`),
      aliases.map(code).join(", "),
      scope ? code(scope) : "any valid key",
      summary,
    ]),
  );

/** Every scope, with the endpoints that it opens (also in the introduction of docs/openapi.json). */
export const scopeTable = (): string =>
  table(
    ["Scope", "Allows"],
    scopes.map(({ name, opens }) => {
      const opened = endpoints.filter(({ scope }) => scope === name);
      return [code(name), `${opened.map(({ method, path }) => code(`${method} ${path}`)).join(", ")}: ${opens}`];
    }),
  );

/** Words for the values that JSON Schema has no word for. */
const kinds: Partial<Record<Parameter["kind"], string>> = {
  since: "date-time",
  until: "date-time",
  include: "names of columns, with commas between them",
};

function valueWords(one: Parameter, endpoint: Endpoint): string {
  const { schema } = parameter(one, endpoint) as { schema: Record<string, unknown> };
  const { type, minimum, maximum, format } = schema;
  const given = schema.default === undefined ? "" : `; ${schema.default} when it is absent`;
  if (Array.isArray(schema.enum)) return `${schema.enum.map(code).join(" or ")}${given}`;
  if (type === "integer") return `integer, ${minimum} to ${maximum}${given}`;
  return kinds[one.kind] ?? (typeof format === "string" ? format : "text");
}

/** Every parameter of lists, once. */
function parameterTable(): string {
  const names = [...new Set(lists.flatMap(({ parameters }) => parameters.map(({ name }) => name)))];
  const rows = names.flatMap((name) => {
    const having = lists.filter(({ parameters }) => parameters.some((one) => one.name === name));
    const [first] = having;
    const one = first?.parameters.find((one) => one.name === name);
    if (!first || !one) return [];
    const where = having.length === lists.length ? "every list" : having.map(({ path }) => code(path)).join(", ");
    return [[code(name), valueWords(one, first), where, one.description]];
  });
  return table(["Parameter", "Value", "Lists", ""], rows);
}

function typeOf({ type, nullable, minimum, maximum }: Column): string {
  const range = minimum === undefined ? "" : `, ${minimum} to ${maximum}`;
  if (type === "json") return "any JSON value";
  return `${type}${range}${nullable ? " or null" : ""}`;
}

/** A list: its parameters, its fields, and a request with its answer. */
function listSection(endpoint: ListEndpoint, examples: Examples): string {
  const { method, path, aliases, scope, description, parameters, columns, included } = endpoint;
  const title = path.slice(1).replaceAll("-", " ");
  const alias = aliases.map((one) => `, alias ${code(one)}`).join("");
  const fields = [
    ...columns.map((column) => [code(column.name), typeOf(column), column.description]),
    ...included.map((column) => [code(column.name), typeOf(column), `With ${code("include")}. ${column.description}`]),
  ];
  const answer = JSON.stringify(examples[`${method} ${path}`]?.json, null, 2);
  return `## ${title.charAt(0).toUpperCase()}${title.slice(1)}

${code(`${method} ${path}`)}${alias}. Scope ${code(`${scope}`)}. ${description}

Parameters: ${parameters.map(({ name }) => code(name)).join(", ")}.

${table(["Field", "Type", ""], fields)}
\`\`\`sh
curl "$API${path}?limit=2" -H "X-API-Key: $KEY"
\`\`\`

\`\`\`json
${answer}
\`\`\`
`;
}

/**
 * Writes the generated parts into a page.
 * @throws Error when the page has a part that is not known
 */
export function withReference(markdown: string, examples: Examples): string {
  const parts: Record<string, () => string> = {
    endpoints: endpointTable,
    scopes: scopeTable,
    parameters: parameterTable,
    lists: () => lists.map((endpoint) => listSection(endpoint, examples)).join("\n"),
  };
  return markdown.replace(/^<!-- (?!end)(\w+) -->\n.*?^<!-- end -->$/gms, (_, name: string) => {
    const part = parts[name];
    if (!part) throw new Error(`<!-- ${name} --> must be one of ${Object.keys(parts).join(", ")}`);
    return `<!-- ${name} -->\n\n${part()}\n<!-- end -->`;
  });
}
