// docs/openapi.json as the reference shows it: references are followed, aliases stand at their operation, and Markdown
// is HTML.
import { Marked } from "marked";
import type { Contents, Operation } from "../src/reference/contents.ts";

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
  oneOf?: Schema[];
  anyOf?: Schema[];
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

const marked = new Marked();
const html = (text = ""): string => marked.parse(text, { async: false });

/** `integer from 1 to 1000, 100 by default` */
function typeOf({ type, format, minimum, maximum, items, anyOf, ...schema }: Schema): string {
  const named = schema.enum ?? items?.enum;
  const base = named
    ? `${items ? "one or more of " : ""}${named.join(items ? ", " : " or ")}`
    : [type ?? anyOf?.map(typeOf) ?? "any JSON value"].flat().join(" or ");
  const range =
    minimum === undefined ? "" : maximum === undefined ? ` of ${minimum} or more` : ` from ${minimum} to ${maximum}`;
  const preset = schema.default === undefined ? "" : `, ${schema.default} by default`;
  return `${base}${format ? ` (${format})` : ""}${range}${preset}`;
}

/** Each term, and what it means. */
const list = (terms: [term: string, meaning: string][]): string =>
  `<dl>${terms.map(([term, meaning]) => `<dt>${term}</dt><dd>${meaning}</dd>`).join("")}</dl>`;
const part = (title: string, terms: [term: string, meaning: string][]): string =>
  terms.length === 0 ? "" : `<h4>${title}</h4>${list(terms)}`;

const examplesOf = (content: Content): Operation["examples"] =>
  Object.entries(content).map(([type, { example }]) => ({
    format: type === "text/csv" ? "CSV" : "JSON",
    text: typeof example === "string" ? example : JSON.stringify(example, null, 2),
  }));

const answer = ([status, { description, headers, content }]: [string, Response]): [term: string, meaning: string] => [
  `<b>${status}</b>`,
  `${html(description)}${status === "200" ? "" : `<code>${examplesOf(content)[0]?.text}</code>`}
  <details><summary>Headers</summary>${Object.keys(headers).join(", ")}</details>`,
];

export function contentsOf({ info, tags, paths, components }: OpenApi, guides: Contents["guides"]): Contents {
  const followed = (schema: Schema): Schema =>
    schema.$ref ? (components.schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;

  const field = ({ name, description, schema = {}, optional }: Described): [term: string, meaning: string] => [
    `<b><code>${name}</code></b> ${typeOf(followed(schema))}${optional ? ", optional" : ""}`,
    html(description),
  ];

  /** The fields of an object, or of a row where the schema is of rows. */
  function fieldsOf(schema: Schema = {}): Described[] {
    const { properties = {}, items, oneOf, required = [] } = followed(schema);
    if (items ?? oneOf) return fieldsOf(items ?? oneOf?.[0]);
    return Object.entries(properties).map(([name, schema]) => {
      return { name, description: schema.description, schema, optional: !required.includes(name) };
    });
  }

  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
  );
  const aliasOf = ({ summary }: Method): string | undefined => /^Alias of (\S+)$/.exec(summary)?.[1];

  const operations = all
    .filter((each) => aliasOf(each) === undefined)
    .map(({ operationId, tags, method, path, summary, description, parameters = [], requestBody, responses }) => {
      const aliases = all.filter((other) => aliasOf(other) === path && other.method === method).map(({ path }) => path);
      const body = requestBody?.content["application/json"];
      const { content = {} } = responses["200"] ?? {};
      const fields = fieldsOf(content["application/json"]?.schema);
      const texts = [
        `<p><b>${summary}</b></p>${html(description)}`,
        ...aliases.map((alias) => `<p>Alias: <code>${alias}</code>, with the same parameters and the same answer.</p>`),
        part("Parameters", parameters.map(field)),
        part("Fields of a row of the body", fieldsOf(body?.schema.properties?.rewards).map(field)),
        part("Fields of the answer", fields.map(field)),
        part("Answers", Object.entries(responses).map(answer)),
      ];
      return {
        id: operationId,
        tag: tags[0] ?? "",
        method,
        path,
        html: texts.join(""),
        parameters: parameters.map(({ name, schema }) => ({ name, values: schema?.enum ?? [] })),
        body: body?.examples?.edited?.value ?? null,
        examples: examplesOf(content),
        found: [summary, ...aliases, ...[...parameters, ...fields].map(({ name }) => name)].join(" "),
      };
    });

  return {
    about: scrolling(html(info.description)),
    tags: tags.map(({ name, description }) => ({ name, html: html(description) })),
    operations,
    headers: list(Object.entries(components.headers).map(([name, header]) => field({ name, ...header }))),
    guides,
  };
}

/** Lets a table that is too wide scroll within the page, also by keyboard. */
export const scrolling = (page: string): string =>
  page
    .replaceAll("<table>", '<div class="scrolls" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>");
