// docs/openapi.json as the reference shows it: references are followed, aliases stand at their operation, and Markdown
// is HTML.
import { Marked, type RendererObject } from "marked";
import type { Found } from "../src/reference/search.ts";

/** A parameter, a field or a header: its name, the words for its type, and what it means, as HTML and as Markdown. */
export type Term = { name: string; type: string; html: string; markdown: string };
type Example = { format: string; text: string };

/** The whole reference. `html` and `about` are HTML of Markdown. */
export type Article = ReturnType<typeof articleOf>;
export type Operation = Article["operations"][number];

type Schema = {
  $ref?: string;
  type?: string | string[];
  format?: string;
  description?: string;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  default?: unknown;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};
type Content = Record<string, { schema: Schema; example?: unknown; examples?: Record<string, { value: unknown }> }>;
/** A parameter, a field or a header. */
type Described = { name: string; description?: string | undefined; schema?: Schema; optional?: boolean };
type Response = { description: string; headers: object; content: Content };
type Method = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: Described[];
  requestBody?: { content: Content };
  responses: Record<string, Response>;
};
type OpenApi = {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Method>>;
  components: { schemas: Record<string, Schema>; headers: Record<string, Omit<Described, "name">> };
};

/** The fragment of a heading, made as code hosts make it. */
export const slug = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");

/** A heading, with its fragment. */
export const heading: NonNullable<RendererObject["heading"]> = function ({ tokens, depth, text }) {
  return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
};

/** Markdown as plain text, with a dot between the cells of a table. */
export const plain = (text: string): string =>
  text
    .replaceAll(/\[([^\]]+)\]\([^()\s]+\)/g, "$1")
    .replaceAll(/^ *(?:-|\d+\.) /gm, "")
    .replaceAll(/\s*\|[|\s-]*/g, " · ")
    .replaceAll(/[`*]/g, "")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/^[ ·]+|[ ·]+$/g, "");

const marked = new Marked({ renderer: { heading } });
const html = (text = ""): string => marked.parse(text, { async: false });

/** `integer from 1 to 1000, 100 by default` or `string (uuid) or null` */
function typeOf({ type = "any JSON value", format, minimum, maximum, items, ...schema }: Schema): string {
  const types = [type].flat();
  const named = schema.enum ?? items?.enum;
  const base = named
    ? `${items ? "one or more of " : ""}${named.join(items ? ", " : " or ")}`
    : types.filter((one) => one !== "null").join(" or ");
  const range =
    minimum === undefined ? "" : maximum === undefined ? ` of ${minimum} or more` : ` from ${minimum} to ${maximum}`;
  const preset = schema.default === undefined ? "" : `, ${schema.default} by default`;
  return `${base}${format ? ` (${format})` : ""}${range}${types.includes("null") ? " or null" : ""}${preset}`;
}

const examplesOf = (content: Content): Example[] =>
  Object.entries(content).map(([type, { example }]) => ({
    format: type === "text/csv" ? "CSV" : "JSON",
    text: typeof example === "string" ? example : JSON.stringify(example, null, 2),
  }));

/** Each endpoint, and behind it the endpoint of its changes, if there is one. */
export const withTheirChanges = <Endpoint extends { method: string; path: string }>(all: Endpoint[]): Endpoint[][] => [
  ...Map.groupBy(all, ({ method, path }) => `${method} ${path.replace(/.changes$/, "")}`).values(),
];

export function articleOf({ info, tags, paths, components }: OpenApi) {
  const followed = (schema: Schema): Schema =>
    schema.$ref ? (components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;

  const term = ({ name, description, schema = {}, optional }: Described): Term => ({
    name,
    type: `${typeOf(followed(schema))}${optional ? ", optional" : ""}`,
    html: html(description),
    markdown: description ?? "",
  });

  /** The fields of an object, or of a row where the schema is of rows. */
  function fieldsOf(schema: Schema = {}): Term[] {
    const { properties = {}, items, required = [] } = followed(schema);
    if (items) return fieldsOf(items);
    return Object.entries(properties).map(([name, schema]) =>
      term({ name, description: schema.description, schema, optional: !required.includes(name) }),
    );
  }

  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const aliasOf = ({ summary }: Method): string | undefined => /^Alias of (\S+)$/.exec(summary)?.[1];

  const named = all.filter((each) => aliasOf(each) === undefined);
  const operations = withTheirChanges(named)
    .flat()
    .map(({ operationId, tags, method, path, summary, description, parameters = [], requestBody, responses }) => {
      const body = requestBody?.content["application/json"];
      const { content = {} } = responses["200"] ?? {};
      return {
        id: operationId,
        tag: tags[0] ?? "",
        method,
        path,
        summary,
        html: html(description),
        markdown: description,
        aliases: all.filter((other) => aliasOf(other) === path && other.method === method).map(({ path }) => path),
        groups: [
          { title: "Parameters", id: "parameter", terms: parameters.map(term) },
          { title: "Fields of a row of the body", id: "body", terms: fieldsOf(body?.schema.properties?.rewards) },
          { title: "Fields of the answer", id: "field", terms: fieldsOf(content["application/json"]?.schema) },
        ].filter(({ terms }) => terms.length > 0),
        answers: Object.entries(responses).map(([status, { description, headers, content }]) => ({
          status,
          html: html(description),
          example: status === "200" ? null : (examplesOf(content)[0]?.text ?? null),
          headers: Object.keys(headers),
        })),
        // `values`: those that a parameter may have, if it is one of a few.
        parameters: parameters.map(({ name, schema }) => ({ name, values: schema?.enum ?? [] })),
        // An example; null if there is no body.
        body: body?.examples?.edited?.value ?? null,
        examples: examplesOf(content),
      };
    });

  const [about, ...details] = info.description.split(/^(?=## )/m);
  return {
    about: html(about),
    details: scrolling(html(details.join(""))),
    tags: tags.map(({ name, description }) => ({ name, html: html(description) })),
    operations,
    headers: Object.entries(components.headers).map(([name, header]) => term({ name, ...header })),
  };
}

/** What the search finds of the article: the operations, by all their names and words. */
export const foundIn = ({ operations }: Article): Found[] =>
  operations.map(({ id, method, path, summary, markdown, aliases, groups }) => {
    const terms = groups.flatMap(({ id, terms }) =>
      // What a parameter means is the same for most lists, and in the guide.
      terms.map(({ name, markdown }) => (id === "parameter" ? name : `${name}: ${markdown}`)),
    );
    const text = plain([markdown, ...aliases, ...terms].join(" "));
    return { href: `/reference/#${id}`, title: `${method} ${path}`, where: summary, text };
  });

/** Lets a table that is too wide scroll within the page, also by keyboard. */
export const scrolling = (page: string): string =>
  page
    .replaceAll("<table>", '<div class="scrolls" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>");
