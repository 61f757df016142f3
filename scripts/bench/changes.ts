import type { Sql } from "postgres";
import { processorTime } from "./database.ts";
import { compare, type Part, shown } from "./figure.ts";
import { type Pair, worstOfLists } from "./flat_pages.ts";

/** The table of each list. */
const lists: Record<string, string> = {
  members: "members",
  teams: "teams",
  activity: "kudos",
  categories: "categories",
  rewards: "rewards",
  "day-ratings": "day_ratings",
  "pulse-responses": "pulse_responses",
};

/** As many deletions as a tenth of a company's kudos, of each table. Together with the rows they make a list's changes. */
const addDeletions = `
  insert into app.deletions (company_id, relation, id)
  select c.id, ('app.' || relation)::regclass, bench.id(c.company, relation, n)
  from bench.companies as c, unnest('{${Object.values(lists).join()}}'::text[]) as relation, generate_series(1, kudos / 10) as n
  where c.company <= 2;
  analyze app.deletions`;

/** The cursor of the row of a list at a part of its changes, such as 0.5. */
async function cursor(sql: Sql, list: string, company: number, part: number): Promise<string> {
  const [row] = await sql.unsafe<{ cursor: string }[]>(`
    select app.cursor_origin(company_id, '${list}') || encode(int8send(changed_in::text::bigint), 'hex')
      || replace(id::text, '-', '') as cursor
    from app.${lists[list]} where company_id = bench.id(${company}, 'company', 0)
    order by changed_in, id
    offset (select ceil(${part} * count(*)) - 1 from app.${lists[list]} where company_id = bench.id(${company}, 'company', 0)) limit 1`);
  if (!row) throw new Error(`${list} of company ${company} has no rows`);
  return row.cursor;
}

const page = (list: string, company: number, changedAfter: string) =>
  `public.list_changes(bench.key_hash(${company}), '${list}', 100, '${changedAfter}')`;

/** Compares the changes of a large company with those of a small one. */
export const changes: Part = {
  name: "changes",
  title: "The worst page of 100 changes of each list: beside a company of 10,000 kudos, and pages of 8 KiB read",
  async measure(run) {
    const { superuser } = await run.database();
    await superuser.unsafe(addDeletions).simple();
    // A row of kudos needs its people, and a deletion a look-up of its id.
    const buffersPerRow = 16;
    return worstOfLists(
      Object.keys(lists),
      "times the small company's",
      async (list, sql) => {
        const pairs: Pair[] = [["from the start", page(list, 1, "start"), page(list, 2, "start")]];
        for (const [name, part] of [
          ["from the middle", 0.5],
          ["the deletions", 1],
        ] as const) {
          pairs.push([
            name,
            page(list, 1, await cursor(sql, list, 1, part)),
            page(list, 2, await cursor(sql, list, 2, part)),
          ]);
        }
        return { about: list, pairs };
      },
      buffersPerRow,
    )(run);
  },
};

const purgedRows = 300_000;
const purgedCompany = "'00000000-0000-4000-8000-00000000000c'";

const createPurgedCompany = `
  insert into app.companies (id, name) values (${purgedCompany}, 'Purged');
  set session_replication_role = replica;
  insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
  select ${purgedCompany}, bench.id(1, 'member', n % 1000), bench.id(1, 'member', n % 999), bench.id(1, 'category', n % 9),
    bench.words(1 + n % 100, 40 + n % 300), timestamptz '2020-01-01Z' + n * interval '1 minute'
  from generate_series(1, ${purgedRows}) as n;
  reset session_replication_role`;

/** Compares deleting old kudos with deleting them while deletions are not recorded and the index of changes is missing. */
export const purging: Part = {
  name: "purge",
  title: "app.purge_before of kudos, beside the same without recording the deletions: processor time of one backend",
  async measure({ database, progress }) {
    const { superuser } = await database();
    const purge = (side: string, before: string, after: string) => async () => {
      progress(side);
      await superuser.unsafe(before).simple();
      await superuser.unsafe(createPurgedCompany).simple();
      await superuser`checkpoint`;
      const microseconds = await processorTime(superuser, `call app.purge_before(${purgedCompany}, '2026-01-01Z')`);
      await superuser.unsafe(`delete from app.companies where id = ${purgedCompany}; ${after}`).simple();
      await superuser`vacuum app.kudos, app.deletions`;
      return microseconds / 1e6;
    };
    const trigger = "alter table app.kudos enable trigger record_deletions";
    const index = "create index kudos_changed on app.kudos (company_id, changed_in, id)";
    const { rounds, own, other } = await compare(
      3,
      purge("as it is", "", ""),
      purge("without", `${trigger.replace("enable", "disable")}; drop index app.kudos_changed`, `${trigger}; ${index}`),
    );
    const [name, note] = [`${purgedRows.toLocaleString("en-US")} kudos`, `${shown(own)} s, without ${shown(other)} s`];
    return [{ name, rounds, unit: "times that without", target: { atMost: 2.5 }, note }];
  },
};
