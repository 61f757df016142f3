import { pgbench } from "./database.ts";
import { compare, type Figure, type Part, shown } from "./figure.ts";

/**
 * Two versions of a catalogue of 500 rewards, and the bare upsert: sorted, and it does not write unchanged rows, but it
 * has no key, policies or optional fields.
 */
const preparation = `
  create table bench.catalogues as
  select version, jsonb_agg(jsonb_build_object(
    'external_id', 'reward ' || n * 7919 % 500, 'name', 'Reward ' || n, 'description', bench.words(1, 100),
    'points_cost', version, 'reward_type', 'voucher'))::text as rewards
  from generate_series(1, 2) as version, generate_series(0, 499) as n
  group by version;

  create function bench.upsert_rewards(company uuid, rewards text) returns void language plpgsql volatile as $$
  begin
    insert into app.rewards as reward (company_id, external_id, name, description, points_cost, reward_type)
    select company, r.external_id, r.name, r.description, r.points_cost, r.reward_type
    from jsonb_to_recordset(rewards::jsonb)
      as r (external_id text, name text, description text, points_cost bigint, reward_type text)
    order by r.external_id
    on conflict (company_id, external_id) do update set
      name = excluded.name, description = excluded.description, points_cost = excluded.points_cost,
      reward_type = excluded.reward_type
    where (reward.name, reward.description, reward.points_cost, reward.reward_type)
      is distinct from (excluded.name, excluded.description, excluded.points_cost, excluded.reward_type);
  end
  $$;
  grant select on bench.catalogues to postgres`;

const version = (number: number) => `(select rewards from bench.catalogues where version = ${number})`;

/** The catalogues of each kind are imported in turn. */
const kinds = {
  "new ones": [`replace(${version(1)}, '"reward ', '"' || :batch || ' ')`],
  "changed ones": [version(1), version(2)],
  "the same again": [version(1)],
};

/** Compares an import with the bare upsert of the same rows. */
export const rewardImport: Part = {
  name: "import",
  title: "Importing 500 rewards, secured beside a bare sorted upsert of the same rows: 1 connection",
  async measure({ database, progress }) {
    const { url, superuser } = await database();
    await superuser.unsafe(preparation).simple();
    const figures: Figure[] = [];
    for (const [kind, catalogues] of Object.entries(kinds)) {
      progress(kind);
      const seconds = (upsert: string) => async () => {
        const calls = catalogues.map((rewards) => `select ${upsert}, ${rewards});`);
        const perSecond = await pgbench(url, ["\\set batch random(1, 1000000000)", ...calls].join("\n"), 1);
        await superuser`vacuum app.rewards`;
        return 1 / (perSecond * catalogues.length);
      };
      const secured = seconds("public.upsert_rewards(bench.key_hash(3)");
      const { rounds, service } = await compare(5, secured, seconds("bench.upsert_rewards(bench.id(3, 'company', 0)"));
      const [name, note] = [`500 rewards, ${kind}`, `${shown(1 / service)} imports a second`];
      const headline = `${shown(1 / service)} imports of 500 changed rewards a second`;
      const figure = { name, rounds, unit: "times the bare upsert's time", note };
      figures.push(kind === "changed ones" ? { ...figure, headline } : figure);
    }
    return figures;
  },
};
