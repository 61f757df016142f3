import type { Sql } from "postgres";
import { type Figure, median, type Part } from "./figure.ts";
import { type Measured, measurePage, pages } from "./flat_pages.ts";

/** Lays the kudos into partitions by month, with the same indexes, policy and grant, and has everything read them. */
async function partition(sql: Sql): Promise<void> {
  const [view] = await sql<{ text: string }[]>`select pg_get_viewdef('api.activity'::regclass) as text`;
  const indexes = await sql<{ make: string }[]>`
    select pg_get_indexdef(indexrelid) as make from pg_index where indrelid = 'app.kudos'::regclass and not indisprimary`;
  await sql
    .unsafe(`
      alter table app.kudos rename to kudos_whole;
      create table app.kudos (like app.kudos_whole including defaults including constraints) partition by range (created_at);
      do $$
      begin
        for month in 0 .. 12 loop
          execute format('create table app.kudos_%s partition of app.kudos for values from (%L) to (%L)',
            month, timestamptz '2025-11-01Z' + month * interval '1 month', timestamptz '2025-12-01Z' + month * interval '1 month');
        end loop;
      end
      $$;
      insert into app.kudos select * from app.kudos_whole;
      alter table app.kudos add primary key (company_id, id, created_at);
      alter index app.kudos_newest rename to kudos_whole_newest;
      alter index app.kudos_category_newest rename to kudos_whole_category_newest;
      alter index app.kudos_sender_newest rename to kudos_whole_sender_newest;
      alter index app.kudos_receiver_newest rename to kudos_whole_receiver_newest;
      ${indexes.map(({ make }) => make).join(";\n")};
      alter table app.kudos enable row level security;
      create policy api_read on app.kudos for select to public_api using (company_id = (select app.current_company_id()));
      grant select on app.kudos to public_api;
      alter table app.kudos owner to postgres;
      create or replace view api.activity with (security_invoker = true) as ${view?.text ?? ""}`)
    .simple();
  await sql`vacuum (analyze) app.kudos`;
}

/** What partitions of kudos by month would change: the same pages before and after. Told, not judged. Last of all: it changes the tables. */
export const partitions: Part = {
  name: "partitions",
  title: "Kudos in partitions by month, beside one table",
  async measure({ databases, progress }) {
    const { large } = await databases();
    const asked = pages().filter(({ list }) => list === "activity");
    const measureAll = async (): Promise<Measured[]> => {
      const all: Measured[] = [];
      for (const page of asked) all.push(...(await measurePage(page, [large])));
      return all;
    };
    progress("one table");
    const before = await measureAll();
    progress("laying the kudos into partitions");
    await partition(large.superuser);
    progress("partitions");
    const after = await measureAll();

    const kinds: [name: string, belongs: (measured: Measured) => boolean][] = [
      ["pages that fill from the newest month", ({ page, rows }) => rows === 100 && page.args.length === 0],
      ["other full pages", ({ page, rows }) => rows === 100 && page.args.length > 0],
      ["pages of three rows or none", ({ rows }) => rows < 100],
    ];
    return kinds.flatMap(([name, belongs]): Figure[] => {
      const places = before.flatMap((measured, place) => (belongs(measured) ? [place] : []));
      const of = (all: Measured[], number: (measured: Measured) => number) =>
        median(places.flatMap((place) => (all[place] ? [number(all[place])] : [])));
      const ms = ({ ms }: Measured) => ms;
      const buffers = ({ buffers }: Measured) => buffers;
      const note = (all: typeof ms, digits: number) =>
        `${of(after, all).toFixed(digits)} beside ${of(before, all).toFixed(digits)}, medians of ${places.length} pages`;
      return [
        { name: `${name}: time`, value: of(after, ms) / of(before, ms), unit: "times one table", note: note(ms, 2) },
        {
          name: `${name}: read`,
          value: of(after, buffers) / of(before, buffers),
          unit: "times one table",
          note: note(buffers, 0),
        },
      ];
    });
  },
};
