// Who can access what through the Data API (/rest/v1), with the real supabase-js: an anonymous caller, a plain member,
// an admin, a signed-in person who is no member, and the project's secret key. Every table, view and function of every
// schema is read from the catalog and tried. One that is added later is therefore tried too.
// In all of this, Supabase Lite answers as the hosted PostgREST does: 406 for a schema that is not exposed, 404 for a
// relation that does not exist, 42501 for a missing grant, 25006 for a write in a GET.
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { client, newCompany, signUp, type TestCompany } from "../support/companies.ts";
import { call, functionLog, hashOf, sql, stack } from "../support/stack.ts";

const adminFunctions = [
  ...["create_api_key", "link_member", "list_api_key_events", "list_api_keys", "rename_api_key", "replace_api_key"],
  "revoke_api_key",
];
/** Those of the endpoints, that of lists with changed_after, and read_* for each list, which read replicas serve. */
const ofPrimary = [...new Set([...endpoints.map(({ rpc }) => rpc), "list_changes"])];
const lists = ofPrimary.filter((name) => name.startsWith("list_"));
const keyFunctions = [...ofPrimary, ...lists.map((name) => name.replace("list_", "read_"))].sort();

let company: TestCompany;
let actors: Record<"anonymous" | "stranger" | "member" | "admin" | "secretKey", SupabaseClient>;
beforeAll(async () => {
  company = await newCompany("Isolation");
  actors = {
    anonymous: client(),
    stranger: await signUp(company.emailOf("Stranger")),
    member: await company.signIn("Plain Member", "employee"),
    admin: company.admin,
    secretKey: client(stack.secret_key),
  };
});
afterAll(() => company.remove());

const schemas = sql`select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'`;

// Proves: layer.6
test("nobody reaches a table or a view through the Data API, in whatever schema", async () => {
  const relations = await sql<{ schema: string; name: string }[]>`
    select relnamespace::regnamespace::text as schema, relname as name
    from pg_class where relnamespace in (${schemas}) and relkind in ('r', 'v', 'm', 'f', 'p')`;
  expect(relations.length).toBeGreaterThan(20);
  for (const [actor, supabase] of Object.entries(actors)) {
    for (const { schema, name } of relations) {
      const hidden = await supabase.schema(schema).from(name).select("*").limit(1);
      expect([actor, schema, name, hidden.data, hidden.error?.code]).toEqual([actor, schema, name, null, "PGRST106"]);
    }
    for (const name of new Set(relations.map((relation) => relation.name))) {
      const { error } = await supabase.from(name).update({ name: "X" }).eq("name", "Y");
      expect([actor, name, error?.code]).toEqual([actor, name, "PGRST205"]);
    }
  }
});

/** The functions of public that an actor may execute. Each is called with nulls: what it returns does not matter. */
async function reachable(supabase: SupabaseClient): Promise<string[]> {
  const functions = await sql<{ schema: string; name: string; arguments: string[] | null }[]>`
    select pronamespace::regnamespace::text as schema, proname as name, proargnames[1:pronargs] as arguments
    from pg_proc where pronamespace in (${schemas}) order by proname`;
  expect(functions.length).toBeGreaterThan(25);
  const reached = new Set<string>();
  for (const { schema, name, arguments: names } of functions) {
    const nulls = Object.fromEntries((names ?? []).map((argument) => [argument, null]));
    const { data, error } = await supabase.schema(schema).rpc(name, nulls);
    if (schema !== "public") expect([schema, name, data, error?.code]).toEqual([schema, name, null, "PGRST106"]);
    else if (error?.code !== "42501") reached.add(name);
    else expect(error.message).toBe(`permission denied for function ${name}`);
  }
  return [...reached];
}

// Proves: actor.1
test("an anonymous caller reaches no function, who is signed in those for admins, the secret key those for API keys", async () => {
  expect(await reachable(actors.anonymous)).toEqual([]);
  for (const actor of ["stranger", "member", "admin"] as const)
    expect([actor, await reachable(actors[actor])]).toEqual([actor, adminFunctions]);
  expect(await reachable(actors.secretKey)).toEqual(keyFunctions);
});

// Proves: actor.5
test("the secret key alone opens nothing: the functions ask for the hash of a good API key", async () => {
  for (const key_hash of [null, "", "00", "zz", "f".repeat(64), hashOf("sk_live_")]) {
    for (const name of keyFunctions) {
      const { data, error } = await actors.secretKey.rpc(name, {
        key_hash,
        ...(/^(list|read)_/.test(name) && { max_rows: 5 }),
        ...(name.endsWith("_changes") && { list: "members", changed_after: "start" }),
        ...(name === "upsert_rewards" && { rewards: "[]" }),
      });
      expect({ name, data, refused: error !== null }).toEqual({ name, data: null, refused: true });
    }
  }
});

// Proves: actor.4
test("nobody reads a key's hash", async () => {
  const { api_key, id } = await company.makeKey();
  const hash = hashOf(api_key);
  const answers = [
    await actors.admin.rpc("list_api_keys"),
    await actors.admin.rpc("list_api_keys").select("id, key_hash"),
    await actors.admin.rpc("list_api_key_events"),
    await actors.admin.rpc("revoke_api_key", { key_id: id }),
    await actors.secretKey.rpc("verify_api_key", { key_hash: hash }),
  ];
  const text = JSON.stringify(answers);
  for (const spelling of [hash, hash.toUpperCase(), Buffer.from(hash, "hex").toString("base64")])
    expect(text).not.toContain(spelling);
});

test("a GET to a function writes nothing: no key is made or revoked, no reward imported, no use recorded", async () => {
  const { id, api_key } = await company.makeKey();
  const key_hash = hashOf(api_key);
  const snapshot = () => sql`
    select (select count(*) from app.api_keys where company_id = ${company.id}) as keys,
      (select count(*) from app.api_keys where company_id = ${company.id} and revoked_at is not null) as revoked,
      (select count(*) from app.rewards where company_id = ${company.id}) as rewards,
      (select last_used_at from app.api_key_uses where key_id = ${id}) as used`;
  const before = await snapshot();
  const rewards = JSON.stringify([{ external_id: "get", name: "By GET", points_cost: 1 }]);
  const attempts = [
    await actors.admin.rpc("create_api_key", { name: "by GET" }, { get: true }),
    await actors.admin.rpc("revoke_api_key", { key_id: id }, { get: true }),
    await actors.secretKey.rpc("upsert_rewards", { key_hash, rewards }, { get: true }),
    await actors.secretKey.rpc("verify_api_key", { key_hash }, { get: true }),
    await actors.secretKey.rpc("list_members", { key_hash, max_rows: 5 }, { get: true }),
  ];
  for (const { data, error } of attempts) expect({ data, code: error?.code }).toEqual({ data: null, code: "25006" });
  expect(await snapshot()).toEqual(before);
});

test("the secret key is not a key of the API, and stands in no log", async () => {
  expect((await call("/members", stack.secret_key)).status).toBe(401);
  expect(functionLog()).not.toContain(stack.secret_key);
});
