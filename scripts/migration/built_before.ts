// Indexes of migrations, which take long where a table has tens of millions of rows: who has built one before, without
// blocking (docs/operate/upgrade.md, Build large indexes first), is not asked to build it again.

const statement = /^CREATE ((?:UNIQUE )?INDEX) (\S+) ON (\w+)\.([^;]+);$/gm;

/** The same statements; those that create an index pass where a valid one has this name and definition, and no other. */
export const mayBeBuiltBefore = (statements: string): string =>
  statements.replace(statement, (whole, kind: string, name: string, schema: string, rest: string) => {
    const definition = whole.slice(0, -1).replaceAll("'", "''");
    return `CREATE ${kind} IF NOT EXISTS ${name} ON ${schema}.${rest};
do $do$ begin
  if not (select i.indisvalid and pg_get_indexdef(i.indexrelid) = '${definition}'
      from pg_index as i where i.indexrelid = '${schema}.${name}'::regclass) then
    raise exception '${schema}.${name} is invalid or has another definition: drop it, then build it as docs/operate/upgrade.md says';
  end if;
end $do$;`;
  });
