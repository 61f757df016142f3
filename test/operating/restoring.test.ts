// A rehearsal of docs/operate/backup-and-restore.md: a backup comes into a new project, which serves no person, company or key
// that was removed after it.
import { randomUUID } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, expect, test } from "vitest";
import { carriedTables } from "../../scripts/move/tables.ts";
import { pushMigrations } from "../../scripts/stack/database.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { workFolder } from "../support/command_line.ts";
import { allServed, hashOf } from "../support/stack.ts";
import {
  contents,
  createFullCompany,
  everything,
  newProject,
  newSides,
  olderProject,
  type Project,
  readList,
  removeProjects,
} from "../support/two_projects.ts";

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

/** The time of the middle one of the company's kudos. */
async function middleOf({ sql }: Project, id: string): Promise<string> {
  const [row] = await sql`
    select percentile_disc(0.5) within group (order by created_at)::text as middle from app.kudos where company_id = ${id}`;
  return row?.middle;
}

const installed = Number(/ (\d+)/.exec(await runCommand("pg_dump", ["--version"]).catch(() => ""))?.[1] ?? 0);

/** Every row of every table, but the ids of deleted rows, which copies of the lists need. */
const rows = async ({ sql }: Project) =>
  (await everything(sql)).filter((row) => !row.startsWith("app.deletions:")).join("\n");

// Proves: ageing.5, layer.20, questions.14, subject.3
test.for(["pg_dump", "what pg_dump writes"])(
  "a backup with %s comes into a new project: check.sql finds nothing, and what was removed after it is not served",
  async (tool, context) => {
    const isReal = tool === "pg_dump";
    if (isReal) context.skip(installed < 17, "pg_dump 17 is missing");
    const { source, company: moved, neighbour: deleted } = await newSides();
    const [kept, revoked] = [
      await createFullCompany(source.sql, "Kept"),
      await createFullCompany(source.sql, "Revoked"),
    ];
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
    const middle = await middleOf(source, kept.id);
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
    for (const words of [
      "1 companies deleted",
      "1 companies closed",
      "1 companies keep",
      "1 people erased",
      "1 keys revoked",
    ])
      expect(done).toContain(words);
    for (const key of keys) await expect(readList(target.sql, key)).rejects.toThrow("Unauthorized");
    const old = await target.sql`
      select from app.kudos where company_id = ${kept.id} and created_at < ${middle}::timestamptz - interval '1 minute'`;
    expect(old).toHaveLength(0);
    const kudos = (await readList(target.sql, kept.key)) as { sender_name: string; message: string }[];
    expect(new Set(kudos.map(({ sender_name, message }) => `${sender_name}${message}`))).toEqual(
      new Set(["Former member"]),
    );
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
  },
);

/** The last migration of version 1.2.0, from which one upgrade leads here. */
const released = "20261125172450";

/**
 * The changes of a list after a cursor, by the statement of the Data API. A connection keeps it prepared over an upgrade, so
 * its result must stay of one type (json), also where the function returns another one.
 */
const changesOf = async ({ sql }: Project, key: string, list: string, after: string) => {
  await allServed();
  return await sql.begin(async (tx) => {
    await tx`set local role service_role`;
    const [row] = await tx`
      select coalesce(json_agg(called.page) -> 0, 'null') as page
      from (select public.list_changes(${hashOf(key)}, ${list}, 1000, ${after}) as page) as called`;
    return row?.page as { id: string; cursor: string; deleted: boolean }[];
  });
};

/** Rows of a company as objects, with these columns only. */
const withColumns = (all: Record<string, string[]>, columns: Record<string, string[]>) =>
  Object.fromEntries(
    Object.entries(columns).map(([table, names]) => [
      table,
      (all[table] ?? []).map((text) => JSON.stringify(JSON.parse(text), names)).toSorted(),
    ]),
  );

test("a project of version 1.2.0 with a life behind it is upgraded: its rows stay, its cursors too, the night forgets, and its backup is whole", async () => {
  const lived = await olderProject(released);
  const [kept, moved] = [await createFullCompany(lived.sql, "Kept"), await createFullCompany(lived.sql, "Moved")];
  const [erased, left, stayed] = await lived.sql`
    insert into app.members (company_id, name, email)
    select ${kept.id}, 'Person ' || n, n || '@life.example' from generate_series(1, 3) as n returning id`;
  await lived.sql`select app.erase_member(${kept.id}, ${erased?.id}, true)`;
  await lived.sql`select app.revoke_key(${moved.key.slice(-4)}, 'found in a chat')`;
  await lived.sql`update app.companies set serving = 'closed', move_id = gen_random_uuid() where id = ${moved.id}`;
  await lived.sql`insert into app.teams (company_id, name) select id, 'Gone' from app.companies`;
  await lived.sql`delete from app.teams where name = 'Gone'`;
  await lived.sql`update app.deletions set deleted_at = now() - interval '91 days' where relation = 'app.teams'::regclass`;
  // As in a project that came from version 1.1.
  await lived.sql`truncate app.forgotten_deletions`;
  const cursor = (await changesOf(lived, kept.key, "members", "start")).at(-1)?.cursor ?? "";
  await lived.sql`delete from app.members where company_id = ${kept.id} and id = ${left?.id}`;
  await lived.sql`update app.members set name = 'Renamed' where company_id = ${kept.id} and id = ${stayed?.id}`;
  const before = await contents(lived.sql, kept.id);
  const columns = Object.fromEntries(
    Object.entries(before).flatMap(([table, [first]]) => (first ? [[table, Object.keys(JSON.parse(first))]] : [])),
  );

  await pushMigrations(lived.url);
  expect(withColumns(await contents(lived.sql, kept.id), columns)).toEqual(withColumns(before, columns));
  expect(await run("check.sql", lived)).toContain("(0 rows)");
  const changed = await changesOf(lived, kept.key, "members", cursor);
  expect(new Map(changed.map(({ id, deleted }) => [id, deleted]))).toEqual(
    new Map([
      [left?.id, true],
      [stayed?.id, false],
    ]),
  );
  expect(await readList(lived.sql, kept.key)).toHaveLength(100);
  await expect(readList(lived.sql, moved.key)).rejects.toThrow("Unauthorized");

  await runCommand("psql", [lived.url, "--command", "call app.purge_expired()"]);
  const old = await lived.sql`select from app.deletions where deleted_at < now() - interval '90 days'`;
  expect(old, "the night forgets, also where nothing has been forgotten yet").toHaveLength(0);

  // What triggers make of the rows when they come in anew is what the upgrade made of them.
  const target = await newProject();
  await dump(lived);
  await run("after_data.sql", target);
  for (const { id } of [kept, moved])
    expect(await contents(target.sql, id)).toEqual({ ...(await contents(lived.sql, id)), member_accounts: [] });
  expect(await run("check.sql", target)).toContain("(0 rows)");
});
