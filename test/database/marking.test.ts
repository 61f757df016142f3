// Rows that a transaction is still adding are marked as changed, too, when a name that they show changes meanwhile:
// otherwise a copy would keep the old name (docs/api.md, Keeping a copy).
import { randomUUID } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { createCompany, newProject, removeProjects } from "../support/two_projects.ts";

const { sql } = await newProject();
afterAll(removeProjects);

// Proves: copies.9
test.each([
  [
    "the company's default language",
    "update app.companies set default_language = 'de' where id = $1",
    "insert into app.categories (company_id) values ($1)",
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
