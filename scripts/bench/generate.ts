import { readFile } from "node:fs/promises";
import type { Sql } from "postgres";

// Every company's year, told in numbers: place n of a company's k kudos lies at n / k of the year, so that the companies are
// interleaved in time as they are in a service that all of them use at once.
//
// What stands out in each company, for pages that filter: member 1 sends and receives a tenth of all kudos, members 2 and 3 send and
// receive three, member 4 none; category 8 has three kudos, category 9 none; team 1 holds two fifths of the members and their moods,
// the last team but one three, the last none. Between them senders have from one to thousands of kudos.

const year = "timestamptz '2025-11-21Z' + interval '365 days' *";
const rare = (offset: number): string =>
  `n in (kudos / 4 + ${offset}, kudos / 2 + ${offset}, kudos / 4 * 3 + ${offset})`;
const somebody = "4 + ceil(power(members - 4, random()))::bigint";
const words =
  "Thank you for staying late when the release would not build, for the quiet hour that you gave the new colleagues, and for the coffee. ";

/** The large tables: what their rows are per company, and the SQL that makes those from `first` to `last` of each. */
const large = [
  {
    name: "kudos",
    count: "kudos",
    insert: `(company_id, id, sender_id, receiver_id, category_id, message, created_at)
      select bench.id(company, 'company', 0), gen_random_uuid(),
        bench.id(company, 'member', case when ${rare(0)} then 2 when n % 10 = 1 then 1 else ${somebody} end),
        bench.id(company, 'member', case when ${rare(1)} then 3 when n % 10 = 2 then 1 else ${somebody} end),
        bench.id(company, 'category', case when ${rare(2)} then 8 else 1 + n % 7 end),
        substr(repeat('${words}', 4), 1 + (random() * 100)::integer, 40 + (power(random(), 2) * 300)::integer),
        ${year} (n::float8 / kudos)`,
  },
  {
    name: "day_ratings",
    count: "moods",
    insert: `(company_id, rating, comment, team_id, points_awarded, created_at)
      select bench.id(company, 'company', 0), 1 + n % 5, case when n % 3 = 0 then substr('${words}', 1, 30 + (random() * 80)::integer) end,
        bench.id(company, 'team', case when n in (moods / 4, moods / 2, moods / 4 * 3) then teams - 1 when n % 5 < 2 then 1
          else 2 + n % (teams - 3) end), 5, ${year} (n::float8 / moods)`,
  },
  {
    name: "pulse_responses",
    count: "moods",
    insert: `(company_id, question_id, value, comment, created_at)
      select bench.id(company, 'company', 0), bench.id(company, 'question', n % 10), to_jsonb(n % 11),
        substr('${words}', 1, (random() * 120)::integer), ${year} (n::float8 / moods)`,
  },
] as const;

const small = `
  insert into app.companies (id, name) select bench.id(company, 'company', 0), 'Company ' || company from bench.companies;
  insert into app.teams (company_id, id, name)
    select bench.id(company, 'company', 0), bench.id(company, 'team', n), 'Team ' || n from bench.companies, generate_series(1, teams) as n;
  insert into app.members (company_id, id, name, email, role, team_id, created_at)
    select bench.id(company, 'company', 0), bench.id(company, 'member', n), 'Member Number ' || n, 'member.' || n || '@company.example',
      case when n <= 3 then 'rare' when n % 10 = 0 then 'lead' else 'employee' end,
      bench.id(company, 'team', case when n in (members / 4, members / 2, members / 4 * 3) then teams - 1 when n % 5 < 2 then 1
        else 2 + n % (teams - 3) end),
      ${year} (n::float8 / members)
    from bench.companies, generate_series(1, members) as n;
  insert into app.categories (company_id, id)
    select bench.id(company, 'company', 0), bench.id(company, 'category', n) from bench.companies, generate_series(1, 9) as n;
  insert into app.category_names (company_id, category_id, language, name)
    select bench.id(company, 'company', 0), bench.id(company, 'category', n), language, 'Category ' || n || ' ' || language
    from bench.companies, generate_series(1, 9) as n, unnest(array['de', 'en', 'fr']) as language;
  insert into app.pulse_questions (company_id, id, question, response_type)
    select bench.id(company, 'company', 0), bench.id(company, 'question', n), 'How was question ' || n || '?', 'scale'
    from bench.companies, generate_series(0, 9) as n;
  insert into app.rewards (company_id, external_id, name, description, points_cost, reward_type, stock_count, image_url, vendor_name,
      is_archived, created_at)
    select bench.id(company, 'company', 0), 'item ' || n, 'Reward ' || n, substr('${words}', 1, 20 + (random() * 110)::integer), n,
      'voucher', n, 'https://images.example.com/rewards/' || n || '.png', 'Vendor ' || n % 7, n % 10 = 0, ${year} (n::float8 / rewards)
    from bench.companies, generate_series(1, rewards) as n;
  insert into app.api_keys (company_id, id, name, scopes, key_hash, hint, created_by)
    select bench.id(company, 'company', 0), bench.id(company, 'key', 0), 'Bench', app.scopes(), decode(bench.key_hash(company), 'hex'), '…',
      bench.id(company, 'member', 1)
    from bench.companies;
  insert into app.api_key_uses (company_id, key_id) select company_id, id from app.api_keys;`;

/** Rows that are made in one statement. */
const portion = 500_000;

/**
 * Fills a database that has the schema and nothing else: 201 companies, the first with `largest` kudos. As a superuser, because only one
 * may leave out the triggers and foreign keys, which hold by construction; indexes and primary keys of the large tables come last.
 */
export async function generate(sql: Sql, largest: number, progress: (step: string) => void): Promise<void> {
  await sql`set session_replication_role = replica`;
  await sql`set maintenance_work_mem = '1GB'`;
  await sql`select setseed(0.5)`;
  const companies = await readFile(new URL("companies.sql", import.meta.url), "utf8");
  await sql.unsafe(companies.replaceAll(":largest", String(largest))).simple();
  await sql.unsafe(small).simple();

  for (const { name, count, insert } of large) {
    const indexes = await sql<{ drop: string; make: string }[]>`
      select
        case when c.oid is null then format('drop index %s', i.indexrelid::regclass)
          else format('alter table app.%I drop constraint %I', ${name}::text, c.conname) end as drop,
        case when c.oid is null then pg_get_indexdef(i.indexrelid)
          else format('alter table app.%I add %s', ${name}::text, pg_get_constraintdef(c.oid)) end as make
      from pg_index as i left join pg_constraint as c on c.conindid = i.indexrelid and c.conrelid = i.indrelid
      where i.indrelid = ${`app.${name}`}::regclass`;
    for (const { drop } of indexes) await sql.unsafe(drop);

    const [{ total } = { total: 0 }] = await sql<{ total: number }[]>`
      select sum(${sql(count)})::integer as total from bench.companies`;
    const portions = Math.ceil(total / portion);
    for (let done = 0; done < portions; done += 1) {
      progress(`${Math.min((done + 1) * portion, total)} of ${total} ${name}`);
      // In 64 bits: the product of two millions is too large for 32.
      const rows = `generate_series(${count}::bigint * ${done} / ${portions} + 1, ${count}::bigint * ${done + 1} / ${portions}) as n`;
      await sql.unsafe(`insert into app.${name} ${insert} from bench.companies, ${rows} order by n::float8 / ${count}`);
    }
    for (const { make } of indexes) {
      progress(`${make.replace(/ ON .*| \(.*/, "")} on ${name}`);
      await sql.unsafe(make);
    }
  }
  progress("vacuum and analyze");
  await sql`vacuum (analyze)`;
  await sql`checkpoint`;
}
