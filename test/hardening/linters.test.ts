// What the linters of the field say: nothing, or what is accepted here with its reason.
import { globSync } from "node:fs";
import { expect, test } from "vitest";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";
import { stack } from "../api/stack.ts";

const linters = `${root}/test/hardening/linters`;

/** The indexes that a database may not have used yet when it is looked at; test/sql and docs/design-notes.md say what each is for. */
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
];

/** Findings of `supabase db advisors` that are meant, of level info unless it says so. */
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
    finding: /^rls_enabled_no_policy: Table `app\.erasures` /,
    reason: "Only functions that belong to postgres ask who has been erased: a policy would open it",
  },
  {
    finding: /^function_search_path_mutable: Function `app\.purge_before` /,
    level: "WARN",
    reason: "PostgreSQL lets no procedure commit that has a search path of its own; it names everything in full",
  },
  {
    finding: /^rls_enabled_no_policy: Table `staging\.\w+` /,
    reason: "Rows on their way in are nobody's yet: a policy would open them",
  },
];

test("supabase db advisors finds nothing at any level but what is accepted with a reason", async () => {
  const args = ["db", "advisors", "--level", "info", "--output-format", "json", "--workdir", root];
  const env = { ...process.env, DO_NOT_TRACK: "1", SUPABASE_TELEMETRY_DISABLED: "1", SUPABASE_NO_UPDATE_NOTIFIER: "1" };
  const printed = await runCommand(bin("supabase"), [...args, `--remote=${stack.database_url}`], { env });
  const answer = printed.split("\n").find((line) => line.startsWith("{"));
  const { results }: { results: { level: string; name: string; detail: string }[] } = JSON.parse(answer ?? "null");
  const findings = results.map(({ level, name, detail }) => ({ level, finding: `${name}: ${detail}` }));
  const isAccepted = (found: string, text: string) =>
    accepted.some(({ finding, level = "INFO" }) => found === level && finding.test(text));
  expect(findings.filter(({ level, finding }) => !isAccepted(level, finding))).toEqual([]);
  // What nobody finds any more is not to be accepted any more; whether indexes have been used depends on what ran before.
  const unseen = accepted
    .slice(1)
    .filter(({ finding: pattern }) => !findings.some(({ finding }) => pattern.test(finding)));
  expect(unseen).toEqual([]);
});

/** What squawk says of a migration. The baseline makes a database that nobody uses yet: nobody can wait for its locks. */
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

test("knip finds no dependency, export or file that nothing uses (linters/knip.jsonc)", async () => {
  await runCommand(process.execPath, [bin("knip"), "--no-progress", "--config", `${linters}/knip.jsonc`]);
});
