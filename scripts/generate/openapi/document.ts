// The OpenAPI 3.1 document of the API, built from endpoints.ts, the fields of imported rows, words.ts and real
// examples.

import { exposedHeaders } from "../../../functions/public-api/answers/responses.ts";
import { maxGroups, version } from "../../../functions/public-api/table/endpoints.ts";
import type { Endpoint } from "../../../functions/public-api/table/types.ts";
import { scopeTable } from "../reference.ts";
import { type Examples, errorText, unedited } from "./examples.ts";
import { operations, parameter, reference, type Schema, schemas } from "./schemas.ts";
import { type ErrorStatus, errorWords, introduction, tags } from "./words.ts";

const text = (description: string, constant?: string): Schema => ({
  description,
  required: true,
  schema: constant === undefined ? { type: "string" } : { type: "string", const: constant },
});

const everywhere = {
  "X-Request-Id": {
    description: "The ID of the request. Quote it when you ask for help.",
    required: true,
    schema: { type: "string", format: "uuid" },
  },
  "Cache-Control": text("Responses must not be stored.", "private, no-store"),
  "X-Content-Type-Options": text("The content type must not be guessed.", "nosniff"),
  "Access-Control-Allow-Origin": text("Any web page may call the API.", "*"),
  "Access-Control-Expose-Headers": text("What a web page may read.", exposedHeaders),
};

const headers: Record<string, Schema> = {
  ...everywhere,
  "X-Has-More": {
    description: "Whether there are more rows than `limit`.",
    required: true,
    schema: { type: "string", enum: ["true", "false"] },
  },
  Link: {
    description: 'When there are more rows: the whole address of the next page, with `rel="next"`.',
    schema: { type: "string", pattern: '^<https?://[^<>" ]+>; rel="next"$' },
  },
  "X-Changes-Until": {
    description:
      "All that was committed before this moment is in this page, in earlier ones, or in those that follow it now. Absent if unknown, as at a read replica.",
    schema: { type: "string", format: "date-time" },
  },
  "Content-Disposition": {
    description: "With `format=csv`: the file's name, such as `members.csv`.",
    schema: { type: "string", pattern: '^attachment; filename="[a-z-]+\\.csv"$' },
  },
  "WWW-Authenticate": text("How a key may be sent.", "Bearer"),
  "Retry-After": text("Seconds after which to try again.", "1"),
};

const headerReferences = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const securitySchemes: Record<string, Schema> = {
  ApiKey: {
    type: "apiKey",
    in: "header",
    name: "X-API-Key",
    description: "`sk_live_…`. If a request has this header, the others are ignored.",
  },
  Bearer: { type: "http", scheme: "bearer", description: "`Authorization: Bearer sk_live_…`." },
  Basic: {
    type: "http",
    scheme: "basic",
    description:
      "For tools that only keep a user name and a password, such as Excel and Power BI: the key is either of the two, and the other is ignored.",
  },
};

function errorResponse(endpoint: Endpoint, status: ErrorStatus): Schema {
  const names = [
    ...Object.keys(everywhere),
    ...(status === "401" ? ["WWW-Authenticate"] : []),
    ...(status === "429" ? ["Retry-After"] : []),
  ];
  const scope = status === "403" ? ` (\`${endpoint.scope}\`)` : "";
  return {
    description: errorWords[status].replace(/\.$/, `${scope}.`),
    headers: headerReferences(names),
    content: { "application/json": { schema: reference("Error"), example: { error: errorText(endpoint, status) } } },
  };
}

const descriptions = {
  list: "The rows, newest first.",
  changes: "The changes, oldest first.",
  aggregates: "The groups, the newest time first, then the largest, then by id.",
};

function goodResponse(endpoint: Endpoint, { json, csv }: Examples[string]): Schema {
  if (!("rows" in endpoint)) {
    const isImport = endpoint.kind === "import";
    const schema = reference(isImport ? "Imported" : "KeyCheck");
    return {
      description: isImport ? "All rows were written." : "The key is good.",
      headers: headerReferences(Object.keys(everywhere)),
      content: { "application/json": { schema, example: json } },
    };
  }
  const isPage = endpoint.kind !== "aggregates";
  const schema = { type: "array", maxItems: isPage ? 1000 : maxGroups, items: reference(endpoint.rows.name) };
  return {
    description: descriptions[endpoint.kind],
    headers: headerReferences([
      ...Object.keys(everywhere),
      "X-Has-More",
      ...(isPage ? ["Link"] : []),
      ...(endpoint.kind === "changes" ? ["X-Changes-Until"] : []),
      "Content-Disposition",
    ]),
    content: {
      "application/json": { schema, example: json },
      "text/csv": {
        schema: {
          type: "string",
          description:
            "The same rows after RFC 4180, in UTF-8: a header with the field names, every line ended by CRLF, null as an empty cell.",
        },
        example: csv,
      },
    },
  };
}

/**
 * One of the three forms of a body, an object: hosts of MCP servers refuse a server that has a tool with any other input,
 * or with alternatives.
 */
const rewards: Schema = {
  description: "Rewards. The API also takes an array of rewards, or one reward, in place of this object.",
  type: "object",
  properties: { rewards: { type: "array", minItems: 1, maxItems: 500, items: reference("RewardRow") } },
  required: ["rewards"],
  additionalProperties: false,
};

/** Assistants and many tools see no headers. */
const nextPage: Record<string, string> = {
  starting_after:
    "A full page (as many rows as `limit`) means that there may be more: ask again with the last row's time and ID, joined by `_`, as `starting_after`, until a page is shorter.",
  after:
    "There may be more behind every page that has rows: ask again with the last row's `cursor` as `after`, until a page has none.",
};

/** The group of an endpoint: of `read:members` it is `Members`. */
const tagOf = (scope: string | null): string =>
  (scope?.split(":")[1] ?? "key").replace(/^./, (first) => first.toUpperCase());

/** The name of an operation in camel case, such as `listMembers`. */
export const operationIdOf = (operation: string): string =>
  operation.replace(/_(.)/g, (_, first) => first.toUpperCase());

function operation(endpoint: Endpoint, examples: Examples[string], alias: string | null): Schema {
  const { kind, scope, summary, description, parameters } = endpoint;
  const statuses: ErrorStatus[] = [
    "400",
    "401",
    ...(scope ? (["403"] as const) : []),
    ...(kind === "import" ? (["408", "415"] as const) : []),
    ...(kind === "changes" ? (["410"] as const) : []),
    "429",
    "500",
  ];
  return {
    tags: [tagOf(scope)],
    operationId: operationIdOf(endpoint.operation + (alias ? `_as${alias.replaceAll("/", "_")}` : "")),
    summary: alias ? `Alias of ${endpoint.path}` : summary,
    description: [
      description,
      ...parameters.flatMap(({ name }) => nextPage[name] ?? []),
      ...(scope ? [`Needs the scope \`${scope}\`.`] : []),
    ].join(" "),
    // Linters and generators know scopes of OAuth only, so ours is in an extension, and `security` is global.
    ...(scope && { "x-scope": scope }),
    // Generators of MCP servers leave the operation out: an assistant needs no second tool that does the same.
    ...(alias && { "x-mcp": false }),
    ...(parameters.length > 0 && {
      parameters: parameters.map((one) => parameter(one, endpoint)),
    }),
    ...(kind === "import" && {
      requestBody: {
        required: true,
        content: {
          "application/json": {
            schema: rewards,
            // Programs that import the document send the first one when all requests are run.
            examples: {
              unedited: { summary: "Refused, and nothing is written, until the ids are your own", value: unedited },
              edited: { summary: "Two rewards", value: examples.request },
            },
          },
        },
      },
    }),
    responses: {
      "200": goodResponse(endpoint, examples),
      ...Object.fromEntries(statuses.map((status) => [status, errorResponse(endpoint, status)])),
    },
  };
}

/**
 * Builds the document.
 * @param examples real responses for the demo company
 * @throws Error when an endpoint has no example
 */
export function openApiDocument(examples: Examples): Schema {
  const paths: Record<string, Record<string, Schema>> = {};
  for (const endpoint of operations) {
    const name = `${endpoint.method} ${endpoint.path}`;
    const real = examples[name];
    if (!real)
      throw new Error(
        `scripts/generate/openapi/examples.json has no example of ${name}: npm run generate -- --examples`,
      );
    for (const path of [endpoint.path, ...endpoint.aliases]) {
      const alias = path === endpoint.path ? null : path;
      paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint, real, alias) };
    }
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "Public data API",
      version,
      contact: { name: "The admin of your company who made the key" },
      license: { name: "All rights reserved", identifier: "LicenseRef-Proprietary" },
      description: `${introduction}\n\n## Scopes\n\n${scopeTable().trimEnd()}`,
    },
    servers: [
      {
        url: "https://{project}.supabase.co/functions/v1/public-api",
        description: "The base address: the project's own.",
        variables: { project: { default: "your-project" } },
      },
    ],
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    paths,
    components: { schemas: schemas(), headers, securitySchemes },
  };
}
