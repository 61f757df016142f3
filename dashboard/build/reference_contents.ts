// docs/openapi.json as the reference shows it: references are followed, aliases stand at their operation, and Markdown
// is HTML.
import { Marked } from "marked";
import type { Contents, Field, Operation, Parameter } from "../src/reference/contents.ts";

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
  properties?: Record<string, Schema>;
  required?: string[];
};
type Content = Record<string, { schema: Schema; example?: unknown }>;
type Described = { $ref?: string; description?: string; schema?: Schema };
type Method = {
  operationId: string;
  summary: string;
  description: string;
  tags: string[];
  parameters?: { name: string; description: string; required: boolean; schema: Schema }[];
  requestBody?: { content: Content };
  responses: Record<string, { description: string; headers: Record<string, Described>; content: Content }>;
};
export type OpenApi = {
  info: { description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Method>>;
  components: { schemas: Record<string, Schema>; headers: Record<string, Described> };
};

const marked = new Marked();
const html = (text = ""): string => marked.parse(text, { async: false });

/** `integer from 1 to 1000, 100 by default` */
function typeOf({ type, format, minimum, maximum, items, ...schema }: Schema): string {
  const named = schema.enum ?? items?.enum;
  const base = named
    ? `${items ? "one or more of " : ""}${named.join(items ? ", " : " or ")}`
    : [type ?? "any JSON value"].flat().join(" or ");
  const range =
    minimum === undefined ? "" : maximum === undefined ? ` of ${minimum} or more` : ` from ${minimum} to ${maximum}`;
  const preset = schema.default === undefined ? "" : `, ${schema.default} by default`;
  return `${base}${format ? ` (${format})` : ""}${range}${preset}`;
}

export function contentsOf(document: OpenApi, guides: Contents["guides"]): Contents {
  const { schemas } = document.components;
  const followed = (schema: Schema): Schema =>
    schema.$ref ? (schemas[schema.$ref.split("/").at(-1) ?? ""] ?? {}) : schema;

  /** The fields of an object, or of a row where the schema is of rows. */
  function fieldsOf(schema: Schema | undefined): Field[] {
    if (schema === undefined) return [];
    const { properties, items, oneOf, required } = followed(schema);
    if (items) return fieldsOf(items);
    if (oneOf) return fieldsOf(oneOf[0]);
    return Object.entries(properties ?? {}).map(([name, property]) => {
      const type = typeOf(followed(property));
      return { name, type: required?.includes(name) ? type : `${type}, optional`, html: html(property.description) };
    });
  }

  const parameterOf = ({ name, description, schema }: NonNullable<Method["parameters"]>[number]): Parameter => ({
    name,
    type: typeOf(schema),
    html: html(description),
    values: schema.enum ?? [],
  });

  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  );
  const aliasOf = ({ summary }: Method): string | undefined => /^Alias of (\S+)$/.exec(summary)?.[1];

  const operations = all
    .filter((operation) => aliasOf(operation) === undefined)
    .map(({ path, method, ...operation }): Operation => {
      const body = operation.requestBody?.content["application/json"];
      const answered = operation.responses["200"]?.content["application/json"];
      return {
        id: operation.operationId,
        tag: operation.tags[0] ?? "",
        method: method.toUpperCase(),
        path,
        aliases: all.filter((other) => aliasOf(other) === path && other.method === method).map((other) => other.path),
        summary: operation.summary,
        html: html(operation.description),
        parameters: (operation.parameters ?? []).map(parameterOf),
        body: body ? { fields: fieldsOf(body.schema), example: body.example } : null,
        fields: fieldsOf(answered?.schema),
        responses: Object.entries(operation.responses).map(([status, response]) => ({
          status,
          html: html(response.description),
          headers: Object.keys(response.headers),
          examples: Object.entries(response.content).map(([format, { example }]) => ({
            format: format === "text/csv" ? "CSV" : "JSON",
            text: typeof example === "string" ? example : JSON.stringify(example, null, 2),
          })),
        })),
      };
    });

  const headers = Object.entries(document.components.headers).map(([name, { description, schema }]) => ({
    name,
    type: typeOf(schema ?? {}),
    html: html(description),
  }));
  const tags = document.tags.map(({ name, description }) => ({ name, html: html(description) }));
  return { about: scrolling(html(document.info.description)), tags, operations, headers, guides };
}

/** Lets a table that is too wide scroll within the page, also by keyboard. */
export const scrolling = (page: string): string =>
  page
    .replaceAll("<table>", '<div class="scrolls" tabindex="0" role="group" aria-label="Table"><table>')
    .replaceAll("</table>", "</table></div>");
