import { type ApiError, unauthorized } from "../../../functions/public-api/answers/errors.ts";
import { readRewards } from "../../../functions/public-api/import/rewards.ts";
import { readParameters } from "../../../functions/public-api/request/parameters.ts";
import type { Endpoint } from "../../../functions/public-api/table/types.ts";
import type { StackFile } from "../../stack/stack.ts";
import { removeImports } from "../outputs.ts";
import { operations } from "./schemas.ts";
import { errorTexts } from "./words.ts";

/** Real responses by method and path. */
export type Examples = Record<string, { json: unknown; csv?: string; request?: unknown }>;

/** The queries of the examples (two rows of each list and of each question), and queries that are refused. */
const queries = {
  list: ["limit=2", "limit=0"],
  changes: ["limit=2", "limit=0"],
  aggregates: ["since=2026-09-01&until=2026-10-31", "by=hour"],
  key: ["", "limit=0"],
  import: ["", ""],
} as const;

const rewards = [
  { external_id: "mug-1", name: "Coffee mug", points_cost: 250 },
  { external_id: "day-1", name: "Day off", points_cost: 4999.5, reward_type: "time" },
];

/** An import that is refused as it is, because an id must be unique in a request: no schema says so. */
export const unedited = { rewards: rewards.map((reward) => ({ ...reward, external_id: "replace-this" })) };

/** The text of an error of an endpoint, as the function writes it. */
export function errorText(endpoint: Endpoint, status: string): string {
  if (status === "401") return unauthorized("").message;
  if (status === "403") return `Forbidden: this key is missing the "${endpoint.scope}" scope`;
  if (status !== "400" || endpoint.kind === "mcp") return errorTexts[status] ?? "";
  try {
    readParameters(endpoint, queries[endpoint.kind][1]);
    readRewards(JSON.stringify(unedited));
  } catch (error) {
    return (error as ApiError).message;
  }
  return "";
}

/** A text in which cursors are the same on every server: but for the id of the row they consist of zeros. */
const shownCursors = (text: string): string =>
  text.replace(
    /[0-9a-f]{56,80}/g,
    (cursor) => `${"0".repeat(24)}${cursor.slice(24, 56)}${"0".repeat(cursor.length - 56)}`,
  );

/**
 * Gets an example of every good response from a running stack, with the key of its first company. The two rewards above
 * are imported into it, and deleted at the end.
 * @param call fetch, for paths relative to the base address
 * @throws Error when a response has an unexpected status
 */
export async function collectExamples(
  stack: StackFile,
  call = (path: string, init: RequestInit) => fetch(`${stack.api_url}${path}`, init),
): Promise<Examples> {
  const headers = { "X-API-Key": stack.companies[0]?.api_key ?? "" };
  const examples: Examples = {};
  for (const { kind, method, path } of operations) {
    const body = kind === "import" ? { rewards } : undefined;
    const read = async (more: string): Promise<string> => {
      const address = `${path}?${queries[kind][0]}${more}`;
      const response = await call(address, { method, headers, ...(body && { body: JSON.stringify(body) }) });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${address} answered ${response.status}: ${text}`);
      return shownCursors(text);
    };
    examples[`${method} ${path}`] = {
      ...(body && { request: body }),
      json: JSON.parse(await read("")),
      ...(kind !== "import" && kind !== "key" && { csv: await read("&format=csv") }),
    };
  }
  await removeImports(stack);
  return examples;
}
