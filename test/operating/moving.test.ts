// Moving a company to another project (docs/operate/move-a-company.md) by the command: what arrives, what is refused,
// others who write at the same time, a run that is interrupted at any moment, and a move that is given up.
import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeEach, expect, test } from "vitest";
import { runSql, withDatabase } from "../../scripts/stack/database.ts";
import { codeBlocks } from "../support/pages.ts";
import { contents, importReward, type ProjectCompany, readList, returned } from "../support/project_companies.ts";
import { hold, type IsolationLevel, isolationLevels } from "../support/rpc.ts";
import { everything, moveCompany, newSides, type Project, type Run, removeProjects } from "../support/two_projects.ts";

let source: Project;
let target: Project;
/** The company that moves, another one of the source, and one that the target already has. */
let company: ProjectCompany;
let neighbour: ProjectCompany;
let other: ProjectCompany;
beforeEach(async () => {
  ({ source, target, company, neighbour, other } = await newSides());
  return () => Promise.all([source, target].map(({ sql }) => sql.end({ timeout: 5 })));
});
afterAll(removeProjects);

const move = (oldSide = "closed"): Run =>
  moveCompany(source, target, company.id, "--company", company.name, "--leave", oldSide);

/** All rows of the company on one side, by table. */
const ofSource = () => contents(source.sql, company.id);
const ofTarget = () => contents(target.sql, company.id);
/** The rows that must arrive in the target: all but the accounts, which belong to the project. */
const arriving = async (): Promise<Record<string, string[]>> => ({ ...(await ofSource()), member_accounts: [] });
const others = () => Promise.all([source, target].map(({ sql }) => everything(sql, company.id, company.admin)));
/** How the source and the target serve the company. */
const serving = () =>
  Promise.all(
    [source, target].map(async ({ sql }) => {
      const [row] = await sql`select serving from app.companies where id = ${company.id}`;
      return row?.serving;
    }),
  );

/** The output of a run that ends with this code: by default of one that has moved the company. */
async function ended(run = move(), wanted = 0): Promise<string> {
  const { code, output } = await run.ended;
  expect(code, output).toBe(wanted);
  return output;
}

// Proves: moving.1, moving.2, moving.3, layer.19, questions.14, subject.3
test("everything arrives as it was, a table that is new too, keys go on at the target, and no other company is touched", async () => {
  const badges = `
    create table app.badges (
      company_id uuid not null, id bigint generated always as identity, kudos_id uuid, upper_id bigint,
      label text, loud text generated always as (upper(label)) stored,
      primary key (company_id, id), foreign key (company_id, kudos_id) references app.kudos (company_id, id),
      foreign key (company_id, upper_id) references app.badges (company_id, id)
    )`;
  for (const { url } of [source, target]) await runSql(url, badges);
  await source.sql`
    insert into app.badges (company_id, kudos_id, upper_id, label)
    select company_id, id, 1, message from app.kudos where company_id = ${company.id}`;
  await source.sql`
    insert into app.members (company_id, name, email)
    select ${company.id}, 'Member', n || '@large.example' from generate_series(1, 3000) as n`;
  // Ratings that have the team of one person, and were stored before the company got a number.
  await source.sql`
    update app.day_ratings as d set team_id = (select max(t.id::text)::uuid from app.teams as t where t.company_id = d.company_id)
    where company_id = ${company.id} and rating = 3`;
  await source.sql`update app.companies set fewest_people = 100 where id = ${company.id}`;
  // Kudos of now with teams that are unknown, and one that is gone.
  await source.sql`
    update app.kudos set created_at = now(), receiver_team_then_id = case when message like '1%' then gen_random_uuid() end
    where company_id = ${company.id} and message like any ('{1%,2%}')`;
  const page = await readList(source.sql, company.key);
  const [before, untouched] = [await arriving(), await others()];
  expect(Object.values(before).filter(({ length }) => length > 0).length, "tables").toBeGreaterThanOrEqual(14);
  // A vacuum that ran while rows were being copied leaves such statistics.
  await target.sql`update pg_class set relpages = 1000, reltuples = 1 where oid = 'app.members'::regclass`;
  const output = await ended();
  for (const table of ["kudos", "badges"]) expect(output).toContain(`      1000  app.${table}\n`);
  expect(output).toContain(`${company.id} is served by the target; the source is closed`);

  expect(await ofTarget()).toEqual(before);
  expect(await others()).toEqual(untouched);
  expect(await target.sql`select from app.arriving_companies`).toHaveLength(0);
  expect(await target.sql`select from pg_trigger where tgenabled <> 'O'`, "triggers left off").toHaveLength(0);
  const [next] = await target.sql`insert into app.badges (company_id, label) values (${company.id}, '') returning id`;
  expect(next?.id).toBe("1001");

  expect(await readList(target.sql, company.key)).toEqual(page);
  await importReward(target.sql, company.key, "after");
  await expect(readList(source.sql, company.key)).rejects.toMatchObject({ code: "PT401" });
  // With another index, each kudos would read all entries of the company in it. PostgreSQL counts the scans of a session
  // when the session ends.
  const scanned = () => target.sql`
    select from pg_stat_user_indexes where indexrelid = 'app.members_pkey'::regclass and idx_scan >= 2000`;
  await expect.poll(scanned, { message: "for a sender and a receiver of 1,000 kudos" }).toHaveLength(1);
});

// Proves: moving.1
test("an account is carried to where the target has it under the same id and address; an admin who is invited manages the keys there, and the history goes on where it was", async () => {
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
  // One copied event has an id far above the target's sequence, the others do not. The sequence must continue after
  // the highest id.
  await source.sql`select setval('app.api_key_events_id_seq', 1000)`;
  await source.sql`update app.companies set name = name`;
  await returned(source.sql, company.admin, "public.create_api_key('late')");
  expect(await ended()).toContain("1 of 4 accounts are known to the target");
  const linked = await target.sql`select user_id from app.member_accounts where company_id = ${company.id}`;
  expect([...linked]).toEqual([{ user_id: same }]);

  const invited = randomUUID();
  await target.sql`insert into auth.users (id, email, email_confirmed_at) values (${invited}, ${company.email}, now())`;
  const inTarget = <Value>(call: string) => returned<Value>(target.sql, invited, `public.${call}`);
  expect(await inTarget("link_member()")).toMatchObject({ status: "linked", role: "admin" });
  await inTarget("create_api_key('new')");
  const events = await inTarget<{ action: string; key_name: string }[]>("list_api_key_events()");
  const history = ["created new", "created late", "revoked revoked", "created revoked", "created in use"];
  expect(events.map(({ action, key_name }) => `${action} ${key_name}`)).toEqual(history);
  const [last] = await target.sql`select max(id) as id from app.api_key_events`;
  expect(last?.id).toBe("1002");
});

// Proves: moving.6
test("left readable, the old side reads what was there when it moved, takes no import, and lets people be erased; run again, it is closed", async () => {
  const page = await readList(source.sql, company.key);
  await ended(move("readable"));
  await importReward(target.sql, company.key, "after");
  expect(await readList(source.sql, company.key)).toEqual(page);
  await expect(importReward(source.sql, company.key, "late")).rejects.toMatchObject({ code: "PT403" });
  const load = source.sql`select app.load_staging(${company.id})`;
  await expect(load).rejects.toThrow("must be the id of a company that is served here");
  for (const { sql } of [target, source]) await sql`select app.erase_member(${company.id}, ${company.admin}, true)`;
  const left = [await readList(source.sql, company.key), await ofSource(), await ofTarget()];
  expect(JSON.stringify(left)).not.toContain(company.email);
  const moved = await ofTarget();
  expect(await ended(move("closed"))).toContain("An earlier run had brought everything");
  await expect(readList(source.sql, company.key)).rejects.toMatchObject({ code: "PT401" });
  expect(await ofTarget()).toEqual(moved);
});

/** Returns the output of a refused run, after checking that neither side has changed, not even a row's version. */
async function refusal(run: () => Run): Promise<string> {
  const all = () => Promise.all([source, target].map(({ sql }) => everything(sql)));
  const before = await all();
  const output = await ended(run(), 1);
  expect(await all()).toEqual(before);
  return output;
}
const movedElsewhere = (how: string) =>
  source.sql`update app.companies set serving = ${how}, move_id = gen_random_uuid() where id = ${company.id}`;

/** What makes a move impossible, by the refusal. */
const obstacles: Record<string, () => Promise<unknown>> = {
  "app.companies of the target has rows of this company already. Nothing was changed": () =>
    target.sql`insert into app.companies (id, name) values (${company.id}, 'Namesake')`,
  "The migrations differ: source 2026": () =>
    target.sql`insert into supabase_migrations.schema_migrations (version) values ('29990101000000')`,
  "app.unclear has no company_id": () => source.sql`create table app.unclear (id integer primary key)`,
  "The tables differ, although the migrations do not": () => target.sql`alter table app.kudos add column extra text`,
  "The target can't answer requests: run sql/commands/check.sql there": () =>
    target.sql`revoke usage on schema app from service_role`,
  "The company is moving to another project than this target. Nothing was changed": () => movedElsewhere("moving"),
  "The company has moved from the source to another project. Nothing was changed": () => movedElsewhere("readable"),
};

// Proves: moving.3, moving.4
test.each(Object.entries(obstacles))("refused, with nothing changed: %s", async (message, change) => {
  await change();
  expect(await refusal(() => move())).toContain(message);
});

test("refused, with nothing changed, when the source has no such company, the arguments are wrong, or a database does not answer, whose address is not shown", async () => {
  const usage = "Usage: npm run move-company";
  const wrong = { ...target, url: target.url.replace(/:[^:@]+@/, ":wrong-password@") };
  const absent = { ...target, url: "postgres://postgres:secret@127.0.0.1:1/postgres" };
  for (const [to, message, ...args] of [
    [target, "The source has no such company", randomUUID(), "--leave", "closed"],
    [target, 'is "Moving": name it with --company. Nothing was changed', company.id, "--leave", "closed"],
    [target, 'is "Moving", not "Staying": name it', company.id, "--company", "Staying", "--leave", "closed"],
    [target, usage, company.id],
    [target, usage, company.id, "--leave", "open"],
    [target, usage, "Moving", "--leave", "closed"],
    [target, usage, "--leave", "closed"],
    [wrong, /^TARGET_DATABASE_URL: no connection \(password authentication failed/, company.id, "--leave", "closed"],
    [absent, /^TARGET_DATABASE_URL: no connection \(ECONNREFUSED\)[^:@]+\n$/, company.id, "--leave", "closed"],
  ] as [Project, string | RegExp, ...string[]][])
    expect(await refusal(() => moveCompany(source, to, ...args))).toMatch(message);
});

/** Waits until neither database has an open session of the command. */
const gone = () => expect.poll(sessions, { interval: 20 }).toHaveLength(0);
const sessions = () => source.sql`
  select from pg_stat_activity where application_name = 'move-company' and datname in (${source.name}, ${target.name})`;

test("a key that somebody is making in the target is waited for, and requests there do not wait for the move", async () => {
  const claims = `set_config('request.jwt.claims', '{"sub":"${other.admin}"}', true)`;
  const maker = await hold(target.sql, `select ${claims}, public.create_api_key('slow')`);
  const run = move();
  await maker.reached();
  expect(await readList(target.sql, other.key)).toHaveLength(100);
  await importReward(source.sql, neighbour.key, "beside");
  await importReward(target.sql, other.key, "beside");
  await returned(target.sql, other.admin, "public.create_api_key('beside')");
  await maker.release("commit");
  await ended(run);
  expect((await ofTarget()).api_keys).toEqual((await ofSource()).api_keys);
});

// Proves: moving.7, layer.19
test("writers, a kill at a random moment, and the command again: nothing that was acknowledged is lost or doubled", async () => {
  const sent: string[] = [];
  let going = true;
  // As an integration does: it goes on after a 429, and at the target after a 401.
  const writer = async (level: IsolationLevel) => {
    for (let side = source; going; ) {
      const external_id = randomUUID();
      const code = await importReward(side.sql, company.key, external_id, level).catch((error) => error.code);
      if (code === 1) sent.push(external_id);
      else if (code === "PT401") side = target;
      else expect(code).toBe("PT429");
    }
  };
  const before = (await ofSource()).rewards?.length ?? 0;
  const untouched = await others();
  const writing = Promise.all(isolationLevels.map(writer));
  const moreAreSent = (more: number) => expect.poll(() => sent.length).toBeGreaterThan(more);
  await moreAreSent(5);
  const killed = move();
  await pause(randomInt(1200));
  await killed.kill();
  await gone();
  await ended();
  await moreAreSent(sent.length + 5);
  going = false;
  await writing;
  expect(await others()).toEqual(untouched);
  const arrived = await target.sql`select external_id from app.rewards where company_id = ${company.id}`;
  expect(arrived).toHaveLength(before + sent.length);
  expect(arrived.map(({ external_id }) => external_id)).toEqual(expect.arrayContaining(sent));
});

/** Runs the statements of the page, one session on each side. Returns the result of the `delete` in the target. */
async function giveUp(): Promise<string> {
  const id = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
  const statements = codeBlocks("docs/operate/move-a-company.md").filter(({ language }) => language === "sql");
  const [atTarget = "", atSource = ""] = statements.slice(-2).map(({ text }) => text.replace(id, company.id));
  return withDatabase(target.url, (operator) =>
    operator.begin(async (tx) => {
      const { command, count } = await tx.unsafe(atTarget.replace("begin;", ""));
      if (count === 1) await runSql(source.url, atSource);
      return `${command} ${count}`;
    }),
  );
}

type End = (run: Run, release: () => Promise<void>) => Promise<void>;
const killed: End = async (run, release) => {
  await run.kill();
  await release();
};
const givenUp: End = async (run, release) => {
  await killed(run, release);
  // The statement waits until the transaction of the killed run has ended in the target.
  expect(await giveUp()).toBe("DELETE 1");
};
const disconnected =
  (side: () => Project): End =>
  async (run, release) => {
    await side().sql`
      select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'move-company' and datname = current_database()
        and (backend_xmin is not null or wait_event_type = 'Lock' or query ~ '^copy')`;
    await release();
    await ended(run, 1);
  };
const holdTable = (name: string) => () => hold(target.sql, `lock table app.${name} in share mode`);

// Proves: moving.8, moving.9
test.each<[how: string, holding: () => ReturnType<typeof hold>, end: End, now: string]>([
  ["by a kill before the copy", () => hold(source.sql, "select"), killed, "moving"],
  ["by a kill in the middle of the copy", holdTable("kudos"), killed, "moving"],
  ["by a kill, and given up with the statements of the page", holdTable("kudos"), givenUp, "open"],
  ["by the target", holdTable("kudos"), disconnected(() => target), "open"],
  ["by the source", holdTable("kudos"), disconnected(() => source), "open"],
])("broken off %s: the company is served where it was, and can be moved again", async (how, holding, end, now) => {
  const [before, untouched] = [await arriving(), await others()];
  const held = await holding();
  const run = move();
  await expect.poll(serving, { interval: 20 }).toEqual(["moving", undefined]);
  if (!how.includes("before")) await held.reached();
  await end(run, held.release);
  await gone();
  expect(Object.values(await ofTarget()).flat()).toEqual([]);
  expect(await arriving()).toEqual(before);
  expect(await serving()).toEqual([now, undefined]);
  expect(await readList(source.sql, company.key)).toHaveLength(100);
  if (now === "open") await importReward(source.sql, company.key, "again");

  await ended();
  expect(await ofTarget()).toEqual(await arriving());
  expect(await others()).toEqual(untouched);
  await expect(readList(source.sql, company.key)).rejects.toMatchObject({ code: "PT401" });
});

// Proves: moving.8, moving.9, layer.19
test("broken off by a kill between the two commits: the target serves the company, which cannot be given up, and running it again closes the source", async () => {
  const before = await arriving();
  const table = await holdTable("kudos")();
  const run = move();
  await table.reached();
  const row = await hold(source.sql, `select from app.companies where id = '${company.id}' for update`);
  await table.release();
  await row.reached();
  await run.kill();
  // Ends the statement that the command had already sent, as if its machine had been switched off before.
  await row.endWaiting();
  await row.release();
  await gone();
  expect(await ofTarget()).toEqual(before);
  expect(await giveUp()).toBe("DELETE 0");
  expect(await serving()).toEqual(["moving", "open"]);
  await importReward(target.sql, company.key, "meanwhile");
  await expect(importReward(source.sql, company.key, "lost")).rejects.toMatchObject({ code: "PT429" });

  expect(await ended()).toContain("An earlier run had brought everything");
  expect(await serving()).toEqual(["closed", "open"]);
  await expect(readList(source.sql, company.key)).rejects.toMatchObject({ code: "PT401" });
  expect((await ofTarget()).rewards).toHaveLength((before.rewards?.length ?? 0) + 1);
});

// Proves: moving.5
test("broken off by rows that do not arrive as they were: nothing is there, the company goes on where it was", async () => {
  await target.sql.unsafe(`
    create function public.meddle() returns trigger language plpgsql as 'begin new.message := new.message || ''!''; return new; end';
    create trigger meddle before insert on app.kudos for each row execute function public.meddle();
    alter table app.kudos enable always trigger meddle`);
  expect(await ended(move(), 1)).toMatch(/app\.kudos: 1000 rows with checksum -?\d+ became 1000 with -?\d+\./);
  expect(await serving()).toEqual(["open", undefined]);
  expect(Object.values(await ofTarget()).flat()).toEqual([]);
});
