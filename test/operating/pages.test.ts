// The operator's pages, run as they stand and in their order: a company is added, loaded, erased from and deleted; a
// leaked key is handled; and a service writes into the tables as docs/operate/writing-data.md says, in every isolation level.
import { createHash, randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root, runCommand, withoutPassword } from "../../scripts/stack/process.ts";
import { workFolder } from "../support/command_line.ts";
import { type Cells, csvOf, good } from "../support/loading.ts";
import { codeBlocks } from "../support/pages.ts";
import { createCompany, readList } from "../support/project_companies.ts";
import { again, isolationLevels } from "../support/rpc.ts";
import { newProject, removeProjects } from "../support/two_projects.ts";

const folder = workFolder();
afterAll(removeProjects);

/** The company and the people of the pages. */
const shown = "bf6cf59e-da60-43e3-aaf3-4df79f1e2cf5";
const person = (number: number) => `8c1d5e2f-3b4a-4c6d-8e7f-0a1b2c3d4e0${number}`;

type Command = { language: string; text: string };

/** The commands of a page: its blocks of SQL, and those of a shell, without pg_cron, which only hosted projects have. */
const commandsOf = (page: string, shell = /^ *psql /): Command[] =>
  codeBlocks(`docs/operate/${page}.md`)
    .map(({ language, text }) => ({ language, text: text.replaceAll(/^select cron\..*\n/gm, "") }))
    .filter(({ language, text }) => (language === "sh" ? shell.test(text) : /sql$/.test(language)));

async function run({ language, text }: Command, url: string, more: Record<string, string> = {}): Promise<string> {
  const file = `${folder}/command.sql`;
  await writeFile(file, text);
  const psql = `psql "$DATABASE_URL" --no-psqlrc --set ON_ERROR_STOP=1 --file ${file}`;
  const { address, env: withPassword } = withoutPassword(url);
  const env = { ...withPassword, DATABASE_URL: address, ...more };
  return await runCommand("bash", ["-ec", `cd ${folder}; ${language === "sh" ? text : psql}`], { env });
}

async function runPage(page: string, url: string, id: string, before = /$/): Promise<string[]> {
  const printed: string[] = [];
  for (const { language, text } of commandsOf(page).filter(({ text }) => before.test(text))) {
    const mine = text.replaceAll(shown, id).replaceAll("…/sql/", `${root}/sql/`);
    printed.push(await run({ language, text: mine }, url));
  }
  return printed;
}

test("a company is added, loaded, erased from and deleted by the commands of the pages", async () => {
  const { url, sql } = await newProject();
  const [added = ""] = await runPage("deploy", url, shown, /insert into app\.companies/);
  const [id = ""] = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(added) ?? [];
  expect(id).not.toBe("");
  await runPage("deploy", url, id, /insert into app\.members/);

  const files = good();
  const [member] = files.members as [Cells];
  for (const number of [1, 2])
    files.members?.push({ ...member, id: person(number), email: `${number}@hollander.example` });
  for (const [file, rows] of Object.entries(files)) await writeFile(`${folder}/${file}.csv`, csvOf(file, rows));
  const [loaded = "", problems = ""] = await runPage("load-data", url, id);
  expect(loaded.match(/^ members +\| +3 \| +1 \|/gm), "dry run and load").toHaveLength(2);
  expect(loaded.match(/Nothing was loaded: this was a dry run/g)).toHaveLength(1);
  expect(problems).toContain("(0 rows)");
  expect(await sql`select name from app.members where company_id = ${id} and id = ${person(2)}`).toHaveLength(1);

  const erased = await runPage("erase-and-retain", url, id);
  expect(erased).toHaveLength(6);
  expect(erased[0]).toMatch(/0 \| +0 \| +0 \| +0/);
  expect(await sql`select from app.companies`).toHaveLength(0);
});

test("a leaked key is revoked, found by its hash and told from others by the commands of incidents.md, in its order", async () => {
  const { url, sql } = await newProject();
  const { name, key } = await createCompany(sql, "Leaked");
  const digits = createHash("sha256").update(key).digest("hex");
  // The Supabase CLI needs a hosted project: test/api/watching.test.ts and deploy.test.ts run its commands.
  const commands = commandsOf("incidents", /^ *(psql|printf) /);
  const printed: string[] = [];
  for (const { language, text } of commands) {
    const mine = text.replace("a1B2", key.slice(-4)).replace("<the 64 digits>", digits);
    printed.push(await run({ language, text: mine.replace(" sql/", ` ${root}/sql/`) }, url, { KEY: key }));
  }
  const [revoked, hash, found, ours, signs, ...others] = printed;
  expect(revoked).toContain("(1 row)");
  expect(hash).toContain(digits);
  expect(found).toMatch(new RegExp(`^ ${name} .*20\\d\\d-\\d\\d-\\d\\d [^|]*$`, "m"));
  expect(ours).toBe("ours\n");
  expect(signs).toContain("longest transaction");
  expect(others).toEqual([]);
  await expect(readList(sql, key)).rejects.toThrow("Unauthorized");
});

test.each(isolationLevels)("at %s, what writing-data.md says is written once, beside another writer", async (level) => {
  const { url, sql } = await newProject();
  const company = await createCompany(sql, "Written");
  const role = `writer_${randomUUID().replaceAll("-", "")}`;
  const tables = "companies teams members categories category_names kudos day_ratings pulse_questions pulse_responses";
  const named = `${tables} erasures deletions forgotten_deletions`.split(" ").map((name) => `app.${name}`);
  await sql.unsafe(`create role ${role} login bypassrls password 'w'; grant usage on schema app to ${role};
    grant execute on all routines in schema app to ${role}; grant select, insert, update, delete on ${named} to ${role}`);
  onTestFinished(async () => void (await sql.unsafe(`drop owned by ${role}; drop role ${role}`)));
  const asRole = Object.assign(new URL(url), { username: role, password: "w" }).href;
  const [block] = commandsOf("writing-data");
  const text = (block?.text ?? "").replaceAll(shown, company.id).replace("begin;", `begin isolation level ${level};`);
  /** As the page says: the whole transaction again, after what may pass. In this order there is no deadlock. */
  const write = () => again(() => withDatabase(asRole, (writer) => writer.unsafe(text).simple()));
  await Promise.all(Array.from({ length: 4 }, write));
  const state = () => sql`select 'kudos', id, changed_in::text from app.kudos union all
    select 'members', id, changed_in::text from app.members union all
    select 'categories', id, changed_in::text from app.categories order by 1, 2`;
  await withDatabase(asRole, (writer) => writer`delete from app.kudos`);
  await write();
  const before = await state();
  const written = { message: "Thanks for the demo!", sender_name: "Bas de Wit", category: "Teamwork" };
  expect(await readList(sql, company.key)).toMatchObject([written]);
  await write();
  expect(await state(), "rows that do not differ are not written again").toEqual(before);

  const [bas] = await sql<{ id: string }[]>`select id from app.members where name = 'Bas de Wit'`;
  await sql`select app.erase_member(${company.id}, ${bas?.id ?? ""}, true)`;
  await expect(write(), "his kudos name nobody").resolves.toBeDefined();
  expect(await sql`select from app.members where name = 'Bas de Wit'`).toHaveLength(0);
  await sql`update app.companies set serving = 'moving', move_id = gen_random_uuid()`;
  await expect(write()).rejects.toThrow("moving");
});
