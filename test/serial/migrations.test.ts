// Migrations, from the first to the newest, on a database with data, and from version 1.3.1 on with requests, applied by the
// non-superuser of the hosted service. No data is lost, no request is blocked for long, and a second run changes nothing.
import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import { SignJWT } from "jose";
import postgres from "postgres";
import { afterAll, expect, onTestFinished, test, vi } from "vitest";
import { runSql, supabasePush } from "../../scripts/stack/database.ts";
import { migrationFiles } from "../../scripts/stack/difference.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { count, tried } from "../support/counts.ts";
import { startDataApi, startFunction } from "../support/function_process.ts";
import { createCompany } from "../support/project_companies.ts";
import { allServed, hashOf, stack } from "../support/stack.ts";
import { olderProject, removeProjects, waitsForLock } from "../support/two_projects.ts";

const rows = count(20_000, 300_000);
const versions = migrationFiles.map((file) => basename(file).split("_")[0]);

/** A project with the first migration only. */
const firstOnly = () => olderProject(versions[0] ?? "");
const { name: database, url, sql } = await firstOnly();
const connect = () => postgres(stack.superuser_url, { database, max: 1, onnotice: () => {} });
const superuserUrl = (name: string) => Object.assign(new URL(stack.superuser_url), { pathname: name }).href;
const json = { "Content-Type": "application/json", Accept: "application/json" };
afterAll(removeProjects);

/** The last migration of the oldest version from which one upgrade leads here (Upgrading): the functions that it runs stay. */
const oldest = versions.indexOf("20261127004209");

/** Applies the migrations up to `oldest`, while nothing runs. */
async function upgradeToOldest(): Promise<void> {
  for (const [place, file] of migrationFiles.slice(1, oldest + 1).entries()) {
    const version = versions[place + 1];
    await runSql(url, await readFile(file, "utf8"));
    await runSql(url, `insert into supabase_migrations.schema_migrations (version) values ('${version}')`);
  }
}

/** Applies all migrations as `npm run push` does on the hosted service. */
const push = (remote = url) => supabasePush(remote, "--yes");

/** The versions of the migrations that a database has. */
async function applied(sql: postgres.Sql): Promise<string[]> {
  const rows = await sql`select version from supabase_migrations.schema_migrations order by version`;
  return rows.map(({ version }) => version);
}

/** Creates a company with `rows` rows in each table that grows. */
async function fill() {
  const company = await createCompany(sql, "Released");
  const { id, admin } = company;
  await sql.unsafe(`
    insert into app.categories (company_id, id) values ('${id}', '${id}');
    insert into app.category_names select '${id}', '${id}', * from (values ('de', 'Zusammenhalt'), ('en', 'Teamwork')) as named;
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select '${id}', '${admin}', '${admin}', '${id}', 'Thanks ' || n, timestamptz '2026-01-01Z' + n * interval '1 second' from generate_series(1, ${rows}) as n;
    insert into app.day_ratings (company_id, rating, comment) select '${id}', 1 + n % 5, 'Day ' || n from generate_series(1, ${rows}) as n;
    insert into app.pulse_responses (company_id, value, comment) select '${id}', to_jsonb(n), 'Pulse ' || n from generate_series(1, ${rows}) as n;
    insert into app.rewards (company_id, external_id, name, points_cost) select '${id}', 'sku-' || n, 'Reward ' || n, n from generate_series(1, ${rows}) as n`);
  return company;
}

/** Each table with its present columns. */
const shape = () => sql<{ name: string; columns: string[] }[]>`
  select c.oid::regclass::text as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
  from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' group by c.oid order by 1`;

/** Which rows of a table nothing writes after `fill`. */
const written: Record<string, string> = {
  "app.members": "email not like '%@life.example'",
  "app.rewards": "external_id not like 'writer-%'",
  "app.api_keys": "name <> 'made meanwhile'",
  "app.api_key_events": "key_name <> 'made meanwhile'",
};

/** A checksum of these columns of each table, without the rows that are written later. */
async function checksums(tables: { name: string; columns: string[] }[]): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const { name, columns } of tables.filter(({ name }) => name !== "app.api_key_uses")) {
    const own = written[name] ? `where ${written[name]}` : "";
    const [row] = await sql.unsafe<{ sum: string }[]>(`
      select count(*) || ' ' || coalesce(sum(hashtextextended(row(${columns})::text, 0)), 0) as sum from ${name} ${own}`);
    sums[name] = row?.sum ?? "";
  }
  return sums;
}

type DataApi = Awaited<ReturnType<typeof startDataApi>>;

/**
 * Reads and writes as the function does, and makes keys as admins do, while migrations are applied: at a Data API that has
 * read the schema before, and at one that reads each new one. Returns how many calls there were. Throws when one fails.
 */
async function traffic(
  dataApis: DataApi[],
  { key, admin }: Record<"key" | "admin", string>,
  going: () => boolean,
): Promise<number> {
  const key_hash = hashOf(key);
  const reward = (n: number) => ({ external_id: `writer-${n % 50}`, name: `Writer ${n}`, points_cost: n });
  const calls: [name: string, isAdmin: boolean, args: (done: number) => object][] = [
    ["list_activity", false, () => ({ key_hash, max_rows: 100 })],
    ["upsert_rewards", false, (n) => ({ key_hash, rewards: JSON.stringify([reward(n)]), dry_run: false })],
    ["list_api_keys", true, () => ({})],
    ["create_api_key", true, () => ({ name: "made meanwhile", scopes: ["read:members"], expires_at: null })],
  ];
  const requests = dataApis.flatMap((dataApi) =>
    calls.map(async ([name, isAdmin, args]) => {
      const claims = new SignJWT({ role: "authenticated", sub: admin }).setProtectedHeader({ alg: "HS256" });
      const token = await claims.sign(new TextEncoder().encode(dataApi.jwt_secret));
      const headers = { apikey: stack.secret_key, ...(isAdmin && { Authorization: `Bearer ${token}` }), ...json };
      let done = 0;
      for (; going() || done === 0; done++) {
        const init = { method: "POST", headers, body: JSON.stringify(args(done)) };
        const response = await fetch(`${dataApi.url}/rest/v1/rpc/${name}`, init);
        expect([response.status, response.status === 200 || (await response.text())]).toEqual([200, true]);
        await response.body?.cancel();
      }
      return done;
    }),
  );
  return (await Promise.all(requests)).reduce((sum, done) => sum + done, 0);
}

/** The longest time, in milliseconds, that one session held a lock on a table which blocks writes. */
async function longestLock(going: () => boolean): Promise<number> {
  const db = connect();
  let since: Record<string, number> = {};
  let longest = 0;
  while (going()) {
    const held = await db<{ lock: string }[]>`
      select concat_ws(' ', pid, relation::regclass) as lock from pg_locks
      where granted and mode in ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock') and relation in (
        select oid from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r')`;
    const now = performance.now();
    since = Object.fromEntries(held.map(({ lock }) => [lock, since[lock] ?? now]));
    longest = Math.max(longest, ...Object.values(since).map((begin) => now - begin));
  }
  await db.end();
  return longest;
}

/**
 * Begins a request that waits once it has begun, before it locks a table which a migration may have to change. Returns
 * what lets it go on, and gives its answer.
 */
async function heldRequest(key: string): Promise<() => Promise<unknown>> {
  const [holder, reader] = [connect(), connect()];
  const [{ pid } = { pid: 0 }] = await reader<{ pid: number }[]>`select pg_backend_pid() as pid`;
  await holder.unsafe(`
    do $do$
    begin
      execute replace(pg_get_functiondef('app.authenticate'::regproc), 'authenticate', 'authenticate_of_before');
    end
    $do$;
    alter function app.authenticate_of_before owner to postgres;
    -- The traffic takes the company's four places, this request one more.
    create or replace function app.requests_at_once() returns integer language sql stable set search_path = '' return 6;
    create or replace function app.authenticate(key_hash text, required_scope text) returns app.verified_key
    language plpgsql volatile security definer set search_path = '' as $$
    begin
      perform pg_advisory_xact_lock(1) where pg_backend_pid() = ${pid};
      return app.authenticate_of_before(key_hash, required_scope);
    end
    $$;
    alter function public.list_activity set lock_timeout = '600s';
    alter function public.list_activity set statement_timeout = '600s'`);
  await holder`begin`;
  await holder`select pg_advisory_xact_lock(1)`;
  const page = reader`select json_array_length(public.list_activity(${hashOf(key)}, 100)) as kudos`.execute();
  await waitsForLock(pid);
  return async () => {
    await holder`commit`;
    const [row] = await page;
    await Promise.all([holder.end(), reader.end()]);
    return row?.kudos;
  };
}

// Proves: layer.18
test("from the first migration to the newest: nothing is lost, copies go on, every request is answered, no lock is held longer than a second, and a second run changes nothing", async () => {
  const company = await fill();
  const tables = await shape();
  const before = await checksums(tables);
  const categories = () => sql`
    select distinct kudos ->> 'category' as name
    from json_array_elements(public.list_activity(${hashOf(company.key)}, 10)) as kudos`;
  expect([...(await categories())]).toEqual([{ name: "Teamwork" }]);
  await upgradeToOldest();
  const [renamed, deleted] = await sql`
    insert into app.members (company_id, name, email)
    select ${company.id}, 'Person', n || '@life.example' from generate_series(1, 2) as n returning id`;
  const changes = async (after: string) => {
    await allServed();
    const [row] = await sql`select public.list_changes(${hashOf(company.key)}, 'members', 1000, ${after}) as page`;
    return row?.page as { id: string; cursor: string; deleted: boolean }[];
  };
  const cursor = (await changes("start")).at(-1)?.cursor ?? "";
  await sql`update app.members set name = 'Renamed' where id = ${renamed?.id}`;
  await sql`delete from app.members where id = ${deleted?.id}`;
  const goOn = await heldRequest(company.key);
  const dataApis = await Promise.all([true, false].map((isDeaf) => startDataApi(superuserUrl(database), isDeaf)));
  onTestFinished(async () => void (await Promise.all(dataApis.map((dataApi) => dataApi.stop()))));
  let migrating = true;
  const going = () => migrating;
  const pushed = push().finally(() => {
    migrating = false;
  });
  // The first of this name drops what the functions of before call: it waits for their requests.
  const kept = migrationFiles.findIndex((file) => file.endsWith("_what_is_gone.sql"));
  const answered = vi.waitUntil(async () => (await applied(sql)).length === kept, 300_000).then(goOn);
  const [requests, longest] = await Promise.all([traffic(dataApis, company, going), longestLock(going), pushed]);
  expect(longest).toBeLessThan(1000);
  expect(await answered).toBe(100);
  expect(await checksums(tables)).toEqual(before);
  expect([...(await categories())]).toEqual([{ name: "Teamwork" }]);
  // A copy goes on from the cursor that it has.
  const changed = (await changes(cursor)).map(({ id, deleted }) => `${id} ${deleted}`);
  expect(changed.sort()).toEqual([`${renamed?.id} false`, `${deleted?.id} true`].sort());
  expect(await applied(sql)).toEqual(versions);
  await sql`drop function app.authenticate_of_before`;
  expect(await runCommand("psql", [url, "--file", `${root}/sql/commands/check.sql`])).toContain("(0 rows)");
  tried(
    `migrations: ${versions.length - 1 - oldest} after 1.3.1, over ${rows} rows a table, ${requests} requests meanwhile, longest lock ${Math.round(longest)} ms`,
  );
  expect(await push()).toContain("up to date");
}, 600_000);

test("a function that is deployed before the migrations says so in its log; a push that ends in the middle, because somebody holds a table for too long, is pushed again and goes on, and then the function serves", async () => {
  const { name, url, sql } = await firstOnly();
  const { key } = await createCompany(sql, "Older");
  const dataApi = await startDataApi(superuserUrl(name));
  const newer = await startFunction(dataApi.url);
  onTestFinished(async () => void (await Promise.all([newer.kill(), dataApi.stop()])));
  const ask = async (path: string) => (await fetch(newer.url + path, { headers: { "X-API-Key": key } })).status;
  expect([await ask("/"), await ask("/members")]).toEqual([500, 500]);
  const what = "the database is older than this function, push the migrations (docs/operate/upgrade.md)";
  await expect
    .poll(() => newer.log().match(/"error":"[^"]*"/g))
    .toEqual(Array(2).fill(`"error":"verify_api_key answered without fields that are needed: ${what}"`));

  await sql.begin(async (holder) => {
    await holder`lock table app.teams in access share mode`;
    await expect(push(url)).rejects.toThrow("canceling statement due to lock timeout");
  });
  const before = (await applied(sql)).length;
  expect(before).toBeGreaterThan(1);
  expect(before).toBeLessThan(versions.length);
  await push(url);
  expect(await applied(sql)).toEqual(versions);
  expect([await ask("/"), await ask("/members")]).toEqual([200, 200]);
}, 60_000);
