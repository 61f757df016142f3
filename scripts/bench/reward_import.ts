import type { Sql } from "postgres";
import type { Database } from "./database.ts";
import { type Figure, median, type Part } from "./figure.ts";

const rounds = 15;
const batch = 500;

/** What one would write for the same rows without key, policies and optional fields: sorted, and nothing for a row that is the same. */
const bareUpsert = `
  create or replace function bench.upsert_rewards(company uuid, rewards text) returns void language plpgsql volatile as $$
  begin
    insert into app.rewards as reward (company_id, external_id, name, description, points_cost, reward_type)
    select company, r.external_id, r.name, r.description, r.points_cost, r.reward_type
    from jsonb_to_recordset(rewards::jsonb) as r (external_id text, name text, description text, points_cost bigint, reward_type text)
    order by r.external_id
    on conflict (company_id, external_id) do update set
      name = excluded.name, description = excluded.description, points_cost = excluded.points_cost, reward_type = excluded.reward_type
    where (reward.name, reward.description, reward.points_cost, reward.reward_type)
      is distinct from (excluded.name, excluded.description, excluded.points_cost, excluded.reward_type);
  end
  $$;
  alter function bench.upsert_rewards(uuid, text) owner to postgres`;

/** A batch with all five fields; `price` tells one version from the next. */
function rewards(prefix: string, price: number): string {
  return JSON.stringify(
    Array.from({ length: batch }, (_, n) => ({
      external_id: `${prefix} ${(n * 7919) % batch}`,
      name: `Reward ${n}`,
      description:
        "A voucher that can be used in every shop of the town, for a year from the day on which it was bought.",
      points_cost: price,
      reward_type: "voucher",
    })),
  );
}

async function milliseconds(sql: Sql, statement: string, rows: string): Promise<number> {
  const begin = performance.now();
  await sql.unsafe(statement, [rows], { prepare: true });
  return performance.now() - begin;
}

async function updatesOnDisk(superuser: Sql): Promise<number> {
  await superuser`select pg_stat_clear_snapshot()`;
  const [row] = await superuser<{ updates: string }[]>`
    select n_tup_upd as updates from pg_stat_user_tables where relid = 'app.rewards'::regclass`;
  return Number(row?.updates);
}

/** The three kinds of import, each in turn with the bare upsert of rows alike. */
async function compare({ sql, superuser }: Database, progress: (step: string) => void): Promise<Figure[]> {
  const [{ total } = { total: 0 }] = await sql<{ total: number }[]>`select count(*)::integer as total from app.rewards`;
  const inTable = `${total.toLocaleString("en")} in the table`;
  progress(inTable);
  const secured = "select public.upsert_rewards(bench.key_hash(1), $1)";
  const bare = "select bench.upsert_rewards(bench.id(1, 'company', 0), $1)";
  const kinds = {
    "new ones": (side: string, round: number) => rewards(`${side} ${round}`, 1),
    "changed ones": (side: string, round: number) => rewards(side, round + 2),
    "the same again": (side: string) => rewards(side, 1),
  };
  const figures: Figure[] = [];
  for (const [kind, rowsOf] of Object.entries(kinds)) {
    const ratios: number[] = [];
    const times: number[] = [];
    for (const statement of [secured, bare]) await milliseconds(sql, statement, rowsOf(statement.slice(7, 13), -1));
    for (let round = 0; round < rounds; round += 1) {
      const ours = () => milliseconds(sql, secured, rowsOf("public", round));
      const theirs = () => milliseconds(sql, bare, rowsOf("bench.", round));
      const [a = 0, b = 0] =
        round % 2 === 0 ? [await ours(), await theirs()] : [await theirs(), await ours()].reverse();
      ratios.push(a / b);
      times.push(a);
      await superuser.unsafe("vacuum app.rewards");
    }
    figures.push({
      name: `500 rewards, ${kind}, ${inTable}`,
      value: median(ratios),
      unit: "times the bare upsert",
      target: { atMost: 1.3 },
      note: `${median(times).toFixed(1)} ms`,
    });
  }
  await sql.unsafe(secured, [rewards("twice", 1)]);
  await sql`select pg_stat_force_next_flush()`;
  const before = await updatesOnDisk(superuser);
  await sql.unsafe(secured, [rewards("twice", 1)]);
  await sql`select pg_stat_force_next_flush()`;
  const after = await updatesOnDisk(superuser);
  figures.push({
    name: `the same catalogue again, ${inTable}`,
    value: after - before,
    unit: "rows updated on disk",
    target: { atMost: 0 },
  });
  await superuser`delete from app.rewards where external_id !~ '^(item|filler) '`;
  await superuser.unsafe("vacuum analyze app.rewards");
  return figures;
}

/** What an import costs beside the bare statement, in the table as it was generated and with 100,000 rewards more. */
export const rewardImport: Part = {
  name: "import",
  title: "Importing 500 rewards beside a bare sorted upsert of the same rows",
  async measure({ databases, progress }) {
    const { large } = await databases();
    await large.superuser.unsafe(bareUpsert);
    const few = await compare(large, progress);
    await large.superuser`
      insert into app.rewards (company_id, external_id, name, points_cost, created_at)
      select bench.id(1, 'company', 0), 'filler ' || n, 'Reward ' || n, n, '2025-01-01Z' from generate_series(1, 100000) as n`;
    const many = await compare(large, progress);
    await large.superuser`delete from app.rewards where external_id ~ '^filler '`;
    await large.superuser.unsafe("vacuum analyze app.rewards");
    return [...few, ...many];
  },
};
