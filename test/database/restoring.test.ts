// A rehearsal of docs/operations.md, Restore: a backup comes into a new project, and nobody who had left by then is served
// there.
import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import pg from "pg";
import { to as copyTo } from "pg-copy-streams";
import { afterAll, expect, test } from "vitest";
import { carriedTables } from "../../scripts/move/tables.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { needs } from "../support/optional_tool.ts";
import { ask, contents, found, newProject, newSides, type Project, removeProjects } from "../support/two_projects.ts";

const folder = await mkdtemp(`${tmpdir()}/restoring-`);
afterAll(async () => {
  await removeProjects();
  await rm(folder, { recursive: true });
});

const page = await readFile(`${root}/docs/operations.md`, "utf8");

/** Runs the command of the page that contains these words, in the folder of the backup, as its reader would. */
async function run(words: string, { url }: Project): Promise<string> {
  const command = page.match(/(?<=^ *)(?:psql|pg_dump) (?:\\\n|.)*/gm)?.find((one) => one.includes(words));
  expect(command, words).toBeDefined();
  const env = { ...process.env, DATABASE_URL: url };
  const there = (command ?? "").replaceAll(" sql/", ` ${root}/sql/`);
  return await runCommand("bash", ["-ec", `cd ${folder}; ${there}`], { env });
}

/** What pg_dump would write, for a machine without a pg_dump of version 17 or newer. */
async function dump({ url }: Project): Promise<void> {
  const pool = new pg.Pool({ connectionString: url });
  const client = await pool.connect();
  const parts: string[] = [];
  for (const { name, columns, counter } of await carriedTables(client)) {
    if (name === "app.member_accounts") continue;
    const list = `${name} (${columns.join(", ")})`;
    parts.push(`copy ${list} from stdin;\n${await text(client.query(copyTo(`copy ${list} to stdout`)))}\\.\n`);
    if (counter) parts.push(`select setval('${counter.sequence}', (select max(${counter.column}) from ${name}));\n`);
  }
  client.release();
  await pool.end();
  writeFileSync(`${folder}/backup.sql`, parts.join(""));
}

const installed = Number(/ (\d+)/.exec(await runCommand("pg_dump", ["--version"]).catch(() => ""))?.[1] ?? 0);

/** Every row of every table, as text, but the ids of deleted rows, which copies are told. */
async function everything({ sql }: Project): Promise<string> {
  const tables = await sql`
    select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('app', 'auth', 'staging') and tablename <> 'deletions'`;
  const found = await Promise.all(tables.map(({ name }) => sql.unsafe(`select t::text as row from ${name} as t`)));
  return found.flatMap((rows) => rows.map(({ row }) => row)).join("\n");
}

// Proves: ageing.5, layer.20
test.for(["pg_dump", "what pg_dump writes"])(
  "a backup with %s comes into a new project: check.sql finds nothing, and who had left by then is not served",
  async (tool, context) => {
    const isReal = tool === "pg_dump";
    if (isReal) needs(context, "pg_dump 17", installed >= 17);
    const { source, company: moved, neighbour: deleted } = await newSides();
    const [kept, revoked] = [await found(source.sql, "Kept"), await found(source.sql, "Revoked")];
    const target = await newProject();
    const before = { ...(await contents(source.sql, kept.id, "own")), member_accounts: [] };
    if (isReal) await run("pg_dump", source);
    else await dump(source);

    // What happens after the backup.
    const newcomer = randomUUID();
    await source.sql`insert into app.members (company_id, id, name, email) values (${kept.id}, ${newcomer}, 'Late', 'late@x.example')`;
    for (const person of [kept.admin, newcomer]) await source.sql`select app.erase_member(${kept.id}, ${person}, true)`;
    await source.sql`select app.delete_company(${deleted.id})`;
    await source.sql`update app.companies set serving = 'closed', move_id = gen_random_uuid() where id = ${moved.id}`;
    await source.sql`select app.revoke_key(${revoked.key.slice(-4)}, 'found in a chat')`;
    await run("save.sql", source);

    await run("after_data.sql", target);
    expect(await run("check.sql", target)).toContain("(0 rows)");
    expect(await contents(target.sql, kept.id, "own")).toEqual(before);
    const keys = [moved, deleted, revoked].map(({ key }) => key);
    for (const key of keys) expect(await ask(target.sql, key), "the backup is older").toHaveLength(100);
    expect(await everything(target)).toContain(kept.email);

    const done = await run("redo.sql", target);
    for (const words of ["1 companies deleted", "1 companies closed", "1 people erased", "1 keys revoked"])
      expect(done).toContain(words);
    for (const key of keys) await expect(ask(target.sql, key)).rejects.toThrow("Unauthorized");
    const kudos = (await ask(target.sql, kept.key)) as { sender_name: string; message: string }[];
    expect(new Set(kudos.map(({ sender_name, message }) => `${sender_name}${message}`))).toEqual(
      new Set(["Former member"]),
    );
    const rows = await everything(target);
    for (const word of [kept.email, kept.admin, deleted.email, newcomer]) expect(rows).not.toContain(word);
    const marks = ({ sql }: Project) => sql`select * from app.erasures order by member_mark`;
    expect(await marks(target)).toEqual(await marks(source));
    expect(await run("redo.sql", target)).toContain("0 keys revoked");
    expect(await run("check.sql", target)).toContain("(0 rows)");
    await Promise.all([source, target].map(({ sql }) => sql.end()));
  },
);
