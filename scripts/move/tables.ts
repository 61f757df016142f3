// What is carried when a company moves: read from the catalog, so that a new table is carried without an edit here.
import { Problem } from "../../cli/src/problem.ts";
import { type Queryable, query } from "./database.ts";

/** Tables of schema app that are not carried, with the reason. Every other one is. */
export const notCarried: Record<string, string> = {
  "app.arriving_companies": "which companies a project awaits belongs to the project",
};

/** The one table that refers to something outside of app: accounts.ts says which of its rows can be carried. */
export const accounts = "app.member_accounts";

/** A table to be carried. All names are quoted as SQL wants them. */
export interface Table {
  name: string;
  /** The column that names the company: company_id, of app.companies id. */
  company: string;
  /** Every column but those that PostgreSQL computes. */
  columns: string[];
  /** Columns and their types: what has to be the same on both sides. */
  shape: string[];
  /** Triggers that would change a row that comes in, or write of their own. */
  triggers: string[];
  /** Other tables that it refers to. */
  parents: string[];
  /** A column that counts up, and the sequence that it counts with. */
  counter: { column: string; sequence: string } | null;
}

/** Whether others may not write to the table, from when its rows come in until they are there. */
export const isLocked = ({ triggers, counter }: Table): boolean => triggers.length > 0 || counter !== null;

/** What the catalog says of the tables of schema app. */
const catalog = `
  select format('%I.%I', n.nspname, c.relname) as name,
    case when c.relname = 'companies' then 'id' else max(a.attname::text) filter (where a.attname = 'company_id') end as company,
    json_agg(quote_ident(a.attname) order by a.attnum) filter (where a.attgenerated = '') as columns,
    json_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)) order by a.attnum) as shape,
    (
      select coalesce(json_agg(quote_ident(t.tgname) order by t.tgname), '[]') from pg_trigger as t
      -- Bit 2 of its type: it fires for an insert.
      where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled = 'O' and t.tgtype & 4 <> 0
    ) as triggers,
    (
      select coalesce(json_agg(distinct format('%I.%I', other_schema.nspname, other.relname)), '[]')
      from pg_constraint as k
      join pg_class as other on other.oid = k.confrelid
      join pg_namespace as other_schema on other_schema.oid = other.relnamespace
      where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid
    ) as parents,
    (
      select json_build_object('column', quote_ident(a2.attname), 'sequence', s.name)
      from pg_attribute as a2
      cross join pg_get_serial_sequence(format('%I.%I', n.nspname, c.relname), a2.attname) as s (name)
      where a2.attrelid = c.oid and a2.attnum > 0 and not a2.attisdropped and s.name is not null
    ) as counter
  from pg_class as c
  join pg_namespace as n on n.oid = c.relnamespace
  join pg_attribute as a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where n.nspname = 'app' and c.relkind in ('r', 'p') and not c.relispartition
  group by n.nspname, c.relname, c.oid
  order by 1`;

/**
 * The tables to be carried, each after those that it refers to, and those that are locked as late as that allows.
 * @throws Problem when it is not clear how a table is to be carried
 */
export async function carriedTables(on: Queryable): Promise<Table[]> {
  const all = await query<Table & { company: string | null }>(on, catalog);
  const found = all.filter(({ name }) => !(name in notCarried));
  const tables = found.map((table): Table => {
    if (table.company === null) throw unclear(table.name, "has no company_id");
    const outside = table.parents.filter((parent) => !parent.startsWith("app."));
    if (outside.length > 0 && table.name !== accounts) throw unclear(table.name, `refers to ${outside.join(", ")}`);
    return { ...table, company: table.company, parents: table.parents.filter((parent) => parent.startsWith("app.")) };
  });
  const ordered: Table[] = [];
  const waiting = [...tables];
  while (waiting.length > 0) {
    const ready = waiting.filter(({ parents }) => !waiting.some(({ name }) => parents.includes(name)));
    const next = ready.find((table) => !isLocked(table)) ?? ready[0];
    if (!next) throw unclear(waiting[0]?.name ?? "", "refers to itself by way of another table");
    ordered.push(next);
    waiting.splice(waiting.indexOf(next), 1);
  }
  return ordered;
}

const unclear = (name: string, why: string): Problem =>
  new Problem(`${name} ${why}: scripts/move/tables.ts has to say how it is carried, or that it is not`);

/** Which of a table's rows are carried, as an SQL condition. */
export function condition(table: Table, company: string, users: string[]): string {
  const own = `${table.company} = '${company}'`;
  if (table.name !== accounts) return own;
  return `${own} and user_id = any ('{${users.join(",")}}')`;
}
