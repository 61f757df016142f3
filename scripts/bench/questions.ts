import { processorTime } from "./database.ts";
import { compare, type Part, shown } from "./figure.ts";

/** The whole year of the large company, and a month of it; the year also with the different people of each group. */
const totals: [name: string, since: string, until: string, include?: string][] = [
  ["a year", "2025-11-21Z", "2026-11-21Z"],
  ["a month", "2026-02-01Z", "2026-03-01Z"],
  ["a year, with senders and receivers", "2025-11-21Z", "2026-11-21Z", "senders,receivers"],
];

/** Compares counts of kudos with a query that does nothing but count them. */
export const questions: Part = {
  name: "questions",
  title:
    "Kudos of the large company by month and receiver's team, beside a bare group by: processor time of one backend",
  async measure({ database, progress }) {
    const { superuser } = await database();
    const figures = [];
    for (const [name, since, until, include = ""] of totals) {
      progress(name);
      const people = include && ", count(distinct k.sender_id) as senders, count(distinct k.receiver_id) as receivers";
      const counted = `select public.count_activity(bench.key_hash(1), '{month,receiver_team}',
        '${since}', '${until}', include => '{${include}}')`;
      const bare = `select json_agg(counted) from (
          select date_trunc('month', k.created_at, 'UTC') as month, m.team_id, count(*) as kudos${people}
          from app.kudos as k join app.members as m on m.company_id = k.company_id and m.id = k.receiver_id
          where k.company_id = bench.id(1, 'company', 0) and k.created_at >= '${since}' and k.created_at <= '${until}'
          group by 1, 2
        ) as counted`;
      const time = (statement: string) => () => processorTime(superuser, statement);
      const { rounds, ...medians } = await compare(5, time(counted), time(bare));
      const note = `${shown(medians.service / 1000)} ms, bare ${shown(medians.bare / 1000)} ms`;
      figures.push({ name, rounds, unit: "times the bare query", note });
    }
    return figures;
  },
};
