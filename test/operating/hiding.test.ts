// The fewest people of a company (docs/privacy.md): loads, ratings that were there before, and what brings rows as they
// were stored. Which teams are hidden is in test/sql/069_hidden_teams.sql.
import postgres from "postgres";
import { afterAll, beforeEach, expect, test } from "vitest";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { type Cells, countsOf, type Files, good, ids, stage } from "../support/loading.ts";
import { createCompany, type ProjectCompany } from "../support/project_companies.ts";
import { hold } from "../support/rpc.ts";
import { everything, newProject, removeProjects } from "../support/two_projects.ts";

const { url, sql } = await newProject();
let company: ProjectCompany;
beforeEach(async () => {
  company = await createCompany(sql, "Hiding");
});
afterAll(removeProjects);

const { rating, bareRating } = ids;

/** Files with two teams: Design has ten people, Sales has Olaf, who has rated, too; and somebody has no team. */
function files(): Files {
  const { members: [ines, olaf] = [], day_ratings: [rated, bare] = [], ...others } = good();
  const person = (n: number) => ({ ...ines, id: `${ids.ines.slice(0, -2)}9${n}`, email: `${n}@files.example` });
  return {
    ...others,
    members: [ines, { ...olaf, team_id: ids.sales }, ...Array.from(Array(9).keys(), person)] as Cells[],
    day_ratings: [rated, { ...bare, team_id: ids.sales, created_at: "2026-03-29T02:30:15.5+05:30" }] as Cells[],
  };
}

/** What an operator does, and the notices that it gets. In another time zone the hour begins at another minute. */
async function operate<T>(act: (operator: postgres.Sql) => Promise<T>, statement_timeout = 0): Promise<[T, string[]]> {
  const notices: string[] = [];
  const onnotice = ({ message = "" }: postgres.Notice) => void notices.push(message);
  const connection = { TimeZone: "Asia/Kolkata", DateStyle: "SQL, DMY", statement_timeout };
  const operator = postgres(url, { max: 1, onnotice, connection });
  try {
    return [await act(operator), notices];
  } finally {
    await operator.end();
  }
}

/** Loads files. Returns the counts of ratings, and the notices about them. */
async function load(loaded: Files): Promise<[counts: string[] | undefined, ...notices: string[]]> {
  const [rows, notices] = await operate((operator) =>
    operator.begin(async (tx) => {
      await stage(tx, loaded);
      return await tx<Cells[]>`select * from app.load_staging(${company.id}, true)`;
    }),
  );
  const counts = countsOf(rows.map((row) => Object.values(row))).day_ratings;
  return [counts, ...notices.filter((notice) => notice.startsWith("day_ratings"))];
}

const notice = (rows: number) => `day_ratings: ${rows} rows without their team: fewest_people is 5`;

/** Calls the procedure. Returns its notices. */
async function setFewest(number: number, timeout?: number): Promise<string[]> {
  const call = `call app.set_fewest_people('${company.id}', ${number})`;
  return (await operate((operator) => operator.unsafe(call).simple(), timeout))[1];
}

/** Each rating's team and time, by id. */
async function stored(): Promise<Record<string, string>> {
  const rows = await sql`
    select id, concat_ws(' ', coalesce(team_id::text, 'none'), app.iso_8601(created_at)) as said
    from app.day_ratings where company_id = ${company.id}`;
  return Object.fromEntries(rows.map(({ id, said }) => [id, said]));
}

/** How many ratings have a team of fewer than five people. */
const named = async () => {
  const [row] = await sql`
    select count(*)::integer as found from app.day_ratings as d where d.company_id = ${company.id} and d.team_id is not null
      and (select count(*) from app.members as m where m.company_id = d.company_id and m.team_id = d.team_id) < 5`;
  return row?.found;
};

// Proves: subject.3
test("a load hides the teams of new ratings by the sizes of that day, and says how many; stored ratings wait for the number", async () => {
  await load(files());
  await sql`update app.companies set fewest_people = 5 where id = ${company.id}`;
  const asWritten = await stored();
  expect(await load(files())).toEqual([["0", "0", "2"]]);
  expect(await stored()).toEqual(asWritten);
  const corrected = files();
  Object.assign(corrected.day_ratings?.[0] as Cells, { team_id: ids.sales });
  expect(await load(corrected), "a team that it gets now").toEqual([["0", "1", "1"], notice(1)]);
  expect(await setFewest(5)).toEqual(["1 ratings lost their team"]);
  const hidden = { [rating]: "none 2026-11-20T18:00:00.000000Z", [bareRating]: "none 2026-03-28T21:00:00.000000Z" };
  expect(await stored()).toEqual(hidden);

  await sql`delete from app.day_ratings where company_id = ${company.id}`;
  expect(await load(files())).toEqual([["2", "0", "0"], notice(2)]);
  expect(await stored()).toEqual(hidden);
  // Sales has grown, and is still hidden where it was.
  await sql`
    insert into app.members (company_id, name, email, team_id)
    select ${company.id}, 'New', n || '@new.example', ${ids.sales} from generate_series(1, 20) as n`;
  await sql`update app.members set team_id = ${ids.design} where company_id = ${company.id} and team_id is null`;
  const before = await everything(sql);
  expect(await load(files())).toEqual([["0", "0", "2"], notice(2)]);
  expect(await everything(sql)).toEqual(before);
  Object.assign(corrected.day_ratings?.[1] as Cells, { rating: "2" });
  expect(await load(corrected)).toEqual([["0", "1", "1"], notice(2)]);
  expect(await stored()).toEqual(hidden);
});

test("repair.sql numbers ratings anew, and hides nothing", async () => {
  await load(files());
  await sql`update app.companies set fewest_people = 5 where id = ${company.id}`;
  await sql.unsafe(`
    alter table app.day_ratings disable trigger user;
    update app.day_ratings set changed_in = '9000000000';
    alter table app.day_ratings enable trigger user`);
  const before = await stored();
  await runCommand("psql", [url, "--single-transaction", "--file", `${root}/sql/commands/repair.sql`]);
  expect(await stored()).toEqual(before);
  expect(await sql`select from app.day_ratings where changed_in = '9000000000'`).toHaveLength(0);
});

/** A day's worth of ratings in both teams and in none, as a service writes them. */
const rate = (on: postgres.Sql | postgres.TransactionSql, count: number) => on`
  insert into app.day_ratings (company_id, rating, team_id)
  select ${company.id}, 3, (array[${ids.design}, ${ids.sales}, null]::uuid[])[1 + n % 3] from generate_series(1, ${count}) as n`;

// Proves: subject.3
test("the number holds for all ratings, beside two who write and one whose snapshot is older; each rating gets a new change", async () => {
  await load({ ...files(), day_ratings: [] });
  // So that Design alone is named, and covers nobody.
  await sql`update app.members set team_id = ${ids.sales} where company_id = ${company.id} and team_id is null`;
  await sql`insert into app.teams (company_id, name) values (${company.id}, 'Third')`;
  await sql`
    insert into app.members (company_id, name, email, team_id)
    select company_id, 'Third', n || '@third.example', id from app.teams, generate_series(1, 6) as n
    where company_id = ${company.id} and name = 'Third'`;
  await rate(sql, 10_000);
  const [{ mark } = { mark: "" }] = await sql`select pg_current_xact_id()::text as mark`;
  const old = await hold(sql, "select from app.companies", [], "repeatable read");
  let isOver = false;
  const writers = [1, 2].map(async () => {
    while (!isOver) await rate(sql, 30);
  });
  const run = setFewest(5).finally(() => {
    isOver = true;
  });
  const waiting = () => sql`
    select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'
      and exists (select from app.companies where id = ${company.id} and fewest_people = 5)`;
  await expect.poll(async () => (await waiting()).length, { interval: 5, timeout: 10_000 }).toBe(1);
  expect(await named(), "it waits for the older snapshot").toBeGreaterThan(3000);
  await rate(old.tx, 30);
  await old.release("commit");
  const notices = await run;
  await Promise.all(writers);
  expect(notices[0]).toMatch(/^waiting for transactions that began earlier \(processes \d+/);
  expect(notices.at(-1)).toMatch(/^[3-9]\d{3} ratings lost their team$/);
  expect(await named()).toBe(0);
  const left = await sql`
    select count(*) filter (where team_id is not null) as named, count(*) filter (where changed_in <= ${mark}::xid8) as untouched,
      count(*) filter (where team_id is null and created_at <> date_trunc('hour', created_at, 'UTC')) as exact
    from app.day_ratings where company_id = ${company.id}`;
  expect(left[0]).toMatchObject({ untouched: "0", exact: "0" });
  expect(Number(left[0]?.named), "Design keeps its name").toBeGreaterThan(3000);
}, 60_000);

test("a run that is stopped leaves what it has done, and another one does the rest", async () => {
  await load({ ...files(), day_ratings: [] });
  await rate(sql, 20_000);
  await expect(setFewest(5, 300)).rejects.toThrow("statement timeout");
  await setFewest(5);
  expect(await named()).toBe(0);
}, 60_000);
