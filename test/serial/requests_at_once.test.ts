// At most four requests of one company run in the database at the same time, over all its keys. The tests use their own
// connections, because the stand-in for the Data API has only one.
import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type ApiKey, newCompany, type TestCompany } from "../support/companies.ts";
import { serviceRole } from "../support/rpc.ts";
import { hashOf, sql } from "../support/stack.ts";

let company: TestCompany;
let other: TestCompany;
let keys: [ApiKey, ApiKey];
let foreign: ApiKey;
type Sql = postgres.Sql;
let connections: [Sql, Sql, Sql, Sql, Sql, Sql];

beforeAll(async () => {
  [company, other] = [await newCompany("Many at once"), await newCompany("Somebody else")];
  keys = [await company.makeKey(), await company.makeKey(["read:members"])];
  foreign = await other.makeKey();
});
afterAll(() => Promise.all([company.remove(), other.remove()]));

beforeEach(async () => {
  connections = await Promise.all([
    serviceRole(),
    serviceRole(),
    serviceRole(),
    serviceRole(),
    serviceRole(),
    serviceRole(),
  ]);
});
afterEach(() => Promise.all(connections.map((db) => db.end({ timeout: 5 }))));

/** A request in a transaction that stays open. */
async function begin(db: Sql, key: string, scope = "read:members"): Promise<unknown> {
  await db`begin`;
  const [row] = await db`select public.verify_api_key(${hashOf(key)}, ${scope}) ->> 'key_name' as name`;
  return row?.name;
}

/** Four requests that have not ended, with two keys. The fifth and sixth connection are free. */
async function beginFour(): Promise<void> {
  for (const [index, db] of connections.slice(0, 4).entries())
    expect(await begin(db, keys[index % 2 === 0 ? 0 : 1].api_key)).toBe("test of Many at once");
}

const tooMany = { code: "PT429", message: "Too Many Requests" };

// Proves: requests.61
test("of five requests at once, with two keys, four are answered and the fifth is refused, naming key and company for the log", async () => {
  await beginFour();
  const said = await begin(connections[4], keys[1].api_key).catch((error: postgres.PostgresError) => error);
  expect(said).toMatchObject(tooMany);
  const { detail } = said as postgres.PostgresError;
  expect(JSON.parse(detail ?? "null")).toEqual({ key_id: keys[1].id, company_id: company.id, requests_at_once: 4 });
  await connections[4]`rollback`;
  await expect(begin(connections[5], keys[0].api_key, "write:rewards")).rejects.toMatchObject(tooMany);
});

// Proves: requests.61
test("another company is answered meanwhile, and a key that is unknown or lacks the scope is told that", async () => {
  await beginFour();
  expect(await begin(connections[4], foreign.api_key)).toBe("test of Somebody else");
  await expect(begin(connections[5], `sk_live_${randomUUID()}`)).rejects.toMatchObject({ code: "PT401" });
  await connections[5]`rollback`;
  await expect(begin(connections[5], keys[1].api_key, "write:rewards")).rejects.toMatchObject({ code: "PT403" });
});

test.each(["commit", "rollback"])("after a %s the next one is answered", async (end) => {
  await beginFour();
  await expect(begin(connections[4], keys[0].api_key)).rejects.toMatchObject(tooMany);
  await connections[4]`rollback`;
  await connections[2].unsafe(end);
  expect(await begin(connections[4], keys[0].api_key)).toBe("test of Many at once");
  await expect(begin(connections[5], keys[0].api_key)).rejects.toMatchObject(tooMany);
});

// Proves: requests.63
test("when a backend is killed the next one is answered", async () => {
  await beginFour();
  const [victim] = await connections[1]`select pg_backend_pid() as pid`;
  await sql`select pg_terminate_backend(${victim?.pid}, 5000)`;
  expect(await begin(connections[4], keys[0].api_key)).toBe("test of Many at once");
  await expect(begin(connections[5], keys[0].api_key)).rejects.toMatchObject(tooMany);
});

test("a transaction that asks again has its turn already, also when an earlier one has become free", async () => {
  await beginFour();
  await connections[0]`commit`;
  const [again] = await connections[3]`select public.verify_api_key(${hashOf(keys[1].api_key)}) ->> 'key_name' as name`;
  expect(again?.name).toBe("test of Many at once");
  expect(await begin(connections[4], keys[0].api_key)).toBe("test of Many at once");
});

// Proves: requests.62
test("an operator can replace the number, and a session that is connected follows", async () => {
  await beginFour();
  await expect(begin(connections[4], keys[0].api_key)).rejects.toMatchObject(tooMany);
  await connections[4]`rollback`;
  const undo = new Error("undo");
  await sql
    .begin(async (tx) => {
      await tx`select public.verify_api_key(${hashOf(foreign.api_key)})`;
      await tx.unsafe(
        "create or replace function app.requests_at_once() returns integer language sql stable set search_path = '' return 5",
      );
      const [row] = await tx`select public.verify_api_key(${hashOf(keys[0].api_key)}) ->> 'key_name' as name`;
      expect(row?.name).toBe("test of Many at once");
      throw undo;
    })
    .catch((error) => expect(error).toBe(undo));
});

// Proves: requests.63
test("nothing of it is left behind", async () => {
  await beginFour();
  for (const db of connections.slice(0, 4)) await db`rollback`;
  const sessions = await Promise.all(connections.map((db) => db<{ pid: number }[]>`select pg_backend_pid() as pid`));
  const pids = sessions.flatMap((rows) => rows.map(({ pid }) => pid));
  expect(pids).toHaveLength(6);
  expect(await sql`select from pg_locks where locktype = 'advisory' and pid = any (${pids})`).toHaveLength(0);
});
