// Moving a company to another project (docs/moving-a-company.md): what arrives, and what is refused. The command runs
// as an operator runs it.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { carriedTables, notCarried } from "../../scripts/move/tables.ts";
import { ask, contents, importReward, moveCompany, newProject, type Run, servingIn } from "../support/two_projects.ts";
import {
  arriving,
  company,
  expectMoved,
  move,
  neighbour,
  newProjectsForEachTest,
  ofSource,
  ofTarget,
  other,
  others,
  source,
  target,
} from "./move_scene.ts";

newProjectsForEachTest();

// Proves: moving.3
test("every table of app is carried, or named as not", async () => {
  const database = new pg.Pool({ connectionString: target.url, max: 1 });
  onTestFinished(() => database.end());
  const carried = (await carriedTables(database)).map(({ name }) => name);
  const all = await target.sql<{ name: string }[]>`
    select 'app.' || relname as name from pg_class where relnamespace = 'app'::regnamespace and relkind in ('r', 'p')`;
  expect([...carried, ...Object.keys(notCarried)].sort()).toEqual(all.map(({ name }) => name).sort());
  const filled = Object.entries(await ofSource())
    .filter(([, rows]) => rows.length > 0)
    .map(([name]) => `app.${name}`);
  expect(filled.length, "the tests have rows to carry").toBeGreaterThanOrEqual(14);

  await target.sql`create table app.unclear (id integer primary key)`;
  await expect(carriedTables(database)).rejects.toThrow("app.unclear has no company_id");
});

// Proves: moving.3
test("a table that is new is carried without an edit", async () => {
  for (const { sql } of [source, target]) {
    await sql
      .unsafe(`
      set role postgres;
      create table app.badges (
        company_id uuid not null, id bigint generated always as identity, kudos_id uuid, upper_id bigint, label text, loud text generated always as (upper(label)) stored,
        primary key (company_id, id), foreign key (company_id, kudos_id) references app.kudos (company_id, id),
        foreign key (company_id, upper_id) references app.badges (company_id, id)
      );
      reset role`)
      .simple();
  }
  await source.sql`
    insert into app.badges (company_id, kudos_id, upper_id, label)
    select company_id, id, 1, message from app.kudos where company_id = ${company.id}`;
  await expectMoved(move());
  const moved = await ofTarget();
  expect(moved.badges).toHaveLength(1000);
  expect(moved.badges).toEqual((await ofSource()).badges);
  const [next] = await target.sql`insert into app.badges (company_id, label) values (${company.id}, '') returning id`;
  expect(next?.id).toBe("1001");
});

// Proves: moving.1, layer.19
test("everything arrives as it was, keys go on at the target, nobody else is touched", async () => {
  const page = await ask(source.sql, company.key);
  const [before, untouched] = [await arriving(), await others()];
  const output = await expectMoved(move());
  expect(output).toContain("      1000  app.kudos\n");
  expect(output).toContain(`${company.id} is served by the target; the source is closed`);

  expect(await ofTarget()).toEqual(before);
  expect(await others()).toEqual(untouched);
  expect(await target.sql`select from app.arriving_companies`).toHaveLength(0);
  const disabled = await target.sql`select tgname from pg_trigger where tgenabled <> 'O'`;
  expect([...disabled], "triggers that the copy has left off").toEqual([]);

  expect(await ask(target.sql, company.key)).toEqual(page);
  await importReward(target.sql, company.key, "after");
  await expect(ask(source.sql, company.key)).rejects.toMatchObject({ code: "PT401" });
  for (const { sql, key } of [
    { ...source, ...neighbour },
    { ...target, ...other },
  ])
    expect(await ask(sql, key)).toHaveLength(100);
});

// Proves: moving.2
test("each kudos looks for its people by their ids, also where the target believes that it has next to nobody", async () => {
  await source.sql`
    insert into app.members (company_id, name, email)
    select ${company.id}, 'Member', n || '@large.example' from generate_series(1, 3000) as n`;
  // A vacuum that ran while rows were being copied leaves such statistics.
  await target.sql`update pg_class set relpages = 1000, reltuples = 1 where oid = 'app.members'::regclass`;
  await expectMoved(move());
  const read = async () => {
    const [found] = await target.sql`
      select (seq_tup_read + idx_tup_fetch)::int as rows from pg_stat_user_tables where relid = 'app.members'::regclass`;
    return found?.rows;
  };
  // PostgreSQL counts the reads of a session when the session ends. Expected are 3,040 members for the
  // checksum, and two members for each of 1,000 kudos.
  await expect.poll(read).toBeGreaterThan(5000);
  expect(await read()).toBeLessThan(50_000);
});

// Proves: moving.1
test("an admin who is invited to the target manages the keys there: the history goes on where it was", async () => {
  // One copied event has an id far above the target's sequence, the others do not. The sequence must continue after
  // the highest id.
  await source.sql`select setval('app.api_key_events_id_seq', 1000)`;
  await source.sql`update app.companies set name = name`;
  await source.sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${JSON.stringify({ sub: company.admin })}, true)`;
    await tx`select public.create_api_key('late')`;
  });
  await expectMoved(move());
  const invited = randomUUID();
  await target.sql`insert into auth.users (id, email, email_confirmed_at) values (${invited}, ${company.email}, now())`;
  const events = await target.sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', ${JSON.stringify({ sub: invited })}, true)`;
    await tx`set local role authenticated`;
    const [linked] = await tx`select public.link_member() as answer`;
    expect(linked?.answer).toMatchObject({ status: "linked", role: "admin" });
    await tx`select public.create_api_key('new')`;
    const [listed] = await tx`select public.list_api_key_events() as events`;
    return listed?.events as { action: string; key_name: string }[];
  });
  expect(events.map(({ action, key_name }) => `${action} ${key_name}`)).toEqual([
    "created new",
    "created late",
    ...["revoked revoked", "created revoked", "created in use"],
  ]);
  const [last] = await target.sql`select max(id) as id from app.api_key_events`;
  expect(last?.id).toBe("1002");
});

// Proves: moving.1
test("an account is carried to where the target has it under the same id and address", async () => {
  const people = await source.sql<{ id: string; email: string }[]>`
    select id, email from app.members where company_id = ${company.id} and id <> ${company.admin} limit 3`;
  const [same, renamed, taken] = people.map(({ id }) => id);
  for (const { id, email } of people) {
    await source.sql`insert into auth.users (id, email) values (${id}, ${email})`;
    await source.sql`insert into app.member_accounts (user_id, company_id, member_id) values (${id}, ${company.id}, ${id})`;
    const there = id === renamed ? "someone@else.example" : email.toUpperCase();
    await target.sql`insert into auth.users (id, email) values (${id}, ${there})`;
  }
  const [free] = await target.sql`select id from app.members where company_id = ${other.id} and id <> ${other.admin}`;
  await target.sql`insert into app.member_accounts (user_id, company_id, member_id) values (${taken ?? null}, ${other.id}, ${free?.id})`;
  expect(await expectMoved(move())).toContain("1 of 4 accounts are known to the target");
  const linked = await target.sql`select user_id from app.member_accounts where company_id = ${company.id}`;
  expect([...linked]).toEqual([{ user_id: same }]);
});

// Proves: moving.6
test("left readable, the old side reads what was there when it moved, takes no import, and lets people be erased; run again, it is closed", async () => {
  const page = await ask(source.sql, company.key);
  await expectMoved(move("readable"));
  await importReward(target.sql, company.key, "after");
  expect(await ask(source.sql, company.key)).toEqual(page);
  await expect(importReward(source.sql, company.key, "late")).rejects.toMatchObject({ code: "PT403" });
  await expect(source.sql`select app.load_staging(${company.id})`).rejects.toThrow(
    "must be the id of a company that is served here",
  );
  for (const { sql } of [target, source]) await sql`select app.erase_member(${company.id}, ${company.admin}, true)`;
  expect(JSON.stringify([await ask(source.sql, company.key), await ofSource(), await ofTarget()])).not.toContain(
    company.email,
  );
  const moved = await ofTarget();
  expect(await expectMoved(move("closed"))).toContain("An earlier run had brought everything");
  await expect(ask(source.sql, company.key)).rejects.toMatchObject({ code: "PT401" });
  expect(await ofTarget()).toEqual(moved);
});

describe("refused, with nothing changed", () => {
  const all = async () => [
    await contents(source.sql, randomUUID(), "others"),
    await contents(target.sql, randomUUID(), "others"),
  ];

  /** Returns the output of a refused run, after checking that neither side has changed, not even a row's version. */
  async function refusal(run: () => Run): Promise<string> {
    const before = await all();
    const { code, output } = await run().ended;
    expect(code, output).toBe(1);
    expect(await all()).toEqual(before);
    expect(await target.sql`select from app.arriving_companies`).toHaveLength(0);
    return output;
  }

  // Proves: moving.4
  test.each([
    [
      "the target has anything of it",
      () => target.sql`insert into app.companies (id, name) values (${company.id}, 'Namesake')`,
      "app.companies of the target has rows of this company already. Nothing was changed",
    ],
    [
      "the migrations differ",
      () => target.sql`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`,
      "The migrations differ: source 2026",
    ],
    [
      "the tables differ all the same",
      () => target.sql`alter table app.kudos add column extra text`,
      "The tables differ, although the migrations do not",
    ],
  ])("when %s", async (_, change, said) => {
    await change();
    expect(await refusal(() => move())).toContain(said);
  });

  test("when the source has no such company, or it is not said which, or what becomes of the old side", async () => {
    for (const [said, ...args] of [
      ["The source has no such company", randomUUID(), "--leave", "closed"],
      ["Usage: npm run move-company", company.id],
      ["Usage: npm run move-company", company.id, "--leave", "open"],
      ["Usage: npm run move-company", "Moving", "--leave", "closed"],
      ["Usage: npm run move-company", "--leave", "closed"],
    ])
      expect(await refusal(() => moveCompany(source, target, ...args))).toContain(said);
  });

  test("when a database does not answer, without showing its address", async () => {
    const wrong = { ...target, url: target.url.replace(/:[^:@]+@/, ":wrong-password@") };
    const closed = { ...target, url: "postgres://postgres:secret@127.0.0.1:1/postgres" };
    for (const [to, code] of [
      [wrong, "28P01"],
      [closed, "ECONNREFUSED"],
    ] as const) {
      const output = await refusal(() => moveCompany(source, to, company.id, "--leave", "closed"));
      expect(output).toBe(`TARGET_DATABASE_URL: no connection (${code})\n`);
    }
  });

  test("when it has moved to another project than this", async () => {
    await expectMoved(move("readable"));
    const third = await newProject();
    const { code, output } = await moveCompany(source, third, company.id, "--leave", "closed").ended;
    await third.sql.end();
    expect([code, output]).toEqual([
      1,
      "The company has moved from the source to another project. Nothing was changed\n",
    ]);
    expect(await servingIn(source, company.id)).toBe("readable");
  });
});
