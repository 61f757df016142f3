// npm run migration -- <name>: writes a migration for the difference between supabase/migrations and sql/schema,
// sql/lists and sql/operating.
// npm run migration -- --squash: puts a few migrations in place of all that are not released. Those that are written by
// hand stay: some come first, because the others need what they write into the tables, the rest last.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { mayBeBuiltBefore } from "./migration/built_before.ts";
import { byLock } from "./migration/by_lock.ts";
import { createDatabase, runSql } from "./stack/database.ts";
import { changes, difference, migrationFiles, schemaFiles, sqlOf } from "./stack/difference.ts";
import { startPostgres } from "./stack/postgres.ts";
import { root } from "./stack/process.ts";
import { stackSecrets } from "./stack/secrets.ts";

const usage = `Usage: npm run migration -- <name>      e.g. activity_category_id
       npm run migration -- --squash    a few migrations in place of all that are not released`;

/** How migrations begin that `--squash` leaves as they are, before and after those that it writes. */
const byHand = { first: "-- By hand, first:", last: "-- By hand:" };

/** Requests that are running may still call what is dropped: their function is the one of before. */
const waiting = `-- Requests that began before the functions were replaced end within 7 seconds.
do $$
declare
  running constant text[] := array(
    select l.virtualxid from pg_locks as l where l.locktype = 'virtualxid' and l.pid <> pg_backend_pid()
  );
begin
  for tried in 1..100 loop
    exit when not exists (select from pg_locks as l where l.virtualxid = any (running));
    perform pg_sleep(0.1);
  end loop;
end
$$;`;

/**
 * The text of a migration: time limits, then the statements. If they make public_api the owner of a function, it needs
 * `create` for that time.
 */
function migration(statements: string, note = "", waits = false): string {
  const becomesOwner = /owner to "?public_api"?/i.test(statements);
  const hasFunctions = /create (or replace )?(function|procedure)/i.test(statements);
  const parts = [
    `${note}set lock_timeout = '2s';\nset statement_timeout = '60s';`,
    ...(waits ? [waiting] : []),
    // A function may name what comes behind it.
    ...(hasFunctions ? ["set local check_function_bodies = off;"] : []),
    ...(becomesOwner ? ["grant create on schema public to public_api;"] : []),
    mayBeBuiltBefore(statements),
    ...(becomesOwner ? ["revoke create on schema public from public_api;"] : []),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** The file of a migration that is made now, or some seconds later, so that several have an order. */
function newFile(name: string, seconds = 0): string {
  const time = new Date(Date.now() + seconds * 1000).toISOString().replace(/\D/g, "").slice(0, 14);
  return `supabase/migrations/${time}_${name}.sql`;
}

type Databases = {
  /** Makes a database from SQL files, and gives its address. */
  create: (name: string, files: string[]) => Promise<string>;
  /** The address of a database made from sql/schema, sql/lists and sql/operating. */
  read: string;
};

/** Writes the migration, then applies it to a database of all earlier ones, to check that no difference is left. */
async function write(name: string, { create, read }: Databases): Promise<void> {
  const ships = await create("ships", migrationFiles);
  const statements = await difference(ships, read);
  if (statements === "") {
    console.log("supabase/migrations and sql/schema make the same database: there is nothing to write");
    return;
  }
  const text = migration(statements);
  const path = newFile(name);
  await writeFile(`${root}/${path}`, text);
  console.log(`${path} is written. Read it: the deployed function has to keep working, and what it drops is lost.`);
  await expectNoDifference(ships, [text], read);
}

/** Applies migrations to a database. Says what differs then from the database of sql/schema, and ends with 1. */
async function expectNoDifference(from: string, texts: string[], read: string): Promise<void> {
  let left: string;
  try {
    for (const text of texts) await runSql(from, text);
    left = await difference(from, read);
  } catch (error) {
    left = `-- ${(error as Error).message}`;
  }
  if (left === "") return;
  console.error(`Applied as it is, it does not make the database of sql/schema yet:\n\n${left}`);
  process.exitCode = 1;
}

/** Puts a few migrations in place of those that have no hash in test/released. */
async function squash({ create, read }: Databases): Promise<void> {
  const hashes = await readFile(`${root}/test/released/migrations.sha256`, "utf8");
  const isReleased = (file: string) => hashes.includes(`  ${basename(file)}\n`);
  const texts = new Map<string, string>();
  for (const file of migrationFiles.filter((file) => !isReleased(file))) texts.set(file, await readFile(file, "utf8"));
  const kept = (beginning: string) =>
    [...texts]
      .filter(([, text]) => text.startsWith(beginning))
      .map(([file, text]) => ({ name: basename(file, ".sql").replace(/^\d+_/, ""), text }));

  const ships = await create("ships", migrationFiles.filter(isReleased));
  const first = kept(byHand.first);
  for (const { text } of first) await runSql(ships, text);
  const written = byLock(await changes(ships, read)).map(({ name, actions, note }) => ({
    name,
    text: migration(sqlOf(actions), note, name === "what_is_gone"),
  }));
  const last = kept(byHand.last);
  const files = [...first, ...written, ...last].map(({ name, text }, place) => ({ file: newFile(name, place), text }));
  for (const file of texts.keys()) await rm(file);
  for (const { file, text } of files) await writeFile(`${root}/${file}`, text);
  const names = files.map(({ file }) => file).join("\n");
  console.log(
    `In place of ${texts.size} migrations that are not released:\n${names}\nRead them: what they drop is lost.`,
  );
  await expectNoDifference(
    ships,
    [...written, ...last].map(({ text }) => text),
    read,
  );
}

/** Starts a server for the databases, and stops it. */
async function withDatabases(use: (databases: Databases) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(`${tmpdir()}/migration-`);
  const postgres = await startPostgres(folder, await stackSecrets(folder), { port: 0, throwaway: true });
  try {
    const server = { database_url: postgres.url("postgres"), superuser_url: postgres.url("supabase_admin") };
    const create = (name: string, files: string[]) => createDatabase(server, name, files);
    const read = await create("read", schemaFiles);
    await use({ create, read });
  } finally {
    await postgres.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

const { positionals, values } = parseArgs({ allowPositionals: true, strict: false });
const [name = ""] = positionals;
const options = Object.keys(values).join();
const named = options === "" && positionals.length === 1 && /^[a-z][a-z0-9_]*$/.test(name);
const squashed = options === "squash" && values.squash === true && positionals.length === 0;
if (named || squashed)
  await withDatabases((databases) => (named ? write(name, databases) : squash(databases))).catch((error: Error) => {
    console.error(error.message.replaceAll(`${root}/`, ""));
    process.exitCode = 1;
  });
else {
  console.error(usage);
  process.exitCode = 2;
}
