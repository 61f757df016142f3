// The Postman collection of the API (docs/connect/other-tools.md), made from endpoints.ts. It has every optional
// parameter, disabled, but for dry_run: "Run collection" must not write to the real catalogue.

import { version } from "../../../functions/public-api/table/endpoints.ts";
import type { ParameterKind } from "../../../functions/public-api/table/kinds.ts";
import type { Endpoint, Parameter } from "../../../functions/public-api/table/types.ts";
import { operations } from "./schemas.ts";

/** A valid value for a parameter of each kind. */
const values: Partial<Record<ParameterKind, string>> = {
  limit: "1000",
  format: "csv",
  true: "true",
  since: "2026-01-01",
  until: "2026-12-31",
  after: "start",
  by: "month",
  time_zone: "Europe/Berlin",
};

const query = ({ name, kind, description }: Parameter) => ({
  key: name,
  value: values[kind] ?? "",
  description,
  disabled: name !== "dry_run",
});

const rewards = { rewards: [{ external_id: "sku-1", name: "Coffee", points_cost: 150 }] };

function request({ method, path, parameters, description, kind }: Endpoint) {
  const segments = path.split("/").filter((segment) => segment !== "");
  const body = {
    mode: "raw",
    raw: JSON.stringify(rewards, null, 2),
    options: { raw: { language: "json" } },
  };
  return {
    method,
    description,
    url: {
      raw: `${["{{base_url}}", ...segments].join("/")}${kind === "import" ? "?dry_run=true" : ""}`,
      host: ["{{base_url}}"],
      path: segments,
      query: parameters.map(query),
    },
    ...(kind === "import" && { header: [{ key: "Content-Type", value: "application/json" }], body }),
  };
}

const item = (endpoint: Endpoint) => ({ name: endpoint.summary, request: request(endpoint) });

/**
 * The collection, as Postman imports it (format 2.1). Address and key are variables; the key has no value in the file.
 */
export function postmanCollection(): object {
  return {
    info: {
      name: "Public data API",
      description: `Version ${version}. Set the variables base_url and api_key of the collection, or of an environment.`,
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    auth: {
      type: "apikey",
      apikey: [
        { key: "key", value: "X-API-Key" },
        { key: "value", value: "{{api_key}}" },
        { key: "in", value: "header" },
      ],
    },
    variable: [
      { key: "base_url", value: "https://<project>.supabase.co/functions/v1/public-api" },
      { key: "api_key", value: "" },
    ],
    item: operations.map(item),
  };
}
