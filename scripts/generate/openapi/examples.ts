import { createClient } from "@supabase/supabase-js";
import type { StackFile } from "../../stack/stack.ts";
import { removeImports } from "../outputs.ts";
import { operations } from "./schemas.ts";

/** Real responses by method and path, `errors` by status. Errors that no request can cause on purpose are left out. */
export type Examples = Record<
  string,
  { json: unknown; csv?: string; request?: unknown; errors: Record<string, { error: string }> }
>;

/** The queries of the examples: two rows of each list and of each question. */
export const exampleQueries = {
  list: "?limit=2",
  changes: "?limit=2",
  groups: "?since=2026-09-01&until=2026-10-31",
  key: "",
  import: "",
};

/** The keys for the requests: `all` has every scope, the other two have only the scope in their name. */
export type ExampleKeys = { all: string; "read:members": string; "read:activity": string };

const rewards = [
  { external_id: "mug-1", name: "Coffee mug", points_cost: 250 },
  { external_id: "day-1", name: "Day off", points_cost: 4999.5, reward_type: "time" },
];

/** An import that is refused as it is, because an id must be unique in a request: no schema says so. */
export const unedited = { rewards: rewards.map((reward) => ({ ...reward, external_id: "replace-this" })) };

/** A text in which cursors are the same on every server: but for the id of the row they consist of zeros. */
const shownCursors = (text: string): string =>
  text.replace(
    /[0-9a-f]{56,80}/g,
    (cursor) => `${"0".repeat(24)}${cursor.slice(24, 56)}${"0".repeat(cursor.length - 56)}`,
  );

/**
 * Gets an example of every response from a running stack. It imports the two rewards above into the company of the
 * keys.
 * @param call fetch, for paths relative to the base address
 * @throws Error when a response has an unexpected status
 */
export async function collectExamples(
  call: (path: string, init: RequestInit) => Promise<Response>,
  keys: ExampleKeys,
): Promise<Examples> {
  const request = async (status: number, path: string, key: string | null, body?: unknown): Promise<Response> => {
    const headers: Record<string, string> = key === null ? {} : { "X-API-Key": key };
    const init = body === undefined ? { headers } : { method: "POST", headers, body: JSON.stringify(body) };
    const response = await call(path, init);
    if (response.status !== status) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    return response;
  };
  const error = async (status: number, path: string, key: string | null, body?: unknown) =>
    (await (await request(status, path, key, body)).json()) as { error: string };

  // Requests that are refused.
  const bad = { list: "?limit=0", changes: "?limit=0", groups: "?by=hour", key: "?limit=0", import: "" };
  const examples: Examples = {};
  for (const { kind, method, path, scope } of operations) {
    const isImport = kind === "import";
    const hasRows = kind !== "import" && kind !== "key";
    const poorKey = scope === "read:members" ? keys["read:activity"] : keys["read:members"];
    const body = isImport ? { rewards } : undefined;
    const wrong = isImport ? unedited : undefined;
    const address = `${path}${exampleQueries[kind]}`;
    const read = async (from: string) => shownCursors(await (await request(200, from, keys.all, body)).text());
    examples[`${method} ${path}`] = {
      ...(body && { request: body }),
      json: JSON.parse(await read(address)),
      ...(hasRows && { csv: await read(`${address}&format=csv`) }),
      errors: {
        "400": await error(400, `${path}${bad[kind]}`, keys.all, wrong),
        "401": await error(401, path, null, body),
        ...(scope && { "403": await error(403, path, poorKey, body) }),
      },
    };
  }
  return examples;
}

/**
 * Gets new examples from a running stack, with the demo company's key and two new keys, which are revoked at the end.
 */
export async function newExamples(stack: StackFile): Promise<Examples> {
  const [company] = stack.companies;
  if (!company) throw new Error("The stack that is running names no company");
  const admin = createClient(stack.supabase_url, stack.publishable_key, { auth: { persistSession: false } });
  await admin.auth.signInWithPassword({ email: company.admin_email, password: company.admin_password });
  const made = await Promise.all(
    ["read:members", "read:activity"].map(async (scope) => {
      const { data, error } = await admin.rpc("create_api_key", { name: "npm run generate", scopes: [scope] });
      if (error) throw new Error(error.message);
      return data as { id: string; api_key: string };
    }),
  );
  try {
    const [members, activity] = made.map(({ api_key }) => api_key);
    const keys = { all: company.api_key, "read:members": members ?? "", "read:activity": activity ?? "" };
    return await collectExamples((path, init) => fetch(`${stack.api_url}${path}`, init), keys);
  } finally {
    await removeImports(stack);
    for (const { id } of made) await admin.rpc("revoke_api_key", { key_id: id });
  }
}
