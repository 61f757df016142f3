// docs/connect/kudos-per-team.md: the table in each program, compared with the API.
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { environment, run, workFolder } from "../../support/command_line.ts";
import { companyOfTest } from "../../support/companies.ts";
import { allServed, call, list, sql } from "../../support/stack.ts";
import { appsScript } from "./apps_script.ts";
import { blocks, runRecipe } from "./recipe.ts";

const folder = workFolder();

/** A company with kudos to people of three teams, two of one name, and of none, also just before and behind the beginning of a month in Berlin. */
async function makeTeams() {
  const { company, key } = await companyOfTest("Questions", ["read:members", "read:activity", "read:analytics"]);
  const { id } = company;
  await sql`insert into app.teams (company_id, name) values (${id}, 'Red, "hot"'), (${id}, '=Blue'), (${id}, '=Blue')`;
  await sql`insert into app.members (company_id, name, email, role, team_id)
    select ${id}, t.name, t.id || ${`@${company.domain}`}, 'employee', t.id from app.teams as t where t.company_id = ${id}`;
  await sql`insert into app.categories (company_id) values (${id})`;
  await sql`insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select ${id}, m.id, m.id, c.id, 'thanks', date_trunc('month', now(), 'Europe/Berlin') - make_interval(months => n % 5) + (n % 3 - 1) * interval '1 minute'
    from app.members as m, app.categories as c, generate_series(1, 40) as n
    where m.company_id = ${id} and c.company_id = ${id} and (n % 7 < 4 or m.team_id is null)`;
  await sql`insert into app.day_ratings (company_id, rating, team_id, created_at)
    select ${id}, 1 + n % 4, t.id, now() - make_interval(days => 9 * n)
    from app.teams as t, generate_series(1, 30) as n where t.company_id = ${id}`;
  await sql`with question as (
      insert into app.pulse_questions (company_id, question, response_type) values (${id}, 'How likely?', 'nps') returning id
    )
    insert into app.pulse_responses (company_id, question_id, value, created_at)
    select ${id}, question.id, value::jsonb, '2026-03-05Z' from question, unnest('{10,9,8,6,null}'::text[]) as value`;
  return { id, key };
}

test("kudos-per-team.md: curl, Google Sheets and SQLite show what the API counts", async () => {
  const { id, key } = await makeTeams();
  /** Month, team and numbers. */
  const totals = async (query: string, zone = "Europe/Berlin"): Promise<unknown[][]> => {
    const rows = (await list(`${query}&time_zone=${zone}`, key)).map((row) => Object.values(row));
    return rows.map(([month, _id, ...rest]) => [String(month).slice(0, 7), ...rest]).sort();
  };
  const kudos = "/activity/counts?by=month,receiver_team";
  const [inBerlin, inUtc] = [await totals(kudos), await totals(kudos, "UTC")];
  expect(inBerlin).not.toEqual(inUtc);
  expect(new Set(inBerlin.map(([, team]) => team)).size).toBe(3);

  const [curl = ""] = blocks("kudos-per-team.md", "sh");
  const csv = await call(`${kudos}&time_zone=Europe/Berlin&format=csv`, key);
  expect(await runRecipe(folder, key, "sh", ["-c", curl])).toBe(await csv.text());

  const google = appsScript("google-sheets.gs", `${key}\n`);
  const shown = (name: string) => {
    const [heads, ...rows] = google.rows(name);
    return { heads, rows: rows.map(([month, team, ...rest]) => [month, team?.replace(/^'=/, "="), ...rest]).sort() };
  };
  google.run("kudosPerTeam");
  const cells = google.cells("Kudos per team");
  for (const row of cells) row[4] = "mine";
  google.run("kudosPerTeam");
  expect(shown("Kudos per team")).toEqual({ heads: ["month", "team", "kudos"], rows: inBerlin });
  expect(new Set(google.cells("Kudos per team").map((row) => row[4]))).toEqual(new Set(["mine"]));
  expect(() => appsScript("google-sheets.gs", "none").run("kudosPerTeam")).toThrow("401: ");

  google.run("moodPerTeam");
  const moods = await totals("/day-ratings/averages?by=month,team");
  expect(shown("Mood per team")).toEqual({ heads: ["month", "team", "ratings", "average"], rows: moods });

  for (const name of ["=Blue", "Green"]) {
    await sql`update app.teams set name = ${name} where company_id = ${id} and name = '=Blue'`;
    await allServed();
    await run(["sync", "company.sqlite"], folder, environment(key));
  }
  using copy = new DatabaseSync(`${folder}/company.sqlite`, { readOnly: true });
  const [query = "", shares = "", scores = ""] = blocks("kudos-per-team.md", "sql");
  expect(copy.prepare(query).all().map(Object.values).sort()).toEqual(await totals(kudos, "UTC"));
  const percents = copy.prepare(shares).all() as { team: string; people: number; percent: number }[];
  const quarter = `since=${new Date(Date.now() - 90 * 86_400_000).toISOString().slice(0, 10)}`;
  const given = await list(`/activity/counts?by=sender_team&include=senders&${quarter}`, key);
  expect(percents.map(({ team, people, percent }) => [team, Math.round((people * percent) / 100)]).sort()).toEqual(
    given.map(({ sender_team_name, senders }) => [sender_team_name, senders]).sort(),
  );
  expect(copy.prepare(scores).all()).toEqual([{ month: "2026-03", answers: 4, nps: 25 }]);
});
