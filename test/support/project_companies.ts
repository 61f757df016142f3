// Companies in a database of two_projects.ts or of the stack.
import { randomUUID } from "node:crypto";
import type postgres from "postgres";
import { again, type IsolationLevel, upsert } from "./rpc.ts";
import { hashOf } from "./stack.ts";

/** A text that a copy without correct quoting would change. */
const odd = "e'tab\\t, line\\n\\r\\n, backslash \\\\ \\\\N \\\\., quote \" '' , 李 🎉 é'";

/** A company of such a project: its id and name, the id and email of its admin, and a key with every scope. */
export type ProjectCompany = { id: string; name: string; admin: string; email: string; key: string };

/** Acts as the person with this account, until the end of the transaction. */
export async function signIn(tx: postgres.Sql | postgres.TransactionSql, user: string): Promise<void> {
  await tx`select set_config('request.jwt.claims', ${JSON.stringify({ sub: user })}, true)`;
  await tx`set local role authenticated`;
}

/** What this expression returns to a person who has signed in. */
export async function returned<Value>(sql: postgres.Sql, user: string, expression: string): Promise<Value> {
  return await sql.begin(async (tx) => {
    await signIn(tx, user);
    const [row] = await tx.unsafe(`select ${expression} as value`);
    return row?.value;
  });
}

/** Creates a company with an admin who signs in and has made a key, and nothing else. */
export async function createCompany(sql: postgres.Sql, name: string, language = "en"): Promise<ProjectCompany> {
  const [id, admin, email] = [randomUUID(), randomUUID(), `admin@${randomUUID()}.example`];
  await sql.begin(async (tx) => {
    await tx`insert into app.companies (id, name, default_language) values (${id}, ${name}, ${language})`;
    await tx`insert into app.members (company_id, id, name, email, role) values (${id}, ${admin}, 'First Admin', ${email}, 'admin')`;
    await tx`insert into auth.users (id, email, email_confirmed_at) values (${admin}, ${email}, now())`;
    await tx`insert into app.member_accounts (user_id, company_id, member_id) values (${admin}, ${id}, ${admin})`;
  });
  const key = await returned<string>(sql, admin, "public.create_api_key('in use', app.scopes()) ->> 'api_key'");
  return { id, name, admin, email, key };
}

/** Creates a company with rows in every table, and a second key that is revoked. */
export async function createFullCompany(sql: postgres.Sql, name: string): Promise<ProjectCompany> {
  const company = await createCompany(sql, name, "de");
  const { id, admin } = company;
  await returned(sql, admin, "public.create_api_key('revoked', app.scopes())");
  await sql
    .unsafe(`
      insert into app.teams (company_id, name) select '${id}', 'Team ' || n || ${odd} from generate_series(1, 3) as n;
      insert into app.members (company_id, name, email, team_id)
      select '${id}', 'Member ' || n, n || '@${id}.example',
        (select t.id from app.teams as t where t.company_id = '${id}' and n > 2 order by t.id limit 1)
      from generate_series(2, 40) as n;
      insert into app.categories (company_id) select '${id}' from generate_series(1, 2);
      insert into app.category_names (company_id, category_id, language, name)
      select company_id, id, language, ${odd} from app.categories, (values ('de'), ('en')) as l (language) where company_id = '${id}';
      insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
      select '${id}', '${admin}', m.id, c.id, n || ${odd}, timestamptz '2026-01-01 00:00:00.123456Z' + n * interval '1 minute'
      from generate_series(1, 25) as n, app.members as m, (select id from app.categories where company_id = '${id}' limit 1) as c
      where m.company_id = '${id}';
      insert into app.rewards (company_id, external_id, name, description, points_cost, stock_count)
      select '${id}', 'r' || n, ${odd}, nullif(repeat('x', n % 3), ''), 9007199254740991 - n, nullif(n % 5, 0) from generate_series(1, 30) as n;
      insert into app.day_ratings (company_id, rating, comment) select '${id}', 1 + n % 5, nullif('', '') from generate_series(1, 30) as n;
      insert into app.pulse_questions (company_id, question) values ('${id}', ${odd});
      insert into app.pulse_responses (company_id, question_id, value, comment)
      select company_id, id, value::jsonb, '' from app.pulse_questions,
        (values (null), ('null'), ('1.10'), ('12345678901234567890.000'), ('{"b": "\\\\u00e9", "a": [true]}')) as v (value)
      where company_id = '${id}';
      update app.api_key_uses set last_used_at = '2026-11-01 12:34:56.789Z' where company_id = '${id}';
      update app.api_keys set revoked_at = now() where company_id = '${id}' and name = 'revoked'`)
    .simple();
  return company;
}

/** Every row of the company in schema app by table, as sorted text. */
export async function contents(sql: postgres.Sql, company: string): Promise<Record<string, string[]>> {
  const tables = await sql`
    select tablename as name from pg_tables where schemaname = 'app'
      and tablename not in ('arriving_companies', 'deleted_companies', 'cursor_key', 'deletions', 'forgotten_deletions')`;
  const all: Record<string, string[]> = {};
  for (const { name } of tables) {
    // A move changes the first two columns of the company itself, and each project numbers changes itself.
    const rows = await sql`
      select (row - 'serving' - 'move_id' - 'changed_in')::text as row
      from (select to_jsonb(t) as row from ${sql(`app.${name}`)} as t)
      where coalesce(row ->> 'company_id', row ->> 'id') = ${company} order by 1`;
    all[name] = rows.map(({ row }) => row);
  }
  return all;
}

/** The newest hundred rows of a list, as the function reads them. */
export const readList = (sql: postgres.Sql, key: string, list = "list_activity"): Promise<unknown> =>
  sql.begin(async (tx) => {
    await tx`set local role service_role`;
    const [row] = await tx`select public.${tx(list)}(${hashOf(key)}, 100) as page`;
    return row?.page;
  });

/** Imports a reward, as the function does. */
export const importReward = (
  sql: postgres.Sql,
  key: string,
  external_id: string,
  level: IsolationLevel = "read committed",
): Promise<number> =>
  again(() =>
    sql.begin(`isolation level ${level}`, async (tx) => {
      await tx`set local role service_role`;
      return await upsert(tx, key, [{ external_id, name: "R", points_cost: 1 }]);
    }),
  );
