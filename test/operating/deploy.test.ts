// A rehearsal of a deployment (docs/operate/deploy.md): what the real CLI sends to a stand-in of the management API, and
// what its commands do to a database.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, readFile, writeFile } from "node:fs/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createDatabase, runSql, withDatabase } from "../../scripts/stack/database.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { workFolder } from "../support/command_line.ts";
import { stack } from "../support/stack.ts";
import { newProject, removeProjects } from "../support/two_projects.ts";
import { project, startManagementApi } from "./deploy/management_api.ts";

const folder = "functions/public-api";
const remote = `--remote=${project}`;
const work = workFolder();

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
  const names = await readdir(`${root}/${folder}`);
  expect(names).toEqual(expect.arrayContaining(["index.ts", "endpoints.ts", "deno.json"]));
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

test("config push closes what a new project leaves open, and no more", async () => {
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
        // Links that a mail server can open without using them up (docs/operate/dashboard.md).
        mailer_subjects_invite: "Set your password to manage API keys",
        mailer_templates_invite_content: await template("invite"),
        mailer_subjects_recovery: "Set a new password to manage API keys",
        mailer_templates_recovery_content: await template("recovery"),
      },
    ],
  ]);
});

test("no deploy has to set a setting: those that the function needs are the platform's own", () => {
  const sources = [...sent.values()].join("\n");
  expect(new Set(sources.match(/\b[A-Z]+(?:_[A-Z]+)*_(?:URL|KEYS?)\b/g))).toEqual(
    new Set([
      "SUPABASE_URL",
      "SUPABASE_SECRET_KEYS",
      "SUPABASE_SERVICE_ROLE_KEY",
      "PUBLIC_API_READ_URL",
      "PUBLIC_API_URL",
      "PUBLIC_API_DASHBOARD_URL",
      "PUBLIC_API_MCP_URL",
    ]),
  );
});

/** A database without migrations, for pushes. */
async function unpushed(name: string): Promise<string> {
  const url = await createDatabase(stack, name, []);
  onTestFinished(() => runSql(stack.superuser_url, `drop database if exists ${name} with (force)`));
  return url;
}

/** Runs npm run push. `output` is what it has printed so far. */
function push(url: string, args: string[] = [], settings: Record<string, string> = {}) {
  const env = { ...process.env, DATABASE_URL: url, ...settings };
  const child = spawn(process.execPath, ["scripts/push.ts", ...args], { cwd: root, env });
  const run = { output: "", code: once(child, "close").then(([code]) => code as number) };
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (run.output += text));
  return run;
}

/** Holds locks as a long dump of another role does, and calls `use` meanwhile. */
const dumping = <T>(url: string, tables: string, use: () => Promise<T>): Promise<T> =>
  withDatabase(
    `${stack.superuser_url.replace(/\/\w+$/, new URL(url).pathname)}?application_name=pg_dump`,
    async (dump) => {
      await dump.unsafe(`begin; lock table ${tables} in access share mode; select pg_sleep(5.1)`);
      return use();
    },
  );

test("npm run push waits for a long transaction, a second push for the first, and neither when nothing is to be pushed", async () => {
  const url = await unpushed("pushed");
  const app = () => withDatabase(url, (sql) => sql`select to_regnamespace('app')::text as app`);
  const looked = push(url, ["--dry-run"]);
  expect([await looked.code, looked.output]).toEqual([0, expect.stringContaining("_baseline.sql")]);
  const [first, second] = await dumping(url, "auth.users", async () => {
    const first = push(url);
    await expect.poll(() => first.output, { timeout: 20_000 }).toContain("Trying again in 5 seconds");
    expect(first.output).toMatch(/process \d+ \(supabase_admin, pg_dump\), for 00:\d\d:\d\d/);
    expect(await app()).toEqual([{ app: null }]);
    const second = push(url);
    await expect.poll(() => second.output, { timeout: 20_000 }).toContain("Trying again in 5 seconds");
    return [first, second];
  });
  expect(await Promise.all([first.code, second.code])).toEqual([0, 0]);
  expect(first.output).toContain("Finished supabase db push");
  const running = /^Another push is running: process \d+ \(postgres, npm run push\), for 00:\d\d:\d\d\. Trying again/;
  expect(second.output).toMatch(running);
  expect(await app()).toEqual([{ app: "app" }]);
  expect(await withDatabase(url, (sql) => sql`select from app.companies`), "no demo data").toHaveLength(0);
  await dumping(url, "auth.users, app.kudos", async () => {
    const third = push(url);
    const nothing = "The database has every migration: there is nothing to push\n";
    expect([await third.code, third.output]).toEqual([0, nothing]);
  });
});

test("npm run push refuses another project than the linked one, for a direct address and for the session pooler", async () => {
  const at = (address: string) => push(`postgres://${address}/postgres`, [], { SUPABASE_PROJECT_ID: project });
  for (const address of [
    "postgres:pw@db.zyxwvutsrqponmlkjihg.supabase.co",
    "postgres.zyxwvutsrqponmlkjihg:pw@127.0.0.1:1",
  ]) {
    const refused = at(address);
    const why = `DATABASE_URL is project zyxwvutsrqponmlkjihg, but this folder is linked to ${project}: run npx supabase link zyxwvutsrqponmlkjihg\n`;
    expect([await refused.code, refused.output]).toEqual([1, why]);
  }
  const own = at(`postgres.${project}:pw@127.0.0.1:1`);
  expect([await own.code, own.output]).toEqual([1, "DATABASE_URL: no connection (ECONNREFUSED)\n"]);
});

test("npm run push shows the password to nobody: as no argument, nor when the CLI dies at once, nor in an address that does not parse", async () => {
  const url = await unpushed("secret");
  const { password } = new URL(url);
  const cli = `${work}/cli`;
  await writeFile(cli, '#!/bin/sh\necho "$*" > "$0.arguments"\nprintf %s "$PGPASSWORD" > "$0.password"\nexit 1\n');
  await chmod(cli, 0o700);
  const dies = push(url, [], { SUPABASE_CLI_BINARY_OVERRIDE: cli });
  expect([await dies.code, dies.output]).toEqual([1, expect.stringContaining("Command failed")]);
  expect(await readFile(`${cli}.password`, "utf8")).toBe(password);
  for (const text of [dies.output, await readFile(`${cli}.arguments`, "utf8")]) expect(text).not.toContain(password);
  for (const wrong of ["p%zz", "12/s3cret", "12#s3cret", "12?s3cret", "s3cret word#"]) {
    const refused = push(`postgres://postgres:${wrong}@127.0.0.1:1/postgres`);
    expect([await refused.code, refused.output]).toEqual([
      1,
      expect.stringMatching(/^DATABASE_URL must be the address/),
    ]);
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
