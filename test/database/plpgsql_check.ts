// Runs plpgsql_check on every function. It checks each branch, also those that no test reaches. The embedded server
// does not have this extension; PostgreSQL from Debian does. So a new server of Debian's is started first, with trusting
// connections and the superuser supabase_admin:
//   initdb -D <folder> -U supabase_admin --encoding=UTF8 --locale=C && pg_ctl -D <folder> -o "-p 5499 -k /tmp" start
//   node test/database/plpgsql_check.ts 127.0.0.1:5499
import { createDatabase, prepareCluster, withDatabase } from "../../scripts/stack/database.ts";
import { migrationFiles } from "../../scripts/stack/difference.ts";

const [server] = process.argv.slice(2);
if (!server) throw new Error("Usage: node test/database/plpgsql_check.ts <host:port>");

/** plpgsql_check cannot know the columns of a row that dynamic SQL returns. */
const accepted =
  /^app\.write_file\(uuid,text\):\d+: (warning: cannot determinate a result of dynamic SQL|error: record "sent" is not assigned yet)$/;

const url = (role: string): string => `postgres://${role}@${server}/postgres`;
await prepareCluster(url, { postgres: "trusted", supabase_auth_admin: "trusted" });
const stack = { database_url: url("postgres"), superuser_url: url("supabase_admin") };
const database = await createDatabase(stack, "checked", migrationFiles);
const checked = Object.assign(new URL(database), { username: "supabase_admin" }).href;
await withDatabase(checked, async (sql) => {
  await sql`create extension plpgsql_check`;
  // A trigger function is checked with each table that uses it.
  const findings = await sql<{ routine: string; line: string | null }[]>`
    select p.oid::regprocedure::text as routine, p.oid::regprocedure || ':' || f.lineno || ': ' || f.level || ': ' || f.message as line
    from pg_proc as p
    join pg_language as l on l.oid = p.prolang and l.lanname = 'plpgsql'
    left join pg_trigger as t on t.tgfoid = p.oid
    left join lateral plpgsql_check_function_tb(p.oid, coalesce(t.tgrelid, 0), extra_warnings => false) as f on true
    where p.pronamespace::regnamespace::text in ('app', 'api', 'public', 'staging')
      and not exists (select from pg_depend as d where d.objid = p.oid and d.deptype = 'e')
    order by routine, f.lineno`;
  const problems = findings.flatMap(({ line }) => (line === null || accepted.test(line) ? [] : [line]));
  for (const line of problems) console.log(line);
  const functions = new Set(findings.map(({ routine }) => routine)).size;
  console.log(`${functions} functions checked, ${problems.length} problems`);
  process.exitCode = functions > 0 && problems.length === 0 ? 0 : 1;
});
