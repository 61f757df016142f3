// The tables to copy when a company moves. They are read from the catalog, so that a new table is included
// automatically.
import { OperatorError, type Queryable, query } from "./database.ts";

/** Tables of schema app that are not copied, with the reason. All others are. */
const notCarried: Record<string, string> = {
  "app.arriving_companies": "which companies a project awaits belongs to the project",
  "app.cursor_key": "cursors end with the move",
  "app.deleted_companies": "which companies a project has deleted belongs to the project",
  "app.deletions": "cursors, for which they are kept, end too",
  "app.forgotten_deletions": "the same",
};

/** The number of the transaction that changed a row last: every project counts its own (sql/schema/0207_changes.sql). */
const changeNumber = "changed_in";

/**
 * Functions of triggers that may fire for copied rows: they number changes, which is not copied, write what is copied too,
 * or do nothing in this command's transactions (`app.as_stored`).
 */
const numbering = [
  ...["app.number_change", "app.name_category", "app.begin_changes"],
  ...["app.hide_teams", "app.keep_hidden", "app.note_teams"],
];

/** The only table that refers to a table outside of app. usersOfBoth (move.ts) chooses the rows that can be copied. */
export const accounts = "app.member_accounts";

/** A table to copy. All names are quoted for SQL. */
export interface Table {
  name: string;
  /** The column with the company's id: company_id; in app.companies it is id. */
  company: string;
  /** All columns except generated ones and the number of the last change. */
  columns: string[];
  /** All columns with their types, which must be the same on both sides. */
  shape: string[];
  /** Triggers that fire for an insert, but for the numbering ones: they would change a copied row, or write other rows. */
  triggers: string[];
  /** Other tables that it refers to. */
  parents: string[];
  /** An identity column, and its sequence. */
  counter: { column: string; sequence: string } | null;
}

/** Whether the table is locked against other writes while its rows are copied. */
export const isLocked = ({ triggers, counter }: Table): boolean => triggers.length > 0 || counter !== null;

/** A query of the catalog for the tables of schema app. */
const catalog = `
  select format('%I.%I', n.nspname, c.relname) as name,
    case when c.relname = 'companies' then 'id' else max(a.attname::text) filter (where a.attname = 'company_id') end as company,
    json_agg(quote_ident(a.attname) order by a.attnum) filter (where a.attgenerated = '' and a.attname <> '${changeNumber}') as columns,
    json_agg(format('%I %s', a.attname, format_type(a.atttypid, a.atttypmod)) order by a.attnum) as shape,
    (
      select coalesce(json_agg(quote_ident(t.tgname) order by t.tgname), '[]') from pg_trigger as t
      -- Bit 2 of tgtype: the trigger fires for an insert.
      where t.tgrelid = c.oid and not t.tgisinternal and t.tgenabled = 'O' and t.tgtype & 4 <> 0
        and t.tgfoid::regproc::text not in (${numbering.map((name) => `'${name}'`)})
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
 * The tables to copy. Each comes after the tables that it refers to, and tables that will be locked come as late as
 * possible.
 * @throws OperatorError when it is not clear how to copy a table
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

const unclear = (name: string, why: string): OperatorError =>
  new OperatorError(`${name} ${why}: scripts/move/tables.ts has to say how it is carried, or that it is not`);

/** Which rows of a table are copied, as an SQL condition. */
export function condition(table: Table, company: string, users: string[]): string {
  const own = `${table.company} = '${company}'`;
  if (table.name !== accounts) return own;
  return `${own} and user_id = any ('{${users.join(",")}}')`;
}
