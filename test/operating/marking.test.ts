// Rows that a transaction is still adding are marked as changed, too, when a name that they show changes meanwhile:
// otherwise a copy would keep the old name (docs/api.md, Keeping a copy).
import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { createCompany, newProject, removeProjects, waitsForLock } from "../support/two_projects.ts";

const { sql } = await newProject();
afterAll(removeProjects);

// Proves: copies.9
test.each([
  [
    "the company's default language",
    "update app.companies set default_language = 'de' where id = $1",
    `with category as (insert into app.categories (company_id) values ($1) returning *)
    insert into app.category_names select company_id, id, language, language from category, unnest(array['de', 'en']) as language`,
    "app.categories",
  ],
  [
    "the question of an answer",
    "update app.pulse_questions set question = 'Now?' where company_id = $1",
    "insert into app.pulse_responses (company_id, question_id) select company_id, id from app.pulse_questions where company_id = $1",
    "app.pulse_responses",
  ],
])("a change of %s waits for a row that is being added, and marks it", async (_what, change, add, table) => {
  const { id } = await createCompany(sql, "Marking");
  await sql`insert into app.pulse_questions (company_id, id, question) values (${id}, ${randomUUID()}, 'How?')`;
  const [adding, changing] = [await sql.reserve(), await sql.reserve()];
  await adding`begin`;
  await adding.unsafe(add, [id]);
  const [session] = await changing`select pg_backend_pid() as pid`;
  let changed = false;
  const nameChanged = changing
    .unsafe(`${change} returning pg_current_xact_id()::text as transaction`, [id])
    .then((rows) => {
      changed = true;
      return rows[0]?.transaction;
    });
  const waits = async () =>
    changed || (await sql`select from pg_locks where pid = ${session?.pid} and not granted`).length > 0;
  await expect.poll(waits, { interval: 5 }).toBe(true);
  await adding`commit`;
  const transaction = await nameChanged;
  for (const session of [adding, changing]) session.release();
  const rows = await sql.unsafe(`select changed_in::text as transaction from ${table} where company_id = $1`, [id]);
  expect([...rows]).toEqual([{ transaction }]);
});

const named = (language: string, name: string) => `
  insert into app.category_names select company_id, id, '${language}', '${name}' from app.categories where company_id = $1`;

// Proves: copies.9
test.each([
  ["two names", named("de", "Zusammenhalt"), named("en", "Teamwork"), "Zusammenhalt"],
  [
    "a name and the company's default language",
    named("fr", "Esprit d’équipe"),
    "update app.companies set default_language = 'fr' where id = $1",
    "Esprit d’équipe",
  ],
  [
    "the company's default language and a name",
    "update app.companies set default_language = 'fr' where id = $1",
    named("fr", "Esprit d’équipe"),
    "Esprit d’équipe",
  ],
])("a category has the right name when %s are written at the same time", async (_what, first, second, name) => {
  const { id } = await createCompany(sql, "Naming", "de");
  await sql`insert into app.categories (company_id) values (${id})`;
  await sql.unsafe(named("es", "Equipo"), [id]);
  const [holding, waiting] = [await sql.reserve(), await sql.reserve()];
  await holding`begin`;
  await holding.unsafe(first, [id]);
  const [session] = await waiting`select pg_backend_pid() as pid`;
  const written = waiting.unsafe(second, [id]).execute();
  await waitsForLock(session?.pid);
  await holding`commit`;
  await written;
  for (const session of [holding, waiting]) session.release();
  expect([...(await sql`select name from app.categories where company_id = ${id}`)]).toEqual([{ name }]);
});
