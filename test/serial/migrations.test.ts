// Migrations, from the first to the newest, on a database with data and requests, applied by the non-superuser of the
// hosted service. No data is lost, no request is blocked for long, and a second run changes nothing.
import { globSync } from "node:fs";
import { cp, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename } from "node:path";
import postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, runSql } from "../../scripts/stack/database.ts";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";
import { count, tried } from "../support/counts.ts";
import { upsert } from "../support/rpc.ts";
import { hashOf, stack } from "../support/stack.ts";

const migrations = globSync("supabase/migrations/*.sql", { cwd: root }).sort();
const rows = count(20_000, 300_000);
const company = "00000000-0000-4000-8000-0000000000c0";
const at = (url: string, name = "released"): string => Object.assign(new URL(url), { pathname: `/${name}` }).href;
const connect = (name?: string) => postgres(at(stack.superuser_url, name), { max: 1, onnotice: () => {} });

let folder: string;
let key: string;
let sql: postgres.Sql;

/** Applies the migrations in a folder as `supabase db push` does on the hosted service. */
const push = (workdir: string): Promise<string> =>
  runCommand(bin("supabase"), ["db", "push", "--yes", "--workdir", workdir, `--remote=${at(stack.database_url)}`], {
    env: { ...process.env, DO_NOT_TRACK: "1", SUPABASE_TELEMETRY_DISABLED: "1" },
  });

beforeAll(async () => {
  folder = await mkdtemp(`${tmpdir()}/released-`);
  await mkdir(`${folder}/supabase/migrations`, { recursive: true });
  await cp(`${root}/supabase/config.toml`, `${folder}/supabase/config.toml`);
  for (const file of migrations.slice(0, 1))
    await cp(`${root}/${file}`, `${folder}/supabase/migrations/${basename(file)}`);
  await createDatabase(stack, "released", []);
  await push(folder);
  sql = connect();
  key = await fill(sql, rows);
}, 300_000);
afterAll(async () => {
  await sql.end();
  await runSql(stack.superuser_url, "drop database released with (force)");
  await rm(folder, { recursive: true, force: true });
});

/** Creates one company with a key, and this many rows in each table that grows. Returns the key. */
async function fill(sql: postgres.Sql, rows: number): Promise<string> {
  await sql`insert into app.companies (id, name) values (${company}, 'Released')`;
  await sql`insert into auth.users (id) values (${company})`;
  await sql`insert into app.members (company_id, id, name, email, role) values (${company}, ${company}, 'Admin', 'a@released.example', 'admin')`;
  await sql`insert into app.member_accounts (user_id, company_id, member_id) values (${company}, ${company}, ${company})`;
  await sql`insert into app.categories (company_id, id) values (${company}, ${company})`;
  await sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select ${company}, ${company}, ${company}, ${company}, 'Thanks ' || n, timestamptz '2026-01-01Z' + n * interval '1 second' from generate_series(1, ${rows}::integer) as n`;
  await sql`
    insert into app.day_ratings (company_id, rating, comment, created_at)
    select ${company}, 1 + n % 5, 'Day ' || n, timestamptz '2026-01-01Z' + n * interval '1 second' from generate_series(1, ${rows}::integer) as n`;
  await sql`
    insert into app.pulse_responses (company_id, value, comment, created_at)
    select ${company}, to_jsonb(n), 'Pulse ' || n, timestamptz '2026-01-01Z' + n * interval '1 second' from generate_series(1, ${rows}::integer) as n`;
  await sql`
    insert into app.rewards (company_id, external_id, name, points_cost)
    select ${company}, 'sku-' || n, 'Reward ' || n, n from generate_series(1, ${rows}::integer) as n`;
  await sql`select set_config('request.jwt.claims', json_build_object('sub', ${company}::text)::text, false)`;
  const [row] = await sql<{ made: { api_key: string } }[]>`
    select public.create_api_key('Migrations', array['read:activity', 'write:rewards']) as made`;
  return row?.made.api_key ?? "";
}

/** Each table with its present columns. */
const shape = () => sql<{ name: string; columns: string[] }[]>`
  select c.oid::regclass::text as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class as c join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' group by c.oid order by 1`;

/** A checksum of these columns of each table, without the rows that `traffic` writes. */
async function checksums(tables: { name: string; columns: string[] }[]): Promise<Record<string, string>> {
  const sums: Record<string, string> = {};
  for (const { name, columns } of tables.filter(({ name }) => name !== "app.api_key_uses")) {
    const cells = columns.map((column) => `"${column}"::text`).join(", ");
    const own = name === "app.rewards" ? "where external_id not like 'writer-%'" : "";
    const [row] = await sql.unsafe<{ sum: string }[]>(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(concat_ws('|', ${cells}), 0)), 0) as sum from ${name} ${own}`,
    );
    sums[name] = row?.sum ?? "";
  }
  return sums;
}

/**
 * The versions of all catalog rows that a migration could change: a migration that runs again would write new versions.
 */
const catalog = () => sql`
  select (select string_agg(concat_ws(' ', oid, xmin), ',' order by oid) from pg_class where relnamespace >= 16384) as relations,
    (select string_agg(concat_ws(' ', oid, xmin), ',' order by oid) from pg_proc where pronamespace >= 16384 or oid >= 16384) as functions,
    (select string_agg(concat_ws(' ', oid, xmin), ',' order by oid) from pg_policy) as policies,
    (select string_agg(concat_ws(' ', oid, xmin), ',' order by oid) from pg_constraint where oid >= 16384) as constraints,
    (select string_agg(version, ',' order by version) from supabase_migrations.schema_migrations) as migrations`;

/** Reads and writes as requests do, until told to stop. Returns how many requests there were. Throws when one fails. */
async function traffic(going: () => boolean): Promise<number> {
  const lanes = ["read", "write"].map(async (kind) => {
    const db = connect();
    await db`set session authorization authenticator`;
    await db`set role service_role`;
    let done = 0;
    for (; going() || done === 0; done++) {
      if (kind === "read") await db`select public.list_activity(${hashOf(key)}, 100)`;
      else await upsert(db, key, [{ external_id: `writer-${done % 50}`, name: `Writer ${done}`, points_cost: done }]);
    }
    await db.end();
    return done;
  });
  return (await Promise.all(lanes)).reduce((sum, done) => sum + done, 0);
}

/** The longest time, in milliseconds, that one session held a lock on a table which blocks writes. */
async function longestLock(going: () => boolean): Promise<number> {
  const db = connect();
  const since = new Map<string, number>();
  let longest = 0;
  while (going()) {
    const held = await db<{ lock: string }[]>`
      select concat_ws(' ', pid, relation::regclass) as lock from pg_locks
      where granted and mode in ('AccessExclusiveLock', 'ExclusiveLock', 'ShareRowExclusiveLock', 'ShareLock') and relation in (
        select oid from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r')`;
    const now = performance.now();
    for (const lock of since.keys()) if (!held.some((one) => one.lock === lock)) since.delete(lock);
    for (const { lock } of held) {
      if (!since.has(lock)) since.set(lock, now);
      longest = Math.max(longest, now - (since.get(lock) ?? now));
    }
  }
  await db.end();
  return longest;
}

test("a page that is being made while the newer migrations are applied is answered", async () => {
  await createDatabase(
    stack,
    "under_way",
    migrations.slice(0, 1).map((file) => `${root}/${file}`),
  );
  const [holder, reader] = [connect("under_way"), connect("under_way")];
  try {
    const own = await fill(holder, 10);
    const [{ pid } = { pid: 0 }] = await reader<{ pid: number }[]>`select pg_backend_pid() as pid`;
    // The request waits when it has begun and before it locks a table, which a migration may have to change.
    await holder.unsafe(`
      do $do$
      begin
        execute replace(pg_get_functiondef('app.authenticate'::regproc), 'authenticate', 'authenticate_of_before');
      end
      $do$;
      alter function app.authenticate_of_before owner to postgres;
      create or replace function app.authenticate(key_hash text, required_scope text) returns app.verified_key
      language plpgsql volatile security definer set search_path = '' as $$
      begin
        perform pg_advisory_xact_lock(1);
        return app.authenticate_of_before(key_hash, required_scope);
      end
      $$;
      alter function public.list_activity set lock_timeout = '60s';
      alter function public.list_activity set statement_timeout = '60s'`);
    await holder`begin`;
    await holder`select pg_advisory_xact_lock(1)`;
    const page = reader`select json_array_length(public.list_activity(${hashOf(own)}, 100)) as kudos`.execute();
    const waiting = () => holder`select from pg_locks where not granted and pid = ${pid}`.then((locks) => locks.length);
    await expect.poll(waiting, { interval: 5 }).toBe(1);
    for (const file of migrations.slice(1))
      await runSql(at(stack.database_url, "under_way"), await readFile(`${root}/${file}`, "utf8"));
    await holder`commit`;
    expect([...(await page)]).toEqual([{ kudos: 10 }]);
  } finally {
    await Promise.all([holder.end({ timeout: 5 }), reader.end({ timeout: 5 })]);
    await runSql(stack.superuser_url, "drop database under_way with (force)");
  }
});

// Proves: layer.18
test("from the first released migration to the newest: nothing is lost, no lock is held longer than a second", async () => {
  const tables = await shape();
  const before = await checksums(tables);
  let migrating = true;
  const work = traffic(() => migrating);
  const watch = longestLock(() => migrating);
  await push(root).finally(() => {
    migrating = false;
  });
  const [done, longest] = await Promise.all([work, watch]);
  expect(longest).toBeLessThan(1000);
  expect(await checksums(tables)).toEqual(before);
  const applied = await sql<
    { version: string }[]
  >`select version from supabase_migrations.schema_migrations order by 1`;
  const newest = migrations.map((file) => basename(file).split("_")[0]);
  expect(applied.map(({ version }) => version)).toEqual(newest.sort());
  tried(
    `migrations: ${applied.length - 1} after the first, over ${rows} rows a table, ${done} requests meanwhile, longest lock ${Math.round(longest)} ms`,
  );
}, 600_000);

test("a second run changes nothing", async () => {
  await push(root);
  const [before, sums] = [await catalog(), await checksums(await shape())];
  await push(root);
  expect(await catalog()).toEqual(before);
  expect(await checksums(await shape())).toEqual(sums);
});
