// What a nosy admin, or another holder of a key that reads everything, learns of the people behind day ratings.
import postgres from "postgres";
import { expect, test } from "vitest";
import { companyOfTest } from "../support/companies.ts";
import { allServed, endWriter, list, sql, stack } from "../support/stack.ts";

/**
 * Whose rating is known, by joining all that a key reads: a team that any answer gives to a rating, and who is in it; who is
 * in no team that an answer names; and kudos of the same moment.
 */
async function namesBehindRatings(key: string): Promise<unknown[]> {
  await allServed();
  // All of it is on the first page.
  const read = (path: string) => list(path, key);
  const [people, changes, kudos] = [
    await read("/members"),
    await read("/day-ratings/changes?include=team_name"),
    await read("/activity?include=sender_id"),
  ];
  const teams = new Map<unknown, unknown>();
  for (const { id, team_id } of [...changes, ...(await read("/day-ratings"))]) if (team_id) teams.set(id, team_id);
  const filtered = new Set(people.map(({ team_id }) => team_id).filter((team) => team !== null));
  for (const team of filtered) for (const { id } of await read(`/day-ratings?team_id=${team}`)) teams.set(id, team);
  const totals = await read("/day-ratings/averages?by=day,team");
  const named = new Set([...teams.values(), ...totals.map(({ team_id }) => team_id)]);
  const found = changes.map(({ id, created_at }) => {
    const team = teams.get(id);
    const mine = people.filter(({ team_id }) => (team ? team_id === team : !named.has(team_id) || team_id === null));
    const thanked = kudos.filter(({ timestamp }) => timestamp === created_at).map(({ sender_id }) => sender_id);
    const sent = mine.filter((person) => thanked.includes(person.id));
    return mine.length === 1 ? mine[0]?.name : sent.length === 1 ? sent[0]?.name : null;
  });
  return found.filter((name) => name !== null).sort();
}

// Proves: actor.7, subject.1, subject.2, subject.4, subject.5
test("somebody alone in a team, somebody without one, and somebody who gave kudos in the same moment are known without a number, and nobody with it", async () => {
  const { company, key } = await companyOfTest("Anonymous");
  for (const [team, size] of Object.entries({ Solo: 1, Pair: 2, Crew: 6, Big: 8 })) {
    await sql`
      with team as (insert into app.teams (company_id, name) values (${company.id}, ${team}) returning id)
      insert into app.members (company_id, name, email, team_id)
      select ${company.id}, ${team} || n, ${team} || n || '@anonymous.example', team.id from team, generate_series(1, ${size}) as n`;
  }
  await sql`insert into app.categories (company_id) values (${company.id})`;
  /** A rating, in a transaction of its own, or in that of kudos. */
  const rate = (team: string | null, count = 1, on = sql as postgres.Sql | postgres.TransactionSql) => on`
    insert into app.day_ratings (company_id, rating, team_id)
    select ${company.id}, 2, (select id from app.teams where company_id = ${company.id} and name = ${team})
    from generate_series(1, ${count})`;
  const day = async () => {
    for (const team of ["Solo", null]) await rate(team);
    for (const team of ["Crew", "Big"]) await rate(team, 3);
    await sql.begin(async (tx) => {
      await tx`
        insert into app.kudos (company_id, sender_id, receiver_id, category_id, message)
        select ${company.id}, sender.id, receiver.id, c.id, 'Thanks'
        from app.members as sender, app.members as receiver, app.categories as c
        where sender.company_id = ${company.id} and receiver.company_id = ${company.id} and c.company_id = ${company.id}
          and sender.name = 'Pair1' and receiver.name = 'Big1'`;
      await rate("Pair", 1, tx);
    });
  };
  await day();
  expect(await namesBehindRatings(key)).toEqual(["First Admin", "Pair1", "Solo1"]);
  const { cursor } = (await list("/day-ratings/changes", key)).at(-1) ?? {};

  // As an operator does. The session that always writes, for which it would wait, is ended.
  const operator = postgres(stack.database_url, { max: 1, onnotice: () => void endWriter().execute() });
  await operator.unsafe(`call app.set_fewest_people('${company.id}', 5)`).simple();
  await operator.end();
  expect(await namesBehindRatings(key), "of the ratings that were there").toEqual([]);
  const changed = await list(`/day-ratings/changes?after=${cursor}`, key);
  expect(changed, "a copy learns it of every rating, and not of the hidden ones alone").toHaveLength(9);
  await day();
  expect(await namesBehindRatings(key), "of those that are written").toEqual([]);
});
