// Moving a company to another project (docs/moving-a-company.md): two databases, the command as an operator runs it.
import { randomUUID } from "node:crypto";
import pg from "pg";
import { afterAll, afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { carriedTables, notCarried } from "../../scripts/move/tables.ts";
import * as projects from "./two_projects.ts";
import { ask, contents, importReward, moveCompany, type Project, servingIn } from "./two_projects.ts";

let source: Project;
let target: Project;
let company: Awaited<ReturnType<typeof projects.found>>;
let neighbour: typeof company;
let other: typeof company;

beforeEach(async () => {
  [source, target] = [await projects.newProject(), await projects.newProject()];
  company = await projects.found(source.sql, "Moving");
  neighbour = await projects.found(source.sql, "Staying");
  other = await projects.found(target.sql, "There already");
}, 120_000);
afterEach(async () => {
  await Promise.all([source, target].map(({ sql }) => sql.end({ timeout: 5 })));
});
afterAll(projects.removeProjects);

const move = (oldSide = "closed") => moveCompany(source, target, company.id, "--leave", oldSide);

/** All of the company as it is now, by table. */
const ofSource = () => contents(source.sql, company.id, "own");
const ofTarget = () => contents(target.sql, company.id, "own");
const others = async () => [
  await contents(source.sql, company.id, "others"),
  await contents(target.sql, company.id, "others"),
];

/** What arrives of it: everything but the accounts, which belong to the project. */
const arriving = async (): Promise<Record<string, string[]>> => ({ ...(await ofSource()), member_accounts: [] });

const isMoving = () =>
  expect.poll(() => servingIn(source, company.id), { timeout: 15_000, interval: 20 }).toBe("moving");

async function expectMoved(run: projects.Run): Promise<string> {
  const { code, output } = await run.ended;
  expect(code, output).toBe(0);
  return output;
}

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

test("an admin who is invited to the target manages the keys there: the history goes on where it was", async () => {
  // The target has counted further and less far than the source: both must go on behind what has come.
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

test("left readable, the old side reads what was there when it moved, and takes no import; run again, it is closed", async () => {
  const page = await ask(source.sql, company.key);
  await expectMoved(move("readable"));
  await importReward(target.sql, company.key, "after");
  expect(await ask(source.sql, company.key)).toEqual(page);
  await expect(importReward(source.sql, company.key, "late")).rejects.toMatchObject({ code: "PT403" });
  await expect(source.sql`select app.load_staging(${company.id})`).rejects.toThrow(
    "must be the id of a company that is served here",
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

  /** Whose output it is, and that neither side has changed, down to the versions of rows. */
  async function refusal(run: () => projects.Run): Promise<string> {
    const before = await all();
    const { code, output } = await run().ended;
    expect(code, output).toBe(1);
    expect(await all()).toEqual(before);
    expect(await target.sql`select from app.arriving_companies`).toHaveLength(0);
    return output;
  }

  test("when the target has anything of it", async () => {
    await target.sql`insert into app.companies (id, name) values (${company.id}, 'Namesake')`;
    expect(await refusal(() => move())).toContain(
      "app.companies of the target has rows of this company already. Nothing was changed",
    );
  });

  test("when the migrations differ", async () => {
    await target.sql`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`;
    expect(await refusal(() => move())).toContain("The migrations differ: source 2026");
  });

  test("when the tables differ all the same", async () => {
    await target.sql`alter table app.kudos add column extra text`;
    expect(await refusal(() => move())).toContain("The tables differ, although the migrations do not");
  });

  test("when the source has no such company", async () => {
    expect(await refusal(() => moveCompany(source, target, randomUUID(), "--leave", "closed"))).toContain(
      "The source has no such company",
    );
  });

  test("when it is not said what becomes of the old side, or of which company", async () => {
    for (const args of [
      [company.id],
      [company.id, "--leave", "open"],
      ["Moving", "--leave", "closed"],
      ["--leave", "closed"],
    ])
      expect(await refusal(() => moveCompany(source, target, ...args))).toContain("Usage: npm run move-company");
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
    const third = await projects.newProject();
    const { code, output } = await moveCompany(source, third, company.id, "--leave", "closed").ended;
    await third.sql.end();
    expect([code, output]).toEqual([
      1,
      "The company has moved from the source to another project. Nothing was changed\n",
    ]);
    expect(await servingIn(source, company.id)).toBe("readable");
  });
});

describe("while others write", () => {
  test("an import that began before is waited for and carried; one that comes later is told to try again", async () => {
    const early = await source.sql.reserve();
    await early`begin`;
    await early`set local role service_role`;
    await early`select public.upsert_rewards(${projects.hashOf(company.key)}, '[{"external_id":"early","name":"R","points_cost":1}]'::text)`;
    const run = move();
    await isMoving();
    await expect(importReward(source.sql, company.key, "late")).rejects.toMatchObject({ code: "PT429" });
    expect(await ask(source.sql, company.key), "reading goes on").toHaveLength(100);
    expect(await ofTarget(), "nothing is copied before").toMatchObject({ companies: [] });
    await early`commit`;
    early.release();
    await expectMoved(run);
    const moved =
      await target.sql`select external_id from app.rewards where external_id in ('early', 'late') and company_id = ${company.id}`;
    expect([...moved]).toEqual([{ external_id: "early" }]);
  });

  test("nothing that was acknowledged is lost, nothing is doubled, and nobody else is refused", async () => {
    const acknowledged: string[] = [];
    const answers = new Set<string>();
    let going = true;
    // As an integration does: at the old address until it refuses the key, then at the new one.
    const mover = async (name: string): Promise<void> => {
      for (let n = 0; going; n++) {
        try {
          await importReward((answers.has("PT401") ? target : source).sql, company.key, `${name}-${n}`);
          acknowledged.push(`${name}-${n}`);
        } catch (error) {
          const { code } = error as { code: string };
          if (code !== "PT429" && code !== "PT401") throw error;
          answers.add(code);
        }
      }
    };
    const bystander = async ({ sql }: Project, key: string): Promise<number> => {
      let done = 0;
      for (; going; done++) await importReward(sql, key, `bystander-${done % 10}`);
      return done;
    };
    const writers = Promise.all([
      mover("a"),
      mover("b"),
      bystander(source, neighbour.key),
      bystander(target, other.key),
    ]);
    await expect.poll(() => acknowledged.length, { interval: 5, timeout: 15_000 }).toBeGreaterThan(10);
    await expectMoved(move());
    const atMove = acknowledged.length;
    await expect.poll(() => acknowledged.length, { interval: 5, timeout: 15_000 }).toBeGreaterThan(atMove + 10);
    going = false;
    const [, , here, there] = await writers;
    expect(Math.min(here, there)).toBeGreaterThan(5);
    const arrived =
      await target.sql`select external_id from app.rewards where company_id = ${company.id} and external_id ~ '^[ab]-'`;
    expect(arrived.map(({ external_id }) => external_id).sort()).toEqual(acknowledged.sort());
  });

  test("a key that is being made in the target is waited for, and requests there do not wait for the move", async () => {
    const maker = await target.sql.reserve();
    await maker`begin`;
    await maker`select set_config('request.jwt.claims', ${JSON.stringify({ sub: other.admin })}, true)`;
    await maker`select public.create_api_key('slow')`;
    const run = move();
    const waiting = () => target.sql`select from pg_locks where not granted and mode = 'ShareRowExclusiveLock'`;
    await expect.poll(async () => (await waiting()).length, { interval: 10, timeout: 15_000 }).toBe(1);
    expect(await ask(target.sql, other.key)).toHaveLength(100);
    await maker`commit`;
    maker.release();
    await expectMoved(run);
    expect((await ofTarget()).api_keys).toEqual((await ofSource()).api_keys);
  });
});

describe("broken off", () => {
  /** Keeps the command from going on in this table, from when its rows are to come in until `release`. */
  async function hold(
    { sql }: Project,
    statement: string,
  ): Promise<{ reached(): Promise<void>; endWaiting(): Promise<void>; release(): Promise<void> }> {
    const connection = await sql.reserve();
    await connection`begin`;
    await connection.unsafe(statement);
    const [me] = await connection`select pg_backend_pid() as pid`;
    return {
      reached: () =>
        expect
          .poll(
            async () => (await sql`select from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`).length,
            { interval: 10, timeout: 15_000 },
          )
          .toBeGreaterThan(0),
      async endWaiting() {
        await sql`select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${me?.pid} = any (pg_blocking_pids(pid))`;
      },
      async release() {
        await connection`rollback`;
        connection.release();
      },
    };
  }

  /** Kills it, and waits until neither database has a session of it left. */
  async function kill({ process, ended }: projects.Run): Promise<void> {
    process.kill("SIGKILL");
    await ended;
  }
  const gone = () =>
    expect
      .poll(
        async () =>
          (
            await source.sql`select from pg_stat_activity where application_name = 'move-company' and datname in (select current_database() union select ${new URL(target.url).pathname.slice(1)})`
          ).length,
        { interval: 20, timeout: 15_000 },
      )
      .toBe(0);

  test.each([
    ["before the copy", () => hold(source, "select"), false],
    ["in the first table", () => hold(target, "lock table app.companies in share mode"), true],
    ["in the midst of it", () => hold(target, "lock table app.kudos in share mode"), true],
    ["while keys are locked", () => hold(target, "lock table app.api_key_uses in share mode"), true],
  ])(
    "by a kill %s: the target has nothing, the company reads where it was, and running it again moves it",
    async (_, holding, blocks) => {
      const [before, untouched] = [await arriving(), await others()];
      const held = await holding();
      const run = move();
      await isMoving();
      if (blocks) await held.reached();
      await kill(run);
      await held.release();
      await gone();
      expect(await ofTarget()).toMatchObject({
        companies: [],
        members: [],
        kudos: [],
        api_keys: [],
        api_key_events: [],
      });
      expect(await servingIn(source, company.id)).toBe("moving");
      expect(await ask(source.sql, company.key)).toHaveLength(100);

      const third = await projects.newProject();
      const elsewhere = await moveCompany(source, third, company.id, "--leave", "closed").ended;
      await third.sql.end();
      expect(elsewhere).toEqual({
        code: 1,
        output: "The company is moving to another project than this target. Nothing was changed\n",
      });

      await expectMoved(move());
      expect(await ofTarget()).toEqual(before);
      expect(await others()).toEqual(untouched);
      await expect(ask(source.sql, company.key)).rejects.toMatchObject({ code: "PT401" });
    },
  );

  test("by a kill between the two commits: the company is served by the target, and running it again closes the source", async () => {
    const before = await arriving();
    let run: projects.Run;
    {
      const table = await hold(target, "lock table app.kudos in share mode");
      run = move();
      await table.reached();
      const row = await hold(source, `select from app.companies where id = '${company.id}' for update`);
      await table.release();
      await row.reached();
      await kill(run);
      // The statement that it had sent already; as if the machine that it ran on had gone before.
      await row.endWaiting();
      await row.release();
    }
    await gone();
    expect([await servingIn(source, company.id), await servingIn(target, company.id)]).toEqual(["moving", "open"]);
    expect(await ofTarget()).toEqual(before);
    await importReward(target.sql, company.key, "meanwhile");
    await expect(importReward(source.sql, company.key, "lost")).rejects.toMatchObject({ code: "PT429" });

    expect(await expectMoved(move())).toContain("An earlier run had brought everything");
    expect([await servingIn(source, company.id), await servingIn(target, company.id)]).toEqual(["closed", "open"]);
    const found =
      await target.sql`select external_id from app.rewards where company_id = ${company.id} and external_id in ('meanwhile', 'lost')`;
    expect([...found]).toEqual([{ external_id: "meanwhile" }]);
  });

  test.each([
    ["target", () => target],
    ["source", () => source],
  ])(
    "by the %s, in the midst of the copy: the company goes on where it was, and can be moved again",
    async (_, side) => {
      const [before, untouched] = [await arriving(), await others()];
      const held = await hold(target, "lock table app.kudos in share mode");
      const run = move();
      await held.reached();
      await side().sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'move-company' and datname = current_database() and (backend_xmin is not null or wait_event_type = 'Lock' or query ~ '^copy')`;
      await held.release();
      const { code, output } = await run.ended;
      expect(code, output).toBe(1);
      await gone();
      expect(await servingIn(source, company.id), output).toBe("open");
      expect(await ofTarget()).toMatchObject({ companies: [], kudos: [] });
      await importReward(source.sql, company.key, "again");
      await expectMoved(move());
      expect((await ofTarget()).kudos).toEqual(before.kudos);
      expect(await others()).toEqual(untouched);
    },
  );

  test("by rows that do not arrive as they were: nothing is there, the company goes on where it was", async () => {
    await target.sql
      .unsafe(`
      create function public.meddle() returns trigger language plpgsql as 'begin new.message := new.message || ''!''; return new; end';
      create trigger meddle before insert on app.kudos for each row execute function public.meddle();
      alter table app.kudos enable always trigger meddle`)
      .simple();
    const { code, output } = await move().ended;
    expect(code).toBe(1);
    expect(output).toMatch(/app\.kudos: 1000 rows with checksum -?\d+ became 1000 with -?\d+\./);
    expect(await servingIn(source, company.id)).toBe("open");
    expect(await ofTarget()).toMatchObject({ companies: [], kudos: [] });
    await importReward(source.sql, company.key, "after");
  });
});
