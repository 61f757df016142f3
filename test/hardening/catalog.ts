// What there is to be tried, out of the catalog: every table, view, sequence and function of every schema but PostgreSQL's own two.
import { sql } from "../api/stack.ts";

const schemas = sql`select oid from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'`;

export interface Relation {
  name: string;
  kind: "table" | "view" | "sequence";
  schema: string;
  columns: { name: string; type: string }[];
}

export const relations = (): Promise<Relation[]> => sql<Relation[]>`
  select format('%I.%I', n.nspname, c.relname) as name, n.nspname as schema,
    case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end as kind,
    (
      select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by a.attnum), '[]')
      from pg_attribute as a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and c.relkind <> 'S'
    ) as columns
  from pg_class as c join pg_namespace as n on n.oid = c.relnamespace
  where n.oid in (${schemas}) and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  order by 1`;

export interface Routine {
  /** schema.name(types) */
  signature: string;
  schema: string;
  name: string;
  types: string[];
  security: "definer" | "invoker";
  owner: string;
}

export const routines = (): Promise<Routine[]> => sql<Routine[]>`
  select format('%I.%I(%s)', n.nspname, p.proname, oidvectortypes(p.proargtypes)) as signature, n.nspname as schema, p.proname as name,
    case when p.prosecdef then 'definer' else 'invoker' end as security, p.proowner::regrole::text as owner,
    array(select format_type(type, null) from unnest(p.proargtypes) with ordinality as t (type, place) order by place) as types
  from pg_proc as p join pg_namespace as n on n.oid = p.pronamespace
  where n.oid in (${schemas}) and p.prokind = 'f'
  order by n.nspname, 1`;

export const schemaNames = async (): Promise<string[]> =>
  (await sql<{ name: string }[]>`select nspname as name from pg_namespace where oid in (${schemas}) order by 1`).map(
    ({ name }) => name,
  );
