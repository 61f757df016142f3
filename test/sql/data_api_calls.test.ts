// Every function that the Edge Function and the dashboard call, as PostgREST calls it: the transaction, the settings and
// the statement that it makes from the catalog, sent by the role that it signs in as. No Data API is needed, and none can
// hide that a grant, a type or an argument is missing.
import { afterAll, expect, test } from "vitest";
import {
  applying,
  beginning,
  calling,
  type DatabaseFunction,
  type RequestSettings,
} from "../../scripts/stack/data_api/statements.ts";
import { read } from "../support/pages.ts";
import { type As, callFunction, connectAsPostgrest, readFunctions } from "../support/postgrest.ts";
import { hashOf } from "../support/stack.ts";
import { createFullCompany, newProject, removeProjects } from "../support/two_projects.ts";

const { name: database, sql } = await newProject();
const { admin, email, key } = await createFullCompany(sql, "Called");
const [{ id: made } = { id: "" }] = await sql<{ id: string }[]>`select id from app.api_keys where name = 'in use'`;
// So that read_page, which may not write, finds nothing to note.
await sql`update app.api_key_uses set last_used_at = now()`;
const functions = await readFunctions(sql);

const connection = await connectAsPostgrest(database);
afterAll(async () => {
  await connection.end();
  await removeProjects();
});

type Arguments = Record<string, unknown>;

const page = { key_hash: hashOf(key), max_rows: 2 };
const total = { key_hash: hashOf(key), by: ["month"] };
/** The arguments with which the Edge Function calls each function that serves it, as `service_role`. */
const ofEdgeFunction: Record<string, Arguments> = {
  verify_api_key: { key_hash: hashOf(key), required_scope: "read:members" },
  note_refused_use: { key_hash: hashOf(key), missing_scope: "read:members" },
  list_members: page,
  list_teams: page,
  list_activity: { ...page, since: "2026-01-01T00:00:00Z", include: ["sender_id", "receiver_team_name"] },
  list_categories: page,
  list_rewards: page,
  list_day_ratings: page,
  list_pulse_responses: page,
  list_changes: { ...page, list: "activity", after: "start" },
  count_activity: { ...total, include: ["senders", "receivers"], max_rows: 5 },
  average_day_ratings: total,
  upsert_rewards: { key_hash: hashOf(key), rewards: "[]", dry_run: true },
  redeem_assistant_code: { code_hash: hashOf("a code"), bound_to: "x" },
  read_page: { ...page, rpc: "list_members" },
};
/** The arguments with which the dashboard calls each function, as `authenticated`. */
const ofDashboard: Record<string, Arguments> = {
  link_member: {},
  list_api_keys: {},
  list_api_key_events: {},
  create_api_key: { name: "Made", scopes: ["read:members"], expires_at: null },
  rename_api_key: { key_id: made, name: "Renamed" },
  replace_api_key: { key_id: made, overlap: "24 hours" },
  revoke_api_key: { key_id: made },
  let_assistant_read: { name: "Claude", scopes: ["read:members"], expires_at: "2027-01-01T00:00:00Z", bound_to: "x" },
};

const callers: { name: string; args: Arguments; as: As }[] = [
  ...Object.entries(ofEdgeFunction).map(([name, args]) => ({ name, args, as: { role: "service_role" as const } })),
  ...Object.entries(ofDashboard).map(([name, args]) => ({
    ...{ name, args },
    as: { role: "authenticated" as const, claims: { sub: admin, email } },
  })),
];

test("each function in public is called here, by the Edge Function or by the dashboard", () => {
  expect(callers.map(({ name }) => name).sort()).toEqual([...functions.keys()].sort());
});

test.each(callers)("$name, as $as.role", async ({ name, args, as }) => {
  const one = functions.get(name) as DatabaseFunction;
  const everything = Object.fromEntries(one.args.map((arg) => [arg.name, args[arg.name] ?? null]));
  for (const given of [args, everything]) {
    // Rolled back, so that no call changes what the next one finds.
    const answer = callFunction(connection, one, given, as, "rollback");
    // This one needs a replica, and says so when it is called.
    if (name === "read_page") await expect(answer).rejects.toMatchObject({ code: "PT503" });
    else expect(await answer).not.toBeUndefined();
  }
});

test("these are the statements that were recorded", async () => {
  const recorded = read("test/recorded/postgrest-16.2-statements.txt").split("\n");
  const texts = recorded.flatMap((line) => /^LOG: {2}execute \d+: (.*)$/.exec(line)?.[1] ?? []);
  const bodies = recorded.flatMap((line) => /\$1 = '(\{.*\})'$/.exec(line)?.[1] ?? []);
  const settings = Object.fromEntries(
    [
      "search_path",
      "role",
      "request.jwt.claims",
      "request.method",
      "request.path",
      "request.headers",
      "request.cookies",
    ].map((name) => [name, ""]),
  ) as RequestSettings;
  let next = 0;
  for (const [place, text] of texts.entries()) {
    const [, name = ""] = /"public"\."(\w+)"\(/.exec(text) ?? [];
    const one = functions.get(name);
    if (!one) continue;
    const args = text.includes("pgrst_payload") ? JSON.parse(bodies[next++] ?? "{}") : {};
    expect(calling(one, new Set(Object.keys(args)))).toBe(text);
    expect([beginning(one), applying(one, settings)[0]]).toEqual(texts.slice(place - 2, place));
  }
  expect(next).toBe(8);
});
