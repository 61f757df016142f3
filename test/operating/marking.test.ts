// Rows that a transaction is still adding are marked as changed, too, when a name that they show changes meanwhile:
// otherwise a copy would keep the old name (docs/api.md, Keeping a copy).
import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { createCompany } from "../support/project_companies.ts";
import { again, atEachLevel, hold, type IsolationLevel, isolationLevels } from "../support/rpc.ts";
import { sql } from "../support/stack.ts";

const answering =
  "insert into app.pulse_responses (company_id, question_id) select company_id, id from app.pulse_questions where company_id = $1";
const asking = "update app.pulse_questions set question = 'Now?' where company_id = $1";
const french = "update app.companies set default_language = 'fr' where id = $1";
const named = (language: string, name: string) => `
  insert into app.category_names select company_id, id, '${language}', '${name}' from app.categories where company_id = $1`;
const another = `
  with category as (insert into app.categories (company_id) values ($1) returning *)
  insert into app.category_names select company_id, id, language, language from category, unnest(array['de', 'fr']) as language`;

/** Makes a company of this test with a question and a category. Returns its id. */
async function newCompany(language?: string): Promise<string> {
  const { id } = await createCompany(sql, "Marking", language);
  onTestFinished(async () => void (await sql`select app.delete_company(${id})`));
  await sql`insert into app.pulse_questions (company_id, id, question) values (${id}, ${randomUUID()}, 'How?')`;
  await sql`insert into app.categories (company_id) values (${id})`;
  await sql.unsafe(named("es", "Equipo"), [id]);
  return id;
}

/** Writes at this level, again as long as PostgreSQL asks for it. */
const write = (level: IsolationLevel, statement: string, id: string) =>
  again(() => sql.begin(`isolation level ${level}`, (tx) => tx.unsafe(statement, [id])));

// Proves: copies.9
test.each(
  atEachLevel([
    ["two names", named("de", "Zusammenhalt"), named("en", "Teamwork"), "categories", ["Zusammenhalt"]],
    ["a name and the language", named("fr", "Esprit"), french, "categories", ["Esprit, marked"]],
    ["the language and a name", french, named("fr", "Esprit"), "categories", ["Esprit, marked"]],
    ["a category and the language", another, french, "categories", ["Equipo", "fr, marked"]],
    // A question is changed at read committed only: see below.
    ["an answer and its question", answering, asking, "pulse_responses", ["none, marked"]],
  ]).filter(([level, _what, first]) => level === "read committed" || first !== answering),
)("at %s, of %s at once the second marks what it changes", async (level, _what, first, second, table, rows) => {
  const id = await newCompany("de");
  const writing = await hold(sql, first, [id], level);
  const written = write(level, `${second} returning pg_current_xact_id()::text as transaction`, id);
  await writing.reached();
  await writing.release("commit");
  const [last] = await written;
  const found = await sql`
    select coalesce(to_jsonb(t) ->> 'name', 'none') || case changed_in::text when ${last?.transaction} then ', marked' else '' end as row
    from app.${sql(table)} as t where company_id = ${id} order by 1`;
  expect(found.map(({ row }) => row)).toEqual(rows);
});

test.each([
  ["a name that another has added", named("en", "Teamwork"), "delete from app.category_names where company_id = $1"],
  ["the language for a category that another has added", another, french],
  // Repeating it would not help, so its code is none to repeat on.
  ["the question of an answer that another has added", answering, asking, "25000"],
])("with a snapshot from before, %s fails", async (_what, added, changed, code = "40001") => {
  for (const level of isolationLevels.slice(1)) {
    const id = await newCompany("es");
    const change = sql.begin(`isolation level ${level}`, async (tx) => {
      await tx`select from app.companies`;
      await sql.unsafe(added, [id]);
      await tx.unsafe(changed, [id]);
    });
    await expect(change).rejects.toMatchObject({ code });
  }
});

test.each(isolationLevels)("at %s, the new deletion of a row stays while its old one is forgotten", async (level) => {
  const id = await newCompany();
  await sql`delete from app.forgotten_deletions where company_id = ${id}`;
  await sql`
    insert into app.deletions (company_id, relation, deleted_in, id, deleted_at)
    values (${id}, 'app.teams', '5', ${id}, now() - interval '91 days')`;
  const insert = "insert into app.teams (company_id, id, name) values ($1, $1, 'Again')";
  const deleting = await hold(sql, insert, [id], level);
  await deleting.tx`
    insert into app.deletions (company_id, relation, id) values (${id}, 'app.teams', ${id})
    on conflict on constraint deletions_pkey do update set deleted_in = excluded.deleted_in, deleted_at = excluded.deleted_at`;
  const forgotten = write(level, "select app.forget_deletions($1, 'app.teams')", id);
  await deleting.reached();
  await deleting.release("commit");
  await forgotten;
  const kept =
    await sql`select deleted_at > now() - interval '1 day' as is_new from app.deletions where company_id = ${id}`;
  expect([...kept]).toEqual([{ is_new: true }]);
});
