// npm run migration -- <name>: writes a migration for the difference between supabase/migrations and sql/schema,
// sql/loading.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { parseArgs } from "node:util";
import { createDatabase, runSql } from "./stack/database.ts";
import { difference, migrationFiles, schemaFiles } from "./stack/difference.ts";
import { startPostgres } from "./stack/postgres.ts";
import { root } from "./stack/process.ts";
import { stackSecrets } from "./stack/secrets.ts";

const usage = "Usage: npm run migration -- <name>     e.g. activity_category_id";

/**
 * The text of a migration: time limits, then the statements. If they make public_api the owner of a function, it needs
 * `create` for that time.
 */
function migration(statements: string): string {
  const becomesOwner = /owner to "?public_api"?/i.test(statements);
  const parts = [
    "set lock_timeout = '5s';\nset statement_timeout = '60s';",
    ...(becomesOwner ? ["grant create on schema public to public_api;"] : []),
    statements,
    ...(becomesOwner ? ["revoke create on schema public from public_api;"] : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Writes the migration, then applies it to a database of all earlier ones, to check that no difference is left. */
async function write(name: string): Promise<void> {
  const folder = await mkdtemp(`${tmpdir()}/migration-`);
  const postgres = await startPostgres(folder, await stackSecrets(folder), { port: 0, throwaway: true });
  try {
    const server = { database_url: postgres.url("postgres"), superuser_url: postgres.url("supabase_admin") };
    const ships = await createDatabase(server, "ships", migrationFiles);
    const read = await createDatabase(server, "read", schemaFiles);
    const statements = await difference(ships, read);
    if (statements === "") {
      console.log("supabase/migrations and sql/schema make the same database: there is nothing to write");
      return;
    }
    const text = migration(statements);
    const time = new Date().toISOString().replace(/\D/g, "").slice(0, 14);
    const path = `supabase/migrations/${time}_${name}.sql`;
    await writeFile(`${root}/${path}`, text);
    console.log(`${path} is written. Read it: the deployed function has to keep working, and what it drops is lost.`);
    const left = await runSql(ships, text).then(
      () => difference(ships, read),
      (error: Error) => `-- ${error.message}`,
    );
    if (left === "") return;
    console.error(`Applied as it is, it does not make the database of sql/schema yet:\n\n${left}`);
    process.exitCode = 1;
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const { positionals, values } = parseArgs({ allowPositionals: true, strict: false });
const [name = ""] = positionals;
if (Object.keys(values).length === 0 && positionals.length === 1 && /^[a-z][a-z0-9_]*$/.test(name))
  await write(name).catch((error: Error) => {
    console.error(error.message.replaceAll(`${root}/`, ""));
    process.exitCode = 1;
  });
else {
  console.error(usage);
  process.exitCode = 2;
}
