import { z } from "zod";
import { rewardFields } from "../../../functions/public-api/import/reward_rows.ts";
import { changeColumns, endpoints } from "../../../functions/public-api/table/endpoints.ts";
import { isList, kindAt, type Schema } from "../../../functions/public-api/table/kinds.ts";
import { scopes } from "../../../functions/public-api/table/scopes.ts";
import type {
  AggregatesEndpoint,
  ChangesEndpoint,
  Column,
  ColumnType,
  Endpoint,
  ListEndpoint,
  Parameter,
} from "../../../functions/public-api/table/types.ts";

export type { Schema };

/** The endpoints of the document. Assistants ask `/mcp` itself what it has. */
export const operations = endpoints.filter((endpoint) => endpoint.kind !== "mcp");

/** A date-time in responses: UTC with microseconds. */
const instant = {
  type: "string",
  format: "date-time",
  pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{6}Z$",
};

const columnTypes: Record<ColumnType, Schema> = {
  uuid: { type: "string", format: "uuid" },
  text: { type: "string" },
  integer: { type: "integer", format: "int64" },
  number: { type: "number" },
  boolean: { type: "boolean" },
  date: { type: "string", format: "date" },
  "date-time": instant,
  json: {},
};

/** A query parameter. `include` and `by` take several names in one value, separated by commas. */
export function parameter({ name, kind, description }: Parameter, endpoint: Endpoint): Schema {
  const { schema } = kindAt(endpoint, kind);
  const form = isList(kind) ? { style: "form", explode: false } : {};
  return { name, in: "query", required: false, description, ...form, schema };
}

/** An object with these fields in this order, all of them required. */
function record(description: string, properties: Record<string, Schema>): Schema {
  return { type: "object", description, properties, required: Object.keys(properties) };
}

function columnSchema({ name, type, nullable, ...keywords }: Column): [string, Schema] {
  const base = columnTypes[type];
  const schema = nullable && base.type ? { ...base, type: [base.type, "null"] } : base;
  return [name, { ...schema, ...keywords }];
}

/** A row of a list, or of its changes. The columns that `include` adds are not required. */
function rowSchema({ kind, rows, columns, included }: ListEndpoint | ChangesEndpoint): [string, Schema] {
  const isOfChanges = kind === "changes";
  const ofRow = (column: Column): Column =>
    isOfChanges && column.name !== "id" ? { ...column, nullable: true } : column;
  const always = [...columns.map(ofRow), ...(isOfChanges ? changeColumns : [])];
  const properties = [...columns.map(ofRow), ...included.map(ofRow), ...(isOfChanges ? changeColumns : [])];
  return [
    rows.name,
    {
      ...record(rows.description, Object.fromEntries(properties.map(columnSchema))),
      required: always.map(({ name }) => name),
    },
  ];
}

/** A row of a question. Which of the columns of `by` and `include` it has depends on these. */
function groupSchema({ rows, by, columns, included }: AggregatesEndpoint): [string, Schema] {
  const always = record(rows.description, Object.fromEntries(columns.map(columnSchema)));
  const groups = Object.fromEntries(by.flatMap((group) => group.columns).map(columnSchema));
  const more = Object.fromEntries(included.map(columnSchema));
  return [rows.name, { ...always, properties: { ...groups, ...Object(always.properties), ...more } }];
}

/** A row of an import, made from the schema with which the function checks it. */
function rewardRow(): Schema {
  const { $schema, ...schema } = z.toJSONSchema(z.strictObject(rewardFields), {
    io: "input",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      // The patterns are only valid in JavaScript. minLength and maxLength say the same in every language.
      delete jsonSchema.pattern;
      delete jsonSchema.allOf;
      // Null is among the types, as in the columns: of `anyOf` generators for Java make a class that they do not write.
      const [one, other] = jsonSchema.anyOf ?? [];
      if (other?.type !== "null") return;
      delete jsonSchema.anyOf;
      Object.assign(jsonSchema, one, { type: [one?.type, "null"] });
    },
  });
  return { description: "A reward as another system knows it.", ...schema };
}

/** A number of rows of an import. */
const rowCount = { type: "integer", minimum: 0, maximum: 500 };

export const reference = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });

/** All schemas that the document names. */
export function schemas(): Record<string, Schema> {
  const listed = endpoints.filter((endpoint) => endpoint.kind === "list" || endpoint.kind === "changes");
  const endpoint = record("An endpoint of the API.", {
    method: { type: "string", description: "The HTTP method." },
    path: { type: "string", description: "The path, relative to the base address." },
    aliases: { type: "array", description: "Other paths of the same endpoint.", items: { type: "string" } },
    scope: { type: ["string", "null"], description: "The scope that it needs; null when any valid key will do." },
  });
  return {
    ...Object.fromEntries(listed.map(rowSchema)),
    ...Object.fromEntries(endpoints.filter((endpoint) => endpoint.kind === "aggregates").map(groupSchema)),
    RewardRow: rewardRow(),
    Imported: record("The result of an import.", {
      imported: {
        ...rowCount,
        description: "The number of rewards that were sent, including those that changed nothing; 0 for a dry run.",
      },
      created: { ...rowCount, description: "How many of them were new." },
      updated: { ...rowCount, description: "How many of them were there, and changed." },
      unchanged: { ...rowCount, description: "How many of them were there just so." },
    }),
    KeyCheck: record("A key, and what it allows.", {
      version: { type: "string", description: "The version of the API.", pattern: "^\\d+\\.\\d+\\.\\d+$" },
      company_name: { type: "string", description: "The company to whose data the key gives access." },
      key_name: { type: "string", description: "The name that the key was given." },
      scopes: {
        type: "array",
        description: `What the key may do: ${scopes.map(({ name }) => `\`${name}\``).join(", ")}; others may follow.`,
        items: { type: "string" },
      },
      endpoints: { type: "array", description: "All endpoints of the API.", items: reference("Endpoint") },
      expires_at: { ...instant, type: ["string", "null"], description: "When the key expires; null when it does not." },
      company_id: {
        type: "string",
        format: "uuid",
        description:
          "The id of the company. It never changes; two companies may have the same name, and a name may change.",
      },
    }),
    Endpoint: endpoint,
    Error: record("Every error of the API.", { error: { type: "string", description: "What is wrong, in English." } }),
  };
}
