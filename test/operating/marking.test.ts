// Rows that a transaction is still adding are marked as changed, too, when a name that they show changes meanwhile:
// otherwise a copy would keep the old name (docs/api.md, Keeping a copy).
import { randomUUID } from "node:crypto";
import { expect, onTestFinished, test } from "vitest";
import { again, atEachLevel, hold, type IsolationLevel, isolationLevels } from "../support/rpc.ts";
import { sql } from "../support/stack.ts";
import { createCompany } from "../support/two_projects.ts";

/** Makes a company of this test, and returns its id. */
async function newCompany(name: string, language?: string): Promise<string> {
  const { id } = await createCompany(sql, name, language);
  onTestFinished(async () => void (await sql`select app.delete_company(${id})`));
  return id;
}

/** Writes at this level, again as long as PostgreSQL asks for it. */
const write = (level: IsolationLevel, statement: string, id: string) =>
  again(() => sql.begin(`isolation level ${level}`, (tx) => tx.unsafe(statement, [id])));

// Proves: copies.9
test.each(
  atEachLevel([
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
    // A question is changed at read committed only: see below.
  ]).filter(([level, _what, _change, _add, table]) => level === "read committed" || table === "app.categories"),
)(
  "at %s, a change of %s waits for a row that is being added, and marks it",
  async (level, _what, change, add, table) => {
    const id = await newCompany("Marking");
    await sql`insert into app.pulse_questions (company_id, id, question) values (${id}, ${randomUUID()}, 'How?')`;
    const adding = await hold(sql, add, [id], level);
    const changing = write(level, `${change} returning pg_current_xact_id()::text as transaction`, id);
    await adding.reached();
    await adding.release("commit");
    const changed = await changing;
    const rows = await sql.unsafe(`select changed_in::text as transaction from ${table} where company_id = $1`, [id]);
    expect([...rows]).toEqual([...changed]);
  },
);

const french = "update app.companies set default_language = 'fr' where id = $1";
const named = (language: string, name: string) => `
  insert into app.category_names select company_id, id, '${language}', '${name}' from app.categories where company_id = $1`;

// Proves: copies.9
test.each(
  atEachLevel([
    ["two names", named("de", "Zusammenhalt"), named("en", "Teamwork"), "Zusammenhalt"],
    ["a name and the company's default language", named("fr", "Esprit"), french, "Esprit"],
    ["the company's default language and a name", french, named("fr", "Esprit"), "Esprit"],
  ]),
)(
  "at %s, a category has the right name when %s are written at the same time",
  async (level, _what, first, second, name) => {
    const id = await newCompany("Naming", "de");
    await sql`insert into app.categories (company_id) values (${id})`;
    await sql.unsafe(named("es", "Equipo"), [id]);
    const writing = await hold(sql, first, [id], level);
    const written = write(level, second, id);
    await writing.reached();
    await writing.release("commit");
    await written;
    expect([...(await sql`select name from app.categories where company_id = ${id}`)]).toEqual([{ name }]);
  },
);

test.each([
  [
    "a name that another has added",
    named("en", "Teamwork"),
    "delete from app.category_names where company_id = $1 and language = 'es'",
  ],
  [
    "the language for a category that another has added",
    `with category as (insert into app.categories (company_id) values ($1) returning *)
    insert into app.category_names select company_id, id, 'fr', 'Nouveau' from category`,
    french,
  ],
  // Repeating it would not help, so its code is none to repeat on.
  [
    "the question of an answer that another has added",
    "insert into app.pulse_responses (company_id, question_id) select company_id, id from app.pulse_questions where company_id = $1",
    "update app.pulse_questions set question = 'Now?' where company_id = $1",
    "25000",
  ],
])("with a snapshot from before, %s fails", async (_what, added, changed, code = "40001") => {
  for (const level of isolationLevels.slice(1)) {
    const id = await newCompany("Isolated", "es");
    await sql`insert into app.pulse_questions (company_id, id, question) values (${id}, ${randomUUID()}, 'How?')`;
    await sql`insert into app.categories (company_id) values (${id})`;
    await sql.unsafe(named("es", "Equipo"), [id]);
    const change = sql.begin(`isolation level ${level}`, async (tx) => {
      await tx`select from app.companies`;
      await sql.unsafe(added, [id]);
      await tx.unsafe(changed, [id]);
    });
    await expect(change).rejects.toMatchObject({ code });
  }
});

test.each(isolationLevels)(
  "at %s, a row that is deleted again while its old deletion is forgotten keeps the new one",
  async (level) => {
    const id = await newCompany("Deleting");
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
  },
);
