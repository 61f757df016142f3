// Old data and companies that leave (docs/operations.md): app.purge_before, app.purge_expired and app.delete_company.
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { beforeEach, expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { newCompany } from "../support/companies.ts";
import { call, list, sql, stack } from "../support/stack.ts";
import { good, ids, load, newLoading, tables } from "./loading.ts";

const { company, other, empty, contents } = await newLoading();
beforeEach(empty);

/** Adds this many kudos, day ratings and pulse responses on each of two days, one second apart. */
async function fill(id: string, count: number): Promise<void> {
  for (const [day, word] of [
    ["2025-01-01Z", "old"],
    ["2026-01-01Z", "new"],
  ] as const) {
    await sql`
      insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
      select ${id}, ${ids.ines}, ${ids.olaf}, ${ids.teamwork}, ${word}, ${day}::timestamptz + n * interval '1 second'
      from generate_series(0, ${count - 1}::int) as n`;
    await sql`
      insert into app.day_ratings (company_id, rating, comment, created_at)
      select ${id}, 3, ${word}, ${day}::timestamptz + n * interval '1 second' from generate_series(0, ${count - 1}::int) as n`;
    await sql`
      insert into app.pulse_responses (company_id, comment, created_at)
      select ${id}, ${word}, ${day}::timestamptz + n * interval '1 second' from generate_series(0, ${count - 1}::int) as n`;
  }
}

/** Calls a procedure as postgres, as an operator does. Returns the notices. */
async function run(call: string): Promise<string[]> {
  const notices: string[] = [];
  const connection = postgres(stack.database_url, {
    max: 1,
    onnotice: ({ message }) => notices.push(message ?? ""),
  });
  try {
    await connection.unsafe(`call app.${call}`).simple();
    return notices;
  } catch (error) {
    throw new Error([...notices, (error as Error).message].join("; "));
  } finally {
    await connection.end();
  }
}
const purge = (id: string, before: string | null) =>
  run(`purge_before('${id}', ${before === null ? "null" : `'${before}'`})`);

const { teams = [], members = [], categories = [] } = good();
const people = { teams, members, categories };
const left = async (id: string) =>
  (
    await sql`
      select
        (select count(*)::int from app.kudos where company_id = ${id}) as kudos,
        (select count(*)::int from app.day_ratings where company_id = ${id}) as day_ratings,
        (select count(*)::int from app.pulse_responses where company_id = ${id}) as pulse_responses`
  )[0];

// Proves: ageing.1
test("what was created before a time goes, to the microsecond, and nothing else: of this company and of no other", async () => {
  for (const { id } of [company, other]) {
    await load(id, people);
    await fill(id, 3);
  }
  await sql`delete from app.kudos where company_id = ${other.id} and message = 'new'`;
  const before = await Promise.all(
    tables.map((table) => sql`select * from ${sql(`app.${table}`)} where company_id = ${other.id}`),
  );
  expect(await purge(company.id, "2026-01-01T00:00:01Z")).toEqual([
    "kudos: 4 rows deleted",
    "day_ratings: 4 rows deleted",
    "pulse_responses: 4 rows deleted",
  ]);
  expect(await left(company.id)).toEqual({ kudos: 2, day_ratings: 2, pulse_responses: 2 });
  const [oldest] = await sql`select min(created_at) as at from app.kudos where company_id = ${company.id}`;
  expect(oldest?.at.toISOString()).toBe("2026-01-01T00:00:01.000Z");
  const after = await Promise.all(
    tables.map((table) => sql`select * from ${sql(`app.${table}`)} where company_id = ${other.id}`),
  );
  expect(after).toEqual(before);
  expect(await purge(company.id, "2026-01-01T00:00:01Z")).toEqual([
    "kudos: 0 rows deleted",
    "day_ratings: 0 rows deleted",
    "pulse_responses: 0 rows deleted",
  ]);
});

// Proves: ageing.2
test("it commits every 2,000 rows: what it meets locked it waits for with the rest done, and a request beside it waits for nothing", async () => {
  await load(company.id, people);
  await fill(company.id, 3000);
  const { api_key } = await company.makeKey();
  let purging: Promise<string[]> = Promise.resolve([]);
  await withDatabase(stack.superuser_url, (holding) =>
    holding.begin(async (tx) => {
      // The newest of the old rows is locked. The oldest rows are deleted first.
      await tx`
        select from app.kudos where company_id = ${company.id} and message = 'old' order by created_at desc limit 1 for update`;
      purging = purge(company.id, "2025-06-01Z");
      await expect.poll(async () => (await left(company.id))?.kudos).toBe(4000);
      expect((await list("/activity?limit=1000", api_key)).length).toBe(1000);
      await sql`
        insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
        select company_id, sender_id, receiver_id, category_id, 'came in meanwhile', '2024-01-01Z' from app.kudos
        where company_id = ${company.id} limit 1`;
      const reward = JSON.stringify({ external_id: "1", name: "Cup", points_cost: 1 });
      expect((await call("/rewards", api_key, { method: "POST", body: reward })).status).toBe(200);
    }),
  );
  await purging;
  expect(await left(company.id)).toEqual({ kudos: 3000, day_ratings: 3000, pulse_responses: 3000 });
});

test("it refuses a company that is not there or is moving away, no time, and a transaction that it could not commit", async () => {
  await expect(purge(randomUUID(), "2026-01-01Z")).rejects.toThrow("company_id must be the id of a company");
  await expect(purge(company.id, null)).rejects.toThrow("before must be a time");
  await sql`update app.companies set serving = 'moving', move_id = ${randomUUID()} where id = ${company.id}`;
  try {
    await expect(purge(company.id, "2026-01-01Z")).rejects.toThrow("is moving");
    await expect(load(company.id, good())).rejects.toThrow("is moving");
  } finally {
    await sql`update app.companies set serving = 'open' where id = ${company.id}`;
  }
  const inside = sql.begin((tx) => tx.unsafe(`call app.purge_before('${company.id}', '2026-01-01Z')`));
  await expect(inside).rejects.toThrow("invalid transaction termination");
});

// Proves: ageing.4
test("each company keeps what its retention says, one that fails stops no other, and sql/watch.sql sees it until it is done", async () => {
  for (const { id } of [company, other]) {
    await load(id, people);
    await fill(id, 3);
  }
  const keep = async (id: string, retention: string | null) =>
    sql`update app.companies set retention = ${retention}::interval where id = ${id}`;
  const overdue = async () =>
    (await runCommand("psql", [stack.database_url, "--csv", "--file", `${root}/sql/watch.sql`]))
      .split("\n")
      .find((row) => row.includes(",retention,"));
  await sql`create trigger stuck before delete on app.day_ratings for each row when (old.company_id = ${sql.unsafe(`'${company.id}'`)}) execute function app.refuse_change()`;
  try {
    await keep(company.id, `${Date.now() - Date.parse("2025-06-01Z")} milliseconds`);
    expect(await overdue()).toBe(`t,retention,${company.id}`);
    await keep(other.id, "100 years");
    const failed = await run("purge_expired()").catch((error: Error) => error.message);
    expect(failed).toContain(`${company.id}: kudos: 3 rows deleted`);
    expect(failed).toContain(`${company.id}: day_ratings: 0 rows deleted, then: `);
    expect(failed).toContain(`${company.id}: pulse_responses: 3 rows deleted`);
    expect(failed).toContain("1 of 3 purges failed");
    expect(await overdue()).toBe(`t,retention,${company.id}`);
    await sql`drop trigger stuck on app.day_ratings`;
    expect(await run("purge_expired()")).toEqual([`${company.id}: day_ratings: 3 rows deleted`, "3 rows deleted"]);
    expect(await left(company.id)).toEqual({ kudos: 3, day_ratings: 3, pulse_responses: 3 });
    expect(await left(other.id)).toEqual({ kudos: 6, day_ratings: 6, pulse_responses: 6 });
    expect(await run("purge_expired()")).toEqual(["0 rows deleted"]);
    expect(await overdue()).toBe("f,retention,none");
  } finally {
    await sql`drop trigger if exists stuck on app.day_ratings`;
    for (const { id } of [company, other]) await keep(id, null);
  }
});

// Proves: ageing.3, layer.17
test("a company that leaves takes everything with it: its keys are refused at once, and nothing of another company is touched", async () => {
  const leaving = await newCompany("Leaving");
  const { api_key } = await leaving.makeKey();
  await load(leaving.id, good());
  await load(other.id, good());
  const row = { external_id: "1", name: "Cup", points_cost: 1 };
  expect((await call("/rewards", api_key, { method: "POST", body: JSON.stringify(row) })).status).toBe(200);
  const { api_key: theirs } = await other.makeKey();
  const before = await contents();
  const deleted = await withDatabase(stack.database_url, async (operator) => {
    await operator`select from app.erase_member(${leaving.id}, ${ids.ines}, false)`;
    return await operator`select * from app.delete_company(${leaving.id})`;
  });
  expect([...deleted]).toEqual([{ members: "2", kudos: "2", keys: "1", accounts: "1" }]);
  expect((await call("/members", api_key)).status).toBe(401);
  const named = await sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('app', 'auth', 'staging') and tablename <> 'deleted_companies'`;
  for (const { name } of named) {
    const found = await sql.unsafe(
      `select from ${name} as t where strpos(t::text, '${leaving.id}') > 0 or strpos(t::text, '${leaving.admin_email}') > 0`,
    );
    expect(found.length, name).toBe(0);
  }
  expect(await contents()).toEqual(before);
  expect((await call("/members", theirs)).status).toBe(200);
  const again = withDatabase(stack.database_url, (operator) => operator`select app.delete_company(${leaving.id})`);
  await expect(again).rejects.toThrow("company_id must be the id of a company");
});

test("Auth's tables are read once, however many people leave with a company", async () => {
  const id = randomUUID();
  await withDatabase(stack.database_url, (operator) =>
    operator.begin(async (tx) => {
      await tx`insert into app.companies (id, name) values (${id}, 'Large')`;
      await tx`
        insert into app.members (company_id, name, email)
        select ${id}, 'Member', n || '@large.example' from generate_series(1, 300) as n`;
      const [deleted] = await tx`select members from app.delete_company(${id})`;
      expect(deleted?.members).toBe("300");
      const [read] = await tx`
        select sum(seq_scan)::int as times from pg_stat_xact_all_tables where relid = 'auth.users'::regclass`;
      expect(read?.times).toBeLessThan(10);
    }),
  );
});
