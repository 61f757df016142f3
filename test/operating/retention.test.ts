// Old data and companies that leave (docs/operate/erase-and-retain.md): app.purge_before, app.purge_expired and app.delete_company.
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { afterAll, beforeEach, expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { good, ids, load } from "../support/loading.ts";
import { besideNeighbour } from "../support/neighbour.ts";
import { createCompany, importReward, type ProjectCompany, readList } from "../support/project_companies.ts";
import { hold, type IsolationLevel, isolationLevels } from "../support/rpc.ts";
import { everything, newProject, removeProjects } from "../support/two_projects.ts";

const { url, sql } = await newProject();
let company: ProjectCompany;
let other: ProjectCompany;
beforeEach(async () => {
  await sql`update app.companies set retention = null`;
  [company, other] = [await createCompany(sql, "Ageing"), await createCompany(sql, "Other")];
});
afterAll(removeProjects);

const tables = ["kudos", "day_ratings", "pulse_responses"];

const keepHalf = (id: string) => sql`update app.companies set retention = now() - '2025-06-01Z' where id = ${id}`;

/** Adds people, and this many kudos, day ratings and pulse responses on each of two days, one second apart. It keeps half. */
async function fill(id: string, count: number): Promise<void> {
  const { teams = [], members = [], categories = [] } = good();
  await load(url, id, { teams, members, categories });
  for (const day of ["2025-01-01Z", "2026-01-01Z"]) {
    const at = sql`${day}::timestamptz + n * interval '1 second' from generate_series(0, ${count - 1}::int) as n`;
    await sql`
      insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
      select ${id}, ${ids.ines}, ${ids.olaf}, ${ids.teamwork}, '', ${at}`;
    await sql`insert into app.day_ratings (company_id, rating, created_at) select ${id}, 3, ${at}`;
    await sql`insert into app.pulse_responses (company_id, comment, created_at) select ${id}, '', ${at}`;
  }
  await keepHalf(id);
}

/** Calls a procedure as postgres, in one message, as an operator and pg_cron do. Returns the notices; an error has them too. */
async function run(call: string, statement_timeout = 0, level: IsolationLevel = "read committed"): Promise<string[]> {
  const notices: string[] = [];
  const onnotice = ({ message }: postgres.Notice) => void notices.push(message ?? "");
  const connection = { statement_timeout, default_transaction_isolation: level };
  const operator = postgres(url, { max: 1, onnotice, connection });
  try {
    await operator.unsafe(`call app.${call}`).simple();
    return notices;
  } catch (error) {
    const { message, detail, code } = error as postgres.PostgresError;
    throw Object.assign(new Error([...notices, message, detail].join("; ")), { code, detail });
  } finally {
    await operator.end();
  }
}
const purge = (id: string, before: string, level?: IsolationLevel) =>
  run(`purge_before('${id}', '${before}')`, 0, level);

/** How many kudos, day ratings and pulse responses the company has, and the time of the oldest of each. */
async function left(id: string): Promise<{ rows: number; oldest: string }[]> {
  const found = tables.map(
    (table) => sql<{ rows: number; oldest: string }[]>`
      select count(*)::int as rows, min(created_at)::text as oldest from app.${sql(table)} where company_id = ${id}`,
  );
  return (await Promise.all(found)).flat();
}
const allLeft = (rows: number, oldest: string) => tables.map(() => ({ rows, oldest }));
const deleted = (rows: number) => tables.map((table) => `${table}: ${rows} rows deleted`);

// Proves: ageing.1
test("a purge deletes what the company created before a time, to the microsecond, and nothing else", async () => {
  for (const { id } of [company, other]) await fill(id, 3);
  const before = await everything(sql, company.id);
  expect(await purge(company.id, "2026-01-01T00:00:01Z")).toEqual(deleted(4));
  expect(await left(company.id)).toEqual(allLeft(2, "2026-01-01 00:00:01+00"));
  expect(await everything(sql, company.id)).toEqual(before);
  expect(await purge(company.id, "2026-01-01T00:00:01Z")).toEqual(deleted(0));
});

// Proves: ageing.2
test.each(isolationLevels)("at %s, a purge commits every 2,000 rows, and no request waits", async (level) => {
  await fill(company.id, 3000);
  // The newest of the old rows is locked. The oldest rows are deleted first.
  const held = await hold(
    sql,
    `select from app.kudos where company_id = $1 and created_at < '2026-01-01Z' order by created_at desc limit 1 for update`,
    [company.id],
  );
  const work = async () => {
    const purging = purge(company.id, "2025-06-01Z", level);
    await expect.poll(async () => (await left(company.id))[0]?.rows).toBe(4000);
    expect(await readList(sql, company.key)).toHaveLength(100);
    await importReward(sql, company.key, "1", level);
    await sql`
      insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
      select company_id, sender_id, receiver_id, category_id, 'came in meanwhile', '2024-01-01Z' from app.kudos
      where company_id = ${company.id} limit 1`;
    await held.release();
    await purging;
  };
  await besideNeighbour(work, () => readList(sql, other.key));
  expect(await left(company.id)).toEqual(allLeft(3000, "2026-01-01 00:00:00+00"));
});

test("a purge refuses an unknown company, one that is moving, no time, and a transaction that it could not commit", async () => {
  const unknown = { code: "22023", message: expect.stringContaining("company_id must be the id of a company") };
  await expect(purge(randomUUID(), "2026-01-01Z")).rejects.toMatchObject(unknown);
  await expect(run(`purge_before('${company.id}', null)`)).rejects.toThrow("before must be a time");
  await sql`update app.companies set serving = 'moving', move_id = ${randomUUID()} where id = ${company.id}`;
  await expect(purge(company.id, "2026-01-01Z")).rejects.toThrow("is moving");
  await expect(load(url, company.id, good())).rejects.toThrow("is moving");
  const inside = sql.begin((tx) => tx.unsafe(`call app.purge_before('${other.id}', '2026-01-01Z')`));
  await expect(inside).rejects.toThrow("invalid transaction termination");
});

/** What sql/commands/watch.sql prints. */
const watch = async () =>
  (await runCommand("psql", [url, "--csv", "--file", `${root}/sql/commands/watch.sql`])).split("\n");

// Proves: ageing.4
test("each company keeps what its retention says, a failure stops no other purge, and sql/commands/watch.sql shows it until it is done", async () => {
  for (const { id } of [company, other]) await fill(id, 3);
  await sql`update app.companies set retention = '100 years' where id = ${other.id}`;
  const overdue = async () => (await watch()).find((row) => row.includes(",retention,"));
  await sql.unsafe(`
    create trigger stuck before delete on app.day_ratings
    for each row when (old.company_id = '${company.id}') execute function app.refuse_change()`);
  expect(await overdue()).toBe(`t,retention,${company.id}`);
  const failed = await run("purge_expired()").catch((error: Error) => error.message);
  expect(failed).toContain(`${company.id}: kudos: 3 rows deleted`);
  expect(failed).toContain(`${company.id}: day_ratings: 0 rows deleted, then: `);
  expect(failed).toContain(`${company.id}: pulse_responses: 3 rows deleted`);
  expect(failed).toContain("1 of 3 purges failed");
  expect(await overdue()).toBe(`t,retention,${company.id}`);
  await sql`drop trigger stuck on app.day_ratings`;
  expect(await run("purge_expired()")).toEqual([`${company.id}: day_ratings: 3 rows deleted`, "3 rows deleted"]);
  expect(await left(company.id)).toEqual(allLeft(3, "2026-01-01 00:00:00+00"));
  expect(await left(other.id)).toEqual(allLeft(6, "2025-01-01 00:00:00+00"));
  expect(await run("purge_expired()")).toEqual(["0 rows deleted"]);
  expect(await overdue()).toBe("f,retention,none");
});

test("with a time limit, as pg_cron has one, a locked company is named and purged the next night, and the others at once", async () => {
  for (const { id } of [company, other]) await fill(id, 3);
  const loading = await hold(sql, "select from app.companies where id = $1 for update", [company.id]);
  const why = "0 rows deleted, then: canceling statement due to lock timeout";
  // pg_cron keeps only the error.
  await expect(run("purge_expired()", 60_000)).rejects.toMatchObject({
    message: expect.stringContaining("1 of 4 purges failed"),
    detail: expect.stringMatching(`^${company.id}: (${tables.join("|")}): ${why}$`),
  });
  expect(await left(other.id)).toEqual(allLeft(3, "2026-01-01 00:00:00+00"));
  await loading.release();
  expect((await run("purge_expired()", 60_000)).at(-1)).toBe("9 rows deleted");
});

test("a table that somebody has locked whole keeps no other waiting, and is named; two nights at once do no harm", async () => {
  for (const { id } of [company, other]) await fill(id, 3);
  for (const mode of ["access exclusive", "exclusive"]) {
    const locked = await hold(sql, `lock table app.pulse_responses in ${mode} mode`);
    const rows = mode === "exclusive" ? 0 : 12;
    const left = `${rows} rows deleted; locked by somebody, and left: pulse_responses`;
    await expect(run("purge_expired()")).rejects.toThrow(left);
    const [row = ""] = (await watch()).filter((one) => one.includes(",locked tables,"));
    expect(row).toMatch(/^f,locked tables,"pulse_responses: 00:00:\d\d, process \d+"$/);
    await locked.release();
  }
  expect((await left(company.id)).map(({ rows }) => rows)).toEqual([3, 3, 6]);
  const both = (await Promise.all([run("purge_expired()"), run("purge_expired()")])).flat();
  const each = [company, other].map(({ id }) => `${id}: pulse_responses: 3 rows deleted`);
  expect(both.filter((line) => line.includes(":")).toSorted()).toEqual(each.toSorted());
});

test("an error of a night with many failures has their number, and ten of them", async () => {
  const many = await Promise.all(Array.from({ length: 11 }, () => createCompany(sql, "One of many")));
  for (const { id } of many) {
    await sql`insert into app.day_ratings (company_id, rating, created_at) values (${id}, 3, '2025-01-01Z')`;
    await keepHalf(id);
  }
  await sql`create trigger stuck before delete on app.day_ratings for each row execute function app.refuse_change()`;
  const failed = await run("purge_expired()").catch((error) => error);
  await sql`drop trigger stuck on app.day_ratings`;
  expect(failed.message).toContain("0 rows deleted; 11 of 11 purges failed");
  const ten = Array(10).fill(expect.stringContaining("day_ratings: 0 rows"));
  expect(failed.detail.split("\n")).toEqual([...ten, "and 1 more"]);
});

test("with too little time each part of the night has its share, and the next night begins with what this one left", async () => {
  await fill(company.id, 3000);
  await fill(other.id, 2);
  // Less late than the other company.
  await sql`update app.companies set retention = now() - '2025-03-01Z' where id = ${other.id}`;
  await sql`
    insert into app.deletions (company_id, relation, id, deleted_at)
    select ${other.id}, 'app.teams', gen_random_uuid(), now() - interval '91 days'`;
  // As slow as a busy disk: the first 2,000 rows take the time of the purge.
  await sql.unsafe(`
    create function app.wait() returns trigger language plpgsql as 'begin perform pg_sleep(3.1); return null; end';
    create trigger slow after delete on app.kudos execute function app.wait()`);
  const failed = await run("purge_expired()", 8000).catch((error: Error) => error.message);
  await sql.unsafe("drop function app.wait cascade");
  const rows = "2000 rows deleted; 2000 rows deleted; statement_timeout leaves no time for the rest";
  const late = "(6 tables of companies, 0 lists of recorded deletions)";
  expect(failed).toContain(`${rows}, which comes first in the next call ${late}`);
  expect(await sql`select from app.deletions where company_id = ${other.id}`).toHaveLength(0);
  const next = await run("purge_expired()");
  expect(next.slice(0, 2).toSorted(), "what was not begun is late longest").toEqual([
    `${company.id}: day_ratings: 3000 rows deleted`,
    `${company.id}: pulse_responses: 3000 rows deleted`,
  ]);
  const ofOther = tables.map((table) => `${other.id}: ${table}: 2 rows deleted`);
  const rest = ["7006 rows deleted", `${company.id}: kudos: 1000 rows deleted`, ...ofOther];
  expect(next.slice(2).toSorted()).toEqual(rest.toSorted());
});

test("a company that has moved away and left its rows keeps them no longer, and sql/commands/watch.sql says so until it is deleted", async () => {
  await fill(company.id, 2);
  const moved = async () => (await watch()).filter((row) => row.includes(",moved companies,"));
  expect(await moved()).toEqual(["f,moved companies,none"]);
  await sql`update app.companies set serving = 'readable', move_id = gen_random_uuid() where id = ${company.id}`;
  await sql`update app.api_key_uses set last_used_at = now() where company_id = ${company.id}`;
  expect(await moved()).toEqual([`f,moved companies,${company.id} (readable)`]);
  await sql`
    update app.api_key_uses set last_used_at = now() - interval '31 days' where company_id = ${company.id}`;
  await sql`update app.companies set serving = 'closed' where id = ${company.id}`;
  expect(await moved()).toEqual([`t,moved companies,${company.id} (closed)`]);
  await run("purge_expired()");
  expect(await left(company.id)).toEqual(allLeft(2, "2026-01-01 00:00:00+00"));
  await purge(company.id, "2026-01-01 00:00:01Z");
  expect(await left(company.id)).toEqual(allLeft(1, "2026-01-01 00:00:01+00"));
  await withDatabase(url, (operator) => operator`select app.delete_company(${company.id})`);
  expect(await moved()).toEqual(["f,moved companies,none"]);
});

test("with too little time the recorded deletions that are oldest are forgotten first, and those not reached are counted", async () => {
  for (const [place, { id }] of [company, other].entries())
    await sql`
      insert into app.deletions (company_id, relation, id, deleted_at)
      select ${id}, 'app.teams', gen_random_uuid(), now() - interval '91 days' - ${place}::int * interval '1 day'`;
  await sql.unsafe(`
    create function app.wait() returns trigger language plpgsql as 'begin perform pg_sleep(1.1); return null; end';
    create trigger slow after delete on app.deletions for each row execute function app.wait()`);
  const failed = await run("purge_expired()", 2000).catch((error: Error) => error.message);
  await sql.unsafe("drop function app.wait cascade");
  expect(failed).toContain("(0 tables of companies, 1 lists of recorded deletions)");
  const left = await sql`select company_id from app.deletions where company_id in (${company.id}, ${other.id})`;
  expect([...left]).toEqual([{ company_id: company.id }]);
  await run("purge_expired()");
});

test("recorded deletions are forgotten after 90 days without another deletion, and the others stay", async () => {
  const record = (list: string, days: number, rows: number) => sql`
    insert into app.deletions (company_id, relation, id, deleted_at)
    select ${company.id}, ${list}::text::regclass, gen_random_uuid(), now() - ${days}::int * interval '1 day'
    from generate_series(1, ${rows}::int)`;
  // More than are forgotten in one transaction.
  await record("app.rewards", 91, 10_001);
  await record("app.teams", 93, 1);
  await record("app.teams", 89, 1);
  // As in a project that was upgraded from 1.1, and after sql/commands/repair.sql.
  await sql`delete from app.forgotten_deletions`;
  // Younger, but of no use any more.
  await record("app.categories", 1, 2);
  await sql`select app.forget_cursors(${company.id}, 'categories')`;
  const signs = async () => (await watch()).filter((row) => row.includes(",recorded deletions,"));
  expect(await signs()).toEqual(["t,recorded deletions,1 older than 92 days"]);
  await run("purge_expired()");
  expect(await signs()).toEqual(["f,recorded deletions,0 older than 92 days"]);
  const left =
    await sql`select relation::text, deleted_at < now() - interval '90 days' as is_old from app.deletions where company_id = ${company.id}`;
  expect([...left]).toEqual([{ relation: "app.teams", is_old: false }]);
});

test("the night deletes what an admin let an assistant read and nobody fetched, and leaves the codes of this minute", async () => {
  await sql`
    insert into app.assistant_codes (company_id, code_hash, member_id, assistant, scopes, key_expires_at, bound_to, expires_at)
    select ${company.id}, sha256(name::bytea), ${company.admin}, name, '{read:members}', now(), '', now() + lasts
    from (values ('over', interval '-1 second'), ('waiting', '1 minute')) as codes (name, lasts)`;
  await run("purge_expired()");
  expect([...(await sql`select assistant from app.assistant_codes`)]).toEqual([{ assistant: "waiting" }]);
});

// Proves: ageing.3, layer.17
test("deleting a company deletes everything of it, refuses its keys at once, and changes nothing of another company", async () => {
  for (const { id } of [company, other]) await load(url, id, good());
  await importReward(sql, company.key, "1");
  const before = await everything(sql, company.id, company.email);
  const counts = await withDatabase(url, async (operator) => {
    await operator`select from app.erase_member(${company.id}, ${ids.ines}, false)`;
    return await operator`select * from app.delete_company(${company.id})`;
  });
  expect([...counts]).toEqual([{ members: "2", kudos: "2", keys: "1", accounts: "1" }]);
  await expect(readList(sql, company.key)).rejects.toThrow("Unauthorized");
  const after = await everything(sql);
  // The tests before have left tens of thousands of rows.
  const known = new Set(before);
  expect(after.filter((row) => !known.has(row))).toEqual([expect.stringMatching(/^app\.deleted_companies: /)]);
  expect(after).toHaveLength(before.length + 1);
  const again = withDatabase(url, (operator) => operator`select app.delete_company(${company.id})`);
  await expect(again).rejects.toThrow("company_id must be the id of a company");
});

test("Auth's tables are read once, however many people leave with a company", async () => {
  await sql`
    insert into app.members (company_id, name, email)
    select ${company.id}, 'Member', n || '@large.example' from generate_series(1, 300) as n`;
  await withDatabase(url, (operator) =>
    operator.begin(async (tx) => {
      const [gone] = await tx`select members from app.delete_company(${company.id})`;
      expect(gone?.members).toBe("301");
      const [read] = await tx`
        select sum(seq_scan)::int as times from pg_stat_xact_all_tables where relid = 'auth.users'::regclass`;
      expect(read?.times).toBeLessThan(10);
    }),
  );
});
