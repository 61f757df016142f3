// What sql/commands/check.sql expects of a database.
import { readFile } from "node:fs/promises";
import { withDatabase } from "../stack/database.ts";
import { root } from "../stack/process.ts";

const commands = `${root}/sql/commands`;
export const expectedFile = `${commands}/expected.sql`;

/** The text of expected.sql for what a database has now. By the query of check.sql: its CTE `present`. */
export async function expectedSql(url: string): Promise<string> {
  const check = await readFile(`${commands}/check.sql`, "utf8");
  const [query = ""] = check.slice(check.indexOf("with recursive")).split(",\n-- What has to be there.");
  const lines = await withDatabase(url, (sql) =>
    sql.unsafe<{ line: string }[]>(`${query}
      select concat_ws('|', what, string_agg(aspect || '=' || value, '|' order by aspect collate "C")) as line
      from present group by what order by what collate "C"`),
  );
  return `-- What check.sql expects of a database, written by npm run migration: each object, and its aspects.
select $expected$
${lines.map(({ line }) => `${line}\n`).join("")}$expected$ as expected \\gset
`;
}
