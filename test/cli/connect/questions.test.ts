// docs/connect/kudos-per-team.md: the table in each program, compared with the tables of the database.
import { DatabaseSync } from "node:sqlite";
import papaparse from "papaparse";
import { expect, test } from "vitest";
import { environment, run, workFolder } from "../../support/command_line.ts";
import { companyOfTest } from "../../support/companies.ts";
import { allServed, list, sql } from "../../support/stack.ts";
import { appsScript } from "./apps_script.ts";
import { blocks, runRecipe } from "./recipe.ts";

const folder = workFolder();

/** A company with kudos to people of two teams and of none, also just before and behind the beginning of a month in Berlin. */
async function makeTeams() {
  const { company, key } = await companyOfTest("Questions", ["read:members", "read:activity", "read:analytics"]);
  const { id } = company;
  await sql`insert into app.teams (company_id, name) values (${id}, 'Red, "hot"'), (${id}, '=Blue')`;
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

/** Month, team and kudos, as the tables have them. */
async function counted(company: string, zone: string): Promise<unknown[][]> {
  const rows = await sql`
    select to_char(k.created_at at time zone ${zone}, 'YYYY-MM') as month, coalesce(t.name, 'No Team') as team, count(*)::int as kudos
    from app.kudos as k
    join app.members as m on m.id = k.receiver_id
    left join app.teams as t on t.id = m.team_id
    where k.company_id = ${company}
    group by 1, 2`.values();
  return rows.sort();
}

test("kudos-per-team.md: curl, Google Sheets and SQLite show what the tables have", async () => {
  const company = await makeTeams();
  const inBerlin = await counted(company.id, "Europe/Berlin");
  const inUtc = await counted(company.id, "UTC");
  expect(inBerlin).not.toEqual(inUtc);
  expect(new Set(inBerlin.map(([, team]) => team)).size).toBe(3);

  const [curl = ""] = blocks("kudos-per-team.md", "sh");
  const csv = await runRecipe(folder, company.key, "sh", ["-c", curl]);
  const { data } = papaparse.parse<Record<string, string>>(csv.trimEnd(), { header: true });
  const byCurl = data.map((row) => [row.month?.slice(0, 7), row.receiver_team_name, Number(row.kudos)]);
  expect(byCurl.sort()).toEqual(inBerlin);

  const google = appsScript("google-sheets.gs", `${company.key}\n`);
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
  const moods = await sql`
    select to_char(r.created_at at time zone 'Europe/Berlin', 'YYYY-MM') as month, t.name as team, count(*)::int as ratings,
      round(avg(r.rating), 2)::float as average
    from app.day_ratings as r join app.teams as t on t.id = r.team_id where r.company_id = ${company.id} group by 1, 2`.values();
  expect(shown("Mood per team")).toEqual({ heads: ["month", "team", "ratings", "average"], rows: moods.sort() });

  await allServed();
  await run(["sync", "company.sqlite"], folder, environment(company.key));
  const copy = new DatabaseSync(`${folder}/company.sqlite`, { readOnly: true });
  const [query = "", shares = "", scores = ""] = blocks("kudos-per-team.md", "sql");
  expect(copy.prepare(query).all().map(Object.values).sort()).toEqual(inUtc);
  const percents = copy.prepare(shares).all() as { team: string; people: number; percent: number }[];
  const quarter = `since=${new Date(Date.now() - 90 * 86_400_000).toISOString().slice(0, 10)}`;
  const given = await list(`/activity/counts?by=sender_team&include=senders&${quarter}`, company.key);
  expect(percents.map(({ team, people, percent }) => [team, Math.round((people * percent) / 100)]).sort()).toEqual(
    given.map(({ sender_team_name, senders }) => [sender_team_name, senders]).sort(),
  );
  expect(copy.prepare(scores).all()).toEqual([{ month: "2026-03", answers: 4, nps: 25 }]);
  copy.close();
});
