// `supabase db advisors`: what the hosted service's own checks say of the migrated database.
import { afterAll, expect, test } from "vitest";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";
import { sql, stack } from "../api/stack.ts";

afterAll(() => sql.end());

/** PostgreSQL lets no procedure commit that has a search path of its own; this one names everything in full. */
const meant = "function_search_path_mutable: Function `app.purge_before` has a role mutable search_path";

/** The names of the findings at level warn or above, each with what it is about. */
async function findings(): Promise<string[]> {
  const args = ["db", "advisors", "--level", "warn", "--output-format", "json", "--workdir", root];
  const printed = await runCommand(bin("supabase"), [...args, `--remote=${stack.database_url}`], {
    env: { ...process.env, DO_NOT_TRACK: "1", SUPABASE_NO_UPDATE_NOTIFIER: "1" },
  });
  const answer = printed.split("\n").find((line) => line.startsWith("{"));
  const { results } = JSON.parse(answer ?? "null") as { results: { name: string; detail: string }[] };
  return results.map(({ name, detail }) => `${name}: ${detail}`);
}

test("the migrated database has no finding but the one that is meant", async () => {
  expect(await findings()).toEqual([meant]);
});

test("a table that anybody can read is a finding, so that the test above means something", async () => {
  await sql`create table public.open_door (id integer primary key)`;
  try {
    await sql`grant select on public.open_door to anon`;
    expect(await findings()).toEqual([
      meant,
      "rls_disabled_in_public: Table `public.open_door` is public, but RLS has not been enabled.",
    ]);
  } finally {
    await sql`drop table public.open_door`;
  }
});
