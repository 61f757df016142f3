// A rehearsal of a deployment (docs/operations.md): what the real CLI sends to a stand-in of the management API, and
// what its commands do to a database.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { createDatabase, runSql, withDatabase } from "../../scripts/stack/database.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { stack } from "../support/stack.ts";
import { project, startManagementApi } from "./deploy/management_api.ts";

const folder = "functions/public-api";
const remote = `--remote=${project}`;

const api = await startManagementApi();
await api.run("functions", "deploy", "public-api", "--use-api", "--yes", remote);
const request = api.requests.find(({ path }) => path.includes("/functions/deploy"));
const headers = { "Content-Type": request?.contentType ?? "" };
const deployed = await new Response(request ? new Uint8Array(request.body) : null, { headers }).formData();
const files = deployed.getAll("file").filter((file) => typeof file !== "string");
/** The files that were sent, by their paths in the repository. */
const sent = new Map(await Promise.all(files.map(async (file) => [file.name, await file.text()] as const)));

const database = await createDatabase(stack, "rehearsal", []);
afterAll(async () => {
  await api.stop();
  await runSql(stack.superuser_url, "drop database if exists rehearsal with (force)");
});

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

test("config diff shows what config push would change; config push closes what a new project leaves open, and no more", async () => {
  const difference = await api.run("config", "diff", "--exit-code", remote).catch((error: Error) => error.message);
  const settings = ["enable_signup", "email.enable_confirmations", "minimum_password_length"];
  for (const setting of ["api.schemas", ...settings.map((name) => `auth.${name}`)])
    expect(difference).toContain(setting);
  expect(difference).toContain("4 update, 0 remote-only");

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
        // Links that a mail server can open without using them up (docs/dashboard.md).
        mailer_subjects_invite: "Set your password to manage API keys",
        mailer_templates_invite_content: await template("invite"),
        mailer_subjects_recovery: "Set a new password to manage API keys",
        mailer_templates_recovery_content: await template("recovery"),
      },
    ],
  ]);
});

test("for a local stack, nothing new in public is exposed by itself", async () => {
  expect(await readFile(`${root}/supabase/config.toml`, "utf8")).toMatch(/^auto_expose_new_tables = false$/m);
});

test("no deploy has to set a setting: those that the function needs are the platform's own, and nobody can set them", async () => {
  await expect(api.run("secrets", "set", "SUPABASE_SECRET_KEYS={}", "--yes", remote)).rejects.toThrow(
    "cannot start with SUPABASE_",
  );
  expect(api.requests.filter(({ path }) => path.endsWith("/secrets"))).toEqual([]);
  const sources = [...sent.values()].join("\n");
  expect(new Set(sources.match(/\b[A-Z]+(?:_[A-Z]+)*_(?:URL|KEYS?)\b/g))).toEqual(
    new Set([
      "SUPABASE_URL",
      "SUPABASE_SECRET_KEYS",
      "SUPABASE_SERVICE_ROLE_KEY",
      "PUBLIC_API_READ_URL",
      "PUBLIC_API_URL",
    ]),
  );
});

test("db push shows what it would do, changes nothing while a lock is held, and brings no demo data", async () => {
  const push = (how: string) => api.run("db", "push", how, `--remote=${database}`);
  const tables = () =>
    withDatabase(database, (sql) => sql`select from pg_class where relnamespace = to_regnamespace('app')`);
  expect(await push("--dry-run")).toContain("_baseline.sql");
  expect(await tables()).toHaveLength(0);

  await runSql(stack.superuser_url, "alter role postgres in database rehearsal set lock_timeout = '500ms'");
  await withDatabase(stack.superuser_url.replace(/\/\w+$/, "/rehearsal"), (signingIn) =>
    signingIn.begin(async (tx) => {
      await tx`lock table auth.users in row exclusive mode`;
      await expect(push("--yes")).rejects.toThrow("lock timeout");
    }),
  );
  expect(await tables()).toHaveLength(0);
  await runSql(stack.superuser_url, "alter role postgres in database rehearsal reset lock_timeout");
  await push("--yes");
  expect((await tables()).length).toBeGreaterThan(0);
  expect(await withDatabase(database, (sql) => sql`select from app.companies`)).toHaveLength(0);
});

test("npm run push waits for a long transaction, names it, and applies the migrations when it has ended", async () => {
  const url = await createDatabase(stack, "pushed", []);
  onTestFinished(() => runSql(stack.superuser_url, "drop database if exists pushed with (force)"));
  let output = "";
  let exited: Promise<unknown> = Promise.resolve();
  await withDatabase(url.replace(/$/, "?application_name=pg_dump"), (dump) =>
    dump.begin(async (tx) => {
      await tx`lock table auth.users in access share mode`;
      await tx`select pg_sleep(5.1)`;
      const push = spawn(process.execPath, ["scripts/push.ts"], {
        cwd: root,
        env: { ...process.env, DATABASE_URL: url },
      });
      for (const stream of [push.stdout, push.stderr]) stream.on("data", (text) => (output += text));
      exited = once(push, "exit");
      await expect.poll(() => output, { timeout: 20_000 }).toContain("Trying again in 5 seconds");
      expect(await tx`select to_regnamespace('app') as app`).toEqual([{ app: null }]);
    }),
  );
  expect([await exited, output]).toEqual([[0, null], expect.stringContaining("Finished supabase db push")]);
  expect(output).toMatch(/process \d+ \(postgres, pg_dump\), open for 00:00:0\d/);
  expect(await withDatabase(url, (sql) => sql`select from app.companies`)).toHaveLength(0);
});

test("with the switches of docs/operations.md the CLI talks to the management API and to nobody else", () => {
  const paths = api.requests.map(({ method, path }) => `${method} ${path}`);
  expect(paths).toContain(`POST /v1/projects/${project}/functions/deploy?slug=public-api`);
  expect(paths.filter((path) => !/ \/v[12]\/projects\/abcdefghijklmnopqrst/.test(path))).toEqual([]);
});

/**
 * The commands of the CLI in a text, without the two differences: the project's reference, and --yes, which a person
 * answers instead.
 */
const commands = (text: string): string[] =>
  [...text.matchAll(/^ *(?:- run: )?(?:npx supabase|npm run(?= push)) (.*)$/gm)].map(([, command = ""]) =>
    command.replace(/ --yes\b/, "").replace(/\$\{\{ vars\.PROJECT_REF \}\}/, "<ref>"),
  );

const deployTo = await readFile(`${root}/.github/workflows/deploy_to.yml`, "utf8");
/** The checks that the workflow makes after a deployment: shell scripts by their names. */
const steps = deployTo.matchAll(/^ {6}- name: (.*)\n {8}run: \|\n((?: {10}.*\n)+)/gm);
const looks = new Map([...steps].map(([, name, lines = ""]) => [name, lines]));

test("the deploy workflow takes each step of docs/operations.md, and no other", async () => {
  const workflow = commands(deployTo);
  const page = await readFile(`${root}/docs/operations.md`, "utf8");
  const section = (title: string) => commands(page.split(`\n## ${title}\n`)[1]?.split("\n## ")[0] ?? "");
  const [first, upgrading] = [section("Setting up a project"), section("Upgrading")];
  expect(upgrading.length).toBeGreaterThan(4);
  // The workflow signs in with a token instead.
  const documented = new Set([...first, ...upgrading].filter((command) => command !== "login"));
  expect(new Set(workflow)).toEqual(documented);
  expect(workflow.filter((command) => upgrading.includes(command))).toEqual(upgrading);
  expect([...looks.keys()]).toEqual(["sql/commands/check.sql prints no row", "The probe gets our own 401"]);
  const runs = deployTo.match(/\brun: /g) ?? [];
  expect(runs).toHaveLength(["npm ci", ...workflow, ...looks.keys()].length);
});

/** Runs one of the checks as GitHub does. */
const look = (name: string, env: Record<string, string>, address = "") =>
  runCommand("bash", ["-e", "-c", (looks.get(name) ?? "exit 1").replace(/https:.*public-api/, address)], {
    env: { ...process.env, ...env },
  });

test("it fails when sql/commands/check.sql finds something, and when it cannot look", async () => {
  const check = (url: string) => look("sql/commands/check.sql prints no row", { DATABASE_URL: url });
  await check(database);
  await expect(check("postgres://postgres@127.0.0.1:1/postgres")).rejects.toThrow("Connection refused");
  await runSql(database, "alter table app.kudos disable row level security");
  await expect(check(database)).rejects.toThrow("must have row-level security enabled");
});

test("it fails when the probe gets another answer than ours, or none", async () => {
  const probe = (address: string) => look("The probe gets our own 401", {}, address);
  await probe(stack.api_url);
  await expect(probe(`${stack.api_url}/nothing`)).rejects.toThrow("Not Found: /nothing");
  await expect(probe("http://127.0.0.1:1")).rejects.toThrow("Failed to connect");
});
