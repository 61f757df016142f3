// A rehearsal of a deployment (docs/operate/deploy.md): what the real CLI sends to a stand-in of the management API, and
// what its commands do to a database.
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { afterAll, expect, test } from "vitest";
import { runSql } from "../../scripts/stack/database.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { startProgram, workFolder } from "../support/command_line.ts";
import { hold } from "../support/rpc.ts";
import { stack } from "../support/stack.ts";
import { newDatabase, newProject, type Project, removeProjects } from "../support/two_projects.ts";
import { project, startManagementApi } from "./deploy/management_api.ts";

const folder = "functions/public-api";
const remote = `--remote=${project}`;
const work = workFolder();

/** Begins a transaction as a dump of another role does, and runs this statement in it. */
async function beginDump({ sql }: Project, statement = "select") {
  const dump = await hold(sql, statement);
  await dump.tx`select set_config('application_name', 'pg_dump', true)`;
  return dump;
}
/** A database without migrations, and two dumps of it. They are begun here, because a push waits for old ones only. */
const pushed = await newDatabase();
const dump = await beginDump(pushed, "lock table auth.users in access share mode");
const secondDump = await beginDump(pushed);

const api = await startManagementApi();
await api.run("functions", "deploy", "public-api", "--use-api", "--yes", remote);
const request = api.requests.find(({ path }) => path.includes("/functions/deploy"));
const headers = { "Content-Type": request?.contentType ?? "" };
const deployed = await new Response(request ? new Uint8Array(request.body) : null, { headers }).formData();
const files = deployed.getAll("file").filter((file) => typeof file !== "string");
/** The files that were sent, by their paths in the repository. */
const sent = new Map(await Promise.all(files.map(async (file) => [file.name, await file.text()] as const)));

afterAll(() => Promise.all([api.stop(), removeProjects()]));

const importsOf = (source: string): string[] =>
  [...source.matchAll(/(?:\bfrom |^import |\bimport\()"([^"]+)"/gm)].map(([, specifier = ""]) => specifier);

test("every file of the function arrives as it is, and no other file of the repository", async () => {
  const inFolder = await readdir(`${root}/${folder}`, { recursive: true });
  const names = inFolder.filter((name) => /\.\w+$/.test(name));
  expect(names).toEqual(expect.arrayContaining(["index.ts", "table/endpoints.ts", "deno.json"]));
  expect([...sent.keys()].sort()).toEqual(names.map((name) => `${folder}/${name}`).sort());
  for (const [path, text] of sent) expect(text, path).toBe(await readFile(`${root}/${path}`, "utf8"));
});

test("the entry point and the import map, which knows every package, are found, and no token of Supabase Auth is needed", async () => {
  expect(JSON.parse(String(deployed.get("metadata")))).toEqual({
    name: "public-api",
    entrypoint_path: `${folder}/index.ts`,
    import_map_path: `${folder}/deno.json`,
    verify_jwt: false,
    static_patterns: [],
  });
  const { imports } = JSON.parse(sent.get(`${folder}/deno.json`) ?? "{}");
  const packages = [...sent.values()].flatMap(importsOf).filter((one) => !one.startsWith("."));
  expect(Object.keys(imports).sort()).toEqual([...new Set(packages)].sort());
});

test("config push closes what a new project leaves open, lets admins set up a second factor, and no more", async () => {
  const before = api.requests.length;
  // The stand-in does not return all settings of Auth, so the CLI fails afterwards. Only what it has sent counts.
  await api.run("config", "push", "--yes", remote).catch(() => {});
  const template = (name: string) => readFile(`${root}/supabase/templates/${name}.html`, "utf8");
  const changes = api.requests.slice(before).filter(({ method }) => method !== "GET");
  expect(changes.map(({ path, body }) => [path, JSON.parse(body.toString())])).toEqual([
    [`/v1/projects/${project}/postgrest`, { db_schema: "public" }],
    [
      `/v1/projects/${project}/config/auth`,
      {
        disable_signup: true,
        mailer_autoconfirm: false,
        password_min_length: 8,
        mfa_totp_enroll_enabled: true,
        mfa_totp_verify_enabled: true,
        // Links that a mail server can open without using them up (docs/operate/dashboard.md).
        mailer_subjects_invite: "Set your password to manage API keys",
        mailer_templates_invite_content: await template("invite"),
        mailer_subjects_recovery: "Set a new password to manage API keys",
        mailer_templates_recovery_content: await template("recovery"),
      },
    ],
  ]);
});

/** Starts npm run push. */
const push = (url: string, args: string[] = [], settings: Record<string, string> = {}) =>
  startProgram(process.execPath, ["scripts/push.ts", ...args], {
    cwd: root,
    env: { ...process.env, DATABASE_URL: url, ...settings },
  });

test("npm run push waits for a long transaction, a second push for the first, and neither when nothing is to be pushed", async () => {
  const { url, sql } = pushed;
  const app = async () => [...(await sql`select to_regnamespace('app')::text as app`)];
  const looked = await push(url, ["--dry-run"]).ended;
  expect(looked).toEqual({ code: 0, output: expect.stringContaining("_baseline.sql") });
  const old = () => sql`
    select from pg_stat_activity where application_name = 'pg_dump' and xact_start < now() - interval '5 seconds'`;
  await expect.poll(old).toHaveLength(2);
  const first = push(url);
  await expect.poll(() => first.output).toContain("Trying again in 5 seconds");
  expect(first.output).toMatch(/process \d+ \(supabase_admin, pg_dump\), for 00:\d\d:\d\d/);
  expect(await app()).toEqual([{ app: null }]);
  const second = push(url);
  await expect.poll(() => second.output).toContain("Trying again in 5 seconds");
  await dump.release();
  expect(await first.ended).toEqual({ code: 0, output: expect.stringContaining("Finished supabase db push") });
  const running = /^Another push is running: process \d+ \(postgres, npm run push\), for 00:\d\d:\d\d\. Trying again/;
  expect(await second.ended).toEqual({ code: 0, output: expect.stringMatching(running) });
  expect(await app()).toEqual([{ app: "app" }]);
  expect(await sql`select from app.companies`, "no demo data").toHaveLength(0);
  await secondDump.tx`lock table auth.users, app.kudos in access share mode`;
  const output = "The database has every migration: there is nothing to push\n";
  expect(await push(url).ended).toEqual({ code: 0, output });
  await secondDump.release();
});

test("npm run push refuses another project than the linked one, for a direct address and for the session pooler", async () => {
  const at = (address: string) => push(`postgres://${address}/postgres`, [], { SUPABASE_PROJECT_ID: project }).ended;
  const other = "zyxwvutsrqponmlkjihg";
  const why = `DATABASE_URL is project ${other}, but this folder is linked to ${project}`;
  for (const address of [`postgres:pw@db.${other}.supabase.co`, `postgres.${other}:pw@127.0.0.1:1`])
    expect(await at(address)).toEqual({ code: 1, output: `${why}: run npx supabase link ${other}\n` });
  const own = await at(`postgres.${project}:pw@127.0.0.1:1`);
  expect(own).toEqual({ code: 1, output: expect.stringMatching(/^DATABASE_URL: no connection \(ECONNREFUSED\)/) });
});

test("npm run push shows the password to nobody: as no argument, nor when the CLI dies at once, nor in an address that does not parse", async () => {
  const { url } = await newDatabase();
  const { password } = new URL(url);
  const cli = `${work}/cli`;
  await writeFile(cli, '#!/bin/sh\necho "$*" > "$0.arguments"\nprintf %s "$PGPASSWORD" > "$0.password"\nexit 1\n');
  await chmod(cli, 0o700);
  const dies = await push(url, [], { SUPABASE_CLI_BINARY_OVERRIDE: cli }).ended;
  expect(dies).toEqual({ code: 1, output: expect.stringContaining("Command failed") });
  expect(await readFile(`${cli}.password`, "utf8")).toBe(password);
  for (const text of [dies.output, await readFile(`${cli}.arguments`, "utf8")]) expect(text).not.toContain(password);
  for (const wrong of ["p%zz", "12/s3cret", "12#s3cret", "12?s3cret", "s3cret word#"]) {
    const refused = await push(`postgres://postgres:${wrong}@127.0.0.1:1/postgres`).ended;
    expect(refused).toEqual({ code: 1, output: expect.stringMatching(/^DATABASE_URL must be the address/) });
    expect(refused.output).not.toContain("s3cret");
  }
});

test("with the switches of docs/operate/deploy.md the CLI talks to the management API and to nobody else", () => {
  const paths = api.requests.map(({ method, path }) => `${method} ${path}`);
  expect(paths).toContain(`POST /v1/projects/${project}/functions/deploy?slug=public-api`);
  expect(paths.filter((path) => !/ \/v[12]\/projects\/abcdefghijklmnopqrst/.test(path))).toEqual([]);
});

const deployTo = await readFile(`${root}/.github/workflows/deploy_to.yml`, "utf8");
/** The checks that the workflow makes after a deployment: shell scripts by their names. */
const steps = deployTo.matchAll(/^ {6}- name: (.*)\n {8}run: \|\n((?: {10}.*\n)+)/gm);
const looks = new Map([...steps].map(([, name, lines = ""]) => [name, lines]));

/** Runs one of the checks as GitHub does. */
const look = (name: string, env: Record<string, string>, address = "") =>
  runCommand("bash", ["-e", "-c", (looks.get(name) ?? "exit 1").replace(/https:.*public-api/, address)], {
    env: { ...process.env, ...env },
  });

test("the deploy workflow fails when sql/commands/check.sql finds something, and when it cannot look", async () => {
  const { url } = await newProject();
  const check = (url: string) => look("sql/commands/check.sql prints no row", { DATABASE_URL: url });
  await check(url);
  await expect(check("postgres://postgres@127.0.0.1:1/postgres")).rejects.toThrow("Connection refused");
  await runSql(url, "alter table app.kudos disable row level security");
  await expect(check(url)).rejects.toThrow("must have row-level security enabled");
});

test("the deploy workflow fails when the probe gets another answer than ours, or none", async () => {
  const probe = (address: string) => look("The probe gets our own 401", {}, address);
  await probe(stack.api_url);
  await expect(probe(`${stack.api_url}/nothing`)).rejects.toThrow("Not Found: /nothing");
  await expect(probe("http://127.0.0.1:1")).rejects.toThrow("Failed to connect");
});
