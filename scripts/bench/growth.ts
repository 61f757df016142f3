import type { Figure, Part } from "./figure.ts";

/** What a row takes on disk: of each large table the bytes of a row, and those of its entries in all indexes. */
export const growth: Part = {
  name: "growth",
  title: "Bytes a row",
  async measure({ databases }) {
    const { superuser } = (await databases()).large;
    const tables = await superuser<{ name: string; rows: number; row: number; entries: number; indexes: string }[]>`
      select c.relname as name, c.reltuples::float8 as rows, pg_table_size(c.oid) / c.reltuples as row,
        pg_indexes_size(c.oid) / c.reltuples as entries,
        (select string_agg(i.indexrelid::regclass::name || ' ' || pg_size_pretty(pg_relation_size(i.indexrelid)), ', ' order by i.indexrelid)
          from pg_index as i where i.indrelid = c.oid) as indexes
      from pg_class as c
      where c.oid in ('app.kudos'::regclass, 'app.day_ratings'::regclass, 'app.pulse_responses'::regclass, 'app.members'::regclass)
      order by c.reltuples desc`;
    return tables.flatMap(({ name, rows, row, entries, indexes }): Figure[] => [
      { name: `${name}: table`, value: row, unit: "bytes a row", note: `${Math.round(rows)} rows` },
      { name: `${name}: indexes`, value: entries, unit: "bytes a row", note: indexes },
    ]);
  },
};
