// People who leave (docs/operations.md): what app.erase_member removes, and what it keeps.
import { randomUUID } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeEach, expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { dataOf, signUp } from "../support/companies.ts";
import { call, list, sql, stack } from "../support/stack.ts";
import { type Files, good, ids, load, newLoading, untouched } from "./loading.ts";

const { company, other, empty } = await newLoading();
const person = { id: ids.ines, name: "Inês Ærø, jr.", email: "ines@files.example" };
const uuid = "[0-9a-f-]{36}";
let files: Files;
let herself: SupabaseClient;
let hers: { id: string; api_key: string };

/** Calls app.erase_member as postgres, as an operator does. */
const erase = (blank: boolean | null, id = person.id, of = company.id) =>
  withDatabase(stack.database_url, async (postgres) => {
    const [row] = await postgres`select * from app.erase_member(${of}, ${id}, ${blank})`;
    return row;
  });

/** Every row of every table of the service and of Auth, as text. */
async function everything(): Promise<string[]> {
  const tables = await sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('app', 'auth', 'staging', 'public')`;
  const found: string[] = [];
  for (const { name } of tables) {
    for (const { row } of await sql.unsafe(`select t::text as row from ${name} as t`)) found.push(`${name}: ${row}`);
  }
  return found.sort();
}

/** Everything that the API returns to a key, and that the dashboard loads for an admin, as text. */
async function answers(key: string): Promise<string[]> {
  const root = await (await call("/", key)).json();
  const paths = root.endpoints
    .filter(({ method }: { method: string }) => method === "GET")
    .map(({ path }: { path: string }) => path);
  const include = "?include=sender_id,receiver_id,category_id";
  const more = paths.includes("/teams") ? [`/activity${include}`] : [];
  const texts: string[] = [];
  for (const path of [...paths.filter((path: string) => path !== "/"), ...more]) {
    for (const format of ["json", "csv"]) {
      const response = await call(`${path}${path.includes("?") ? "&" : "?"}format=${format}`, key);
      expect(response.status, path).toBe(200);
      texts.push(await response.text());
    }
  }
  for (const name of ["link_member", "list_api_keys", "list_api_key_events"]) {
    texts.push(JSON.stringify(dataOf(await company.admin.rpc(name))));
  }
  return texts;
}

const naming = (texts: string[]) =>
  texts.filter((text) => Object.values(person).some((word) => text.toLowerCase().includes(word.toLowerCase())));

/** Deletes what the tests leave behind. */
async function reset(): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`delete from app.erasures where company_id = ${company.id}`;
    await tx`delete from app.api_keys where company_id = ${company.id}`;
    // Triggers are off because one forbids deleting from the history. Each test must begin without history.
    await tx`set local session_replication_role = replica`;
    await tx`delete from app.api_key_events where company_id = ${company.id}`;
  });
  await sql`delete from auth.users where email = ${person.email}`;
  await sql`delete from auth.audit_log_entries where strpos(payload::text, ${person.email}) > 0`;
  await empty();
}

afterAll(reset);
beforeEach(async () => {
  await reset();
  files = good();
  await load(company.id, files);
  await load(other.id, files);
  herself = await signUp(person.email);
  // Two companies list this address, so an operator links it by hand.
  await sql`
    insert into app.member_accounts (user_id, company_id, member_id)
    select id, ${company.id}, ${person.id} from auth.users where email = ${person.email}`;
  hers = dataOf(await herself.rpc("create_api_key", { name: "report", scopes: ["read:members", "read:activity"] }));
  const { id } = dataOf(await herself.rpc("create_api_key", { name: "old" }));
  dataOf(await herself.rpc("revoke_api_key", { key_id: id }));
});

// Proves: leaving.1, layer.16
test("nothing in any table, no answer of the API and nothing on the page names an erased person, and the other company's row stays", async () => {
  await sql`delete from app.kudos where company_id = ${other.id}`;
  await sql`delete from app.members where company_id = ${other.id} and id = ${person.id}`;
  const { api_key } = await company.makeKey();
  expect(naming(await everything()).length).toBeGreaterThan(5);
  expect(naming(await answers(api_key)).length).toBeGreaterThan(3);

  expect(await erase(true)).toEqual({ kudos: "1", keys: "2", events: "3", accounts: "1" });

  // For 90 days copies are told which id is gone.
  const deletion = new RegExp(`^app\\.deletions: \\(${uuid},members,\\d+,${person.id},"[^"]+"\\)$`);
  expect(naming(await everything()).filter((row) => !deletion.test(row))).toEqual([]);
  expect(naming(await answers(api_key))).toEqual([]);
});

// Proves: leaving.2
test.each([true, false])("their kudos stay for the other side, messages blanked: %s", async (blank) => {
  const { api_key } = await company.makeKey();
  await erase(blank);
  const kudos = await list("/activity", api_key);
  expect(kudos).toHaveLength(2);
  expect(kudos[0]).toMatchObject({
    id: ids.kudos,
    sender_name: "Former member",
    sender_email: "",
    receiver_name: 'Olaf "Ole" 李',
    message: blank ? "" : (good().kudos?.[0]?.message as string),
  });
  expect(kudos[1]).toMatchObject({ id: ids.plusOne, message: "+1" });
  const names = (await list("/members", api_key)).map(({ name }) => name);
  expect(names).toEqual(['Olaf "Ole" 李', "First Admin"].sort((a, b) => names.indexOf(a) - names.indexOf(b)));
  expect(await list(`/activity?sender_id=${person.id}`, api_key)).toEqual([]);
});

// Proves: leaving.3
test("the keys that they made go on working, say Former member, and can be revoked; they themselves sign in no more", async () => {
  await erase(false);
  expect((await list("/activity", hers.api_key)).length).toBe(2);
  const keys: { id: string; name: string; status: string; created_by: string; revoked_by: string | null }[] = dataOf(
    await company.admin.rpc("list_api_keys"),
  );
  expect(keys.map(({ name, status, created_by, revoked_by }) => ({ name, status, created_by, revoked_by }))).toEqual([
    { name: "old", status: "revoked", created_by: "Former member", revoked_by: "Former member" },
    { name: "report", status: "active", created_by: "Former member", revoked_by: null },
  ]);
  const events: { action: string; member: string; key_name: string }[] = dataOf(
    await company.admin.rpc("list_api_key_events"),
  );
  expect(events.map(({ action, member, key_name }) => [action, member, key_name])).toEqual([
    ["revoked", "Former member", "old"],
    ["created", "Former member", "old"],
    ["created", "Former member", "report"],
  ]);
  await company.revoke(hers.id);
  expect((await call("/activity", hers.api_key)).status).toBe(401);
  expect(
    (await herself.auth.signInWithPassword({ email: person.email, password: "a long password" })).error,
  ).not.toBeNull();
  expect((await herself.rpc("create_api_key", { name: "again" })).error).not.toBeNull();
});

// Proves: leaving.4, layer.16
test("a later load of the same files does not bring them back, nor the messages, and says what it left out", async () => {
  await erase(true);
  const newcomer = { ...(files.members?.[1] as Record<string, string>), id: randomUUID(), email: person.email };
  const again = good();
  Object.assign(again.kudos?.[0] as object, { message: "Corrected" });
  expect(await load(company.id, again)).toEqual({
    ...untouched,
    members: ["0", "0", "1", "1"],
    kudos: ["0", "0", "1", "1"],
  });
  const { members = [], ...rest } = again;
  again.kudos?.push({ ...(again.kudos[0] as Record<string, string>), id: randomUUID() });
  const others = members.filter(({ id }) => id !== person.id);
  expect(await load(company.id, { ...rest, members: [...others, newcomer] })).toMatchObject({
    members: ["1", "0", "1"],
    kudos: ["0", "0", "1", "2"],
  });
  // In this file the person is a receiver, and nothing else.
  const received = { ...(files.kudos?.[0] as Record<string, string>), id: randomUUID() };
  Object.assign(received, { sender_id: ids.olaf, receiver_id: person.id });
  expect(await load(company.id, { kudos: [received] })).toMatchObject({ kudos: ["0", "0", "0", "1"] });
  const [found] =
    await sql`select count(*)::int as count from app.kudos where company_id = ${company.id} and message = ''`;
  expect(found?.count).toBe(1);
});

// Proves: leaving.5
test("it can be repeated, is recorded without a name, and refuses what it cannot do", async () => {
  const none = { kudos: "0", keys: "0", events: "0", accounts: "0" };
  await expect(erase(null)).rejects.toThrow("blank_messages must be true or false");
  await expect(erase(false, randomUUID())).rejects.toThrow("member_id must be the id of a member of the company");
  await expect(erase(false, person.id, randomUUID())).rejects.toThrow("company_id must be the id of a company");
  await erase(false);
  expect(await erase(false)).toEqual(none);
  await expect(erase(true)).rejects.toThrow("this person was erased with their messages kept");
  expect(await erase(true, ids.olaf)).toEqual({ kudos: "2", keys: "0", events: "0", accounts: "0" });
  const former = await sql`select id, name, email from app.members where company_id = ${company.id} and is_former`;
  expect(former).toHaveLength(1);
  await expect(erase(false, former[0]?.id)).rejects.toThrow("member_id must be the id of a member of the company");
  const recorded = await sql`select messages_blanked from app.erasures where company_id = ${company.id} order by 1`;
  expect(recorded.map(({ messages_blanked }) => messages_blanked)).toEqual([false, true]);
  const [theirs] = await sql`select name from app.members where company_id = ${other.id} and id = ${person.id}`;
  expect(theirs?.name, "who has the same id in another company").toBe(person.name);
});

// Proves: leaving.5
test("all or nothing: what stops it in the middle leaves the person as they were", async () => {
  const before = await everything();
  await sql`create rule stays as on delete to app.members do instead select 1 / 0`;
  try {
    await expect(erase(true)).rejects.toThrow("division by zero");
  } finally {
    await sql`drop rule stays on app.members`;
  }
  expect(await everything()).toEqual(before);
});
