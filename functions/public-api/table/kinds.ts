// The schemas of parameters, for the OpenAPI document and for the tools of assistants.

import { lengths, maxNames, namesFor } from "../request/parameters.ts";
import type { Endpoint, ParameterKind } from "./types.ts";

/** JSON Schema 2020-12, as OpenAPI 3.1 holds it. */
export type Schema = { readonly [keyword: string]: unknown };

/** A text of so many characters. */
const text = ([minLength, maxLength]: readonly [number, number]): Schema => ({ type: "string", minLength, maxLength });

/** `since` and `until` are plain strings: they allow more than RFC 3339. */
const kinds: Record<Exclude<ParameterKind, "include" | "by">, Schema> = {
  limit: { type: "integer", minimum: 1, maximum: 1000, default: 100 },
  format: { type: "string", enum: ["json", "csv"], default: "json" },
  true: { type: "string", enum: ["true"] },
  uuid: { type: "string", format: "uuid" },
  text: text(lengths.text),
  email: text(lengths.email),
  place: { type: "string" },
  time_zone: { type: "string", default: "UTC", examples: ["Europe/Berlin"] },
  since: { type: "string" },
  until: { type: "string" },
  after: { type: "string", pattern: "^(start|[0-9a-f]{1,80})$", default: "start" },
};

/** The schema of a query parameter. `include` and `by` are arrays; a query has their names with commas between them. */
export function parameterSchema(kind: ParameterKind, endpoint: Endpoint): Schema {
  if (kind !== "include" && kind !== "by") return kinds[kind];
  const items = { type: "string", enum: namesFor(endpoint) };
  const more = endpoint.kind === "aggregates" ? { maxItems: maxNames(endpoint), default: ["month"] } : {};
  return { type: "array", minItems: 1, uniqueItems: true, ...more, items };
}
