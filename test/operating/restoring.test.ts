// A rehearsal of docs/operate/backup-and-restore.md: a backup comes into a new project, which serves no person, company or key
// that was removed after it.
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { carriedTables } from "../../scripts/move/tables.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { workFolder } from "../support/command_line.ts";
import { contents, createFullCompany, readList } from "../support/project_companies.ts";
import { everything, newProject, newSides, type Project, removeProjects } from "../support/two_projects.ts";

const folder = workFolder();
afterAll(removeProjects);

const page = await readFile(`${root}/docs/operate/backup-and-restore.md`, "utf8");

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
  const parts: string[] = [];
  for (const { name, columns, counter } of await carriedTables(pool)) {
    if (name === "app.member_accounts") continue;
    const list = `${name} (${columns.join(", ")})`;
    const rows = await runCommand("psql", [url, "--command", `copy ${list} to stdout`]);
    parts.push(`copy ${list} from stdin;\n${rows}\\.\n`);
    if (counter) parts.push(`select setval('${counter.sequence}', (select max(${counter.column}) from ${name}));\n`);
  }
  await pool.end();
  await writeFile(`${folder}/backup.sql`, parts.join(""));
}

const installed = Number(/ (\d+)/.exec(await runCommand("pg_dump", ["--version"]).catch(() => ""))?.[1] ?? 0);

/** Every row of every table, but the ids of deleted rows, which copies of the lists need. */
const rows = async ({ sql }: Project) =>
  (await everything(sql)).filter((row) => !row.startsWith("app.deletions:")).join("\n");

// Proves: ageing.5, layer.20, questions.14, subject.3
test.for(["pg_dump", "what pg_dump writes"])("a backup with %s serves nothing removed since", async (tool, context) => {
  const isReal = tool === "pg_dump";
  if (isReal) context.skip(installed < 17, "pg_dump 17 is missing");
  const { source, company: moved, neighbour: deleted } = await newSides();
  const kept = await createFullCompany(source.sql, "Kept");
  const revoked = await createFullCompany(source.sql, "Revoked");
  const target = await newProject();
  // Ratings with teams that have too few people for the number of their company.
  await source.sql`
    update app.day_ratings as d set team_id = (select max(t.id::text)::uuid from app.teams as t where t.company_id = d.company_id)`;
  await source.sql`update app.companies set fewest_people = 2 where id = ${kept.id}`;
  // Kudos of now with unknown teams.
  await source.sql`update app.kudos set created_at = now() where company_id = ${kept.id} and message like '2%'`;
  const before = { ...(await contents(source.sql, kept.id)), member_accounts: [] };
  if (isReal) await run("pg_dump", source);
  else await dump(source);

  // What happens after the backup.
  const newcomer = randomUUID();
  await source.sql`insert into app.members (company_id, id, name, email) values (${kept.id}, ${newcomer}, 'Late', 'late@x.example')`;
  for (const person of [kept.admin, newcomer]) await source.sql`select app.erase_member(${kept.id}, ${person}, true)`;
  await source.sql`select app.delete_company(${deleted.id})`;
  await source.sql`update app.companies set serving = 'closed', move_id = gen_random_uuid() where id = ${moved.id}`;
  await source.sql`select app.revoke_key(${revoked.key.slice(-4)}, 'found in a chat')`;
  const [{ middle } = { middle: "" }] = await source.sql<{ middle: string }[]>`
    select percentile_disc(0.5) within group (order by created_at)::text as middle from app.kudos where company_id = ${kept.id}`;
  await source.sql`update app.companies set retention = now() - ${middle}::timestamptz where id = ${kept.id}`;
  await source.sql.unsafe(`call app.set_fewest_people('${kept.id}', 3)`).simple();
  await run("save.sql", source);

  await run("after_data.sql", target);
  expect(await run("check.sql", target)).toContain("(0 rows)");
  expect(await contents(target.sql, kept.id)).toEqual(before);
  const keys = [moved, deleted, revoked].map(({ key }) => key);
  for (const key of keys) expect(await readList(target.sql, key), "the backup is older").toHaveLength(100);
  expect(await rows(target)).toContain(kept.email);

  const done = await run("redo.sql", target);
  for (const what of ["companies deleted", "companies closed", "companies keep", "people erased", "keys revoked"])
    expect(done).toContain(`1 ${what}`);
  for (const key of keys) await expect(readList(target.sql, key)).rejects.toThrow("Unauthorized");
  const old = await target.sql`
    select from app.kudos where company_id = ${kept.id} and created_at < ${middle}::timestamptz - interval '1 minute'`;
  expect(old).toHaveLength(0);
  const kudos = (await readList(target.sql, kept.key)) as { sender_name: string; message: string }[];
  const senders = new Set(kudos.map(({ sender_name, message }) => `${sender_name}${message}`));
  expect(senders).toEqual(new Set(["Former member"]));
  const teams = ({ sql }: Project, id: string) =>
    sql`select from app.day_ratings where company_id = ${id} and team_id is not null`;
  expect(await teams(target, kept.id), "the number was raised after the backup").toHaveLength(0);
  expect(await teams(target, revoked.id)).toHaveLength(30);
  const left = await rows(target);
  for (const word of [kept.email, kept.admin, deleted.email, newcomer]) expect(left).not.toContain(word);
  const marks = ({ sql }: Project) => sql`select * from app.erasures order by member_mark`;
  expect(await marks(target)).toEqual(await marks(source));
  expect(await run("redo.sql", target)).toContain("0 keys revoked");
  expect(await run("check.sql", target)).toContain("(0 rows)");
  await Promise.all([source, target].map(({ sql }) => sql.end()));
});
