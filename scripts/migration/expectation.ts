// What sql/commands/check.sql expects of a database, in its lines between two $expected$.
import { readFile } from "node:fs/promises";
import { withDatabase } from "../stack/database.ts";
import { root } from "../stack/process.ts";

export const checkFile = `${root}/sql/commands/check.sql`;

/** The text of check.sql that expects what a database has now. By its own query: the CTE `present`. */
export async function checkExpecting(url: string): Promise<string> {
  const text = await readFile(checkFile, "utf8");
  const [before = "", , after = ""] = text.split("$expected$");
  const [query = ""] = before.replace(/^\\.*$/gm, "").split(",\n-- What has to be there.");
  const lines = await withDatabase(url, (sql) =>
    sql.unsafe<{ line: string }[]>(`${query.slice(query.indexOf("with recursive"))}
      select concat_ws('|', what, string_agg(aspect || '=' || value, '|' order by aspect collate "C")) as line
      from present group by what order by what collate "C"`),
  );
  return [before, `\n${lines.map(({ line }) => `${line}\n`).join("")}`, after].join("$expected$");
}
