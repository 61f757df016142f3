// docs/operate/monitor.md: its queries (sql/commands/logs) run over lines that the function has written; sql/commands/watch.sql runs in PostgreSQL.
import { readFile } from "node:fs/promises";
import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { project, startManagementApi } from "../operating/deploy/management_api.ts";
import { ask as askLog, queries } from "../support/log_queries.ts";
import { companyId, keyId, list, owner, refusal, startService, value } from "../support/service.ts";
import { endWriter, first, stack } from "../support/stack.ts";
import { newProject, removeProjects } from "../support/two_projects.ts";

type Line = Record<"method" | "path" | "key_id", string> &
  Record<"status" | "milliseconds" | "waited_milliseconds", number>;

const service = await startService();
const page = await readFile(`${root}/docs/operate/monitor.md`, "utf8");

/** What the Data API answers while something is wrong, and the column of the alerts that counts it. */
const causes: [cause: string, column: string, status: number, code: string][] = [
  ["the gateway refuses the secret key", "secret_key_refused", 401, ""],
  ["the secret key was rotated away", "secret_key_refused", 401, "PGRST301"],
  ["row-level security binds nobody", "no_row_level_security", 500, "PT500"],
  ["the disk is full", "disk_full", 503, "53100"],
  ["the database is read-only", "read_only", 405, "25006"],
  ["the pool is exhausted", "no_connection_free", 504, "PGRST003"],
  ["the migrations were not pushed", "migrations_missing", 404, "PGRST202"],
  ["PostgreSQL has no connection left", "no_connection_free", 503, "53300"],
  ["the database is down", "database_away", 503, "PGRST000"],
  ["a lock is held for too long", "locked", 500, "55P03"],
];

let texts: string[];
let lines: Line[];
const healthy = () => texts.find((text) => text.includes('"status":200'));
/** A request of the uptime probe: without any the log is empty, which is an alert. */
const probe = () => texts.find((text) => text.includes('"path":"/"'));
beforeAll(async () => {
  service.answer("upsert_rewards", value({ imported: 3 }));
  await service.import(JSON.stringify(["a", "b", "c"].map((id) => ({ external_id: id, name: "R", points_cost: 1 }))));
  service.answer("list_rewards", list("[]", { rows: 3 }));
  for (const query of ["", "", "", "", "?limit=0"]) await service.send(`/rewards${query}`);
  await service.sendBare("/");
  await service.sendBare("/members");
  service.answer("list_teams", refusal(403, "PT403", owner));
  await service.send("/teams");
  // More requests at once than the function lets through: some wait, and all are answered.
  await Promise.all(Array.from({ length: 40 }, () => service.send("/members")));
  for (const [, , status, code] of [...causes, ["", "", 500, "57014"] as const]) {
    service.answer("list_activity", refusal(status, code));
    await service.send("/activity");
  }
  const tool = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "list_teams", arguments: {} } };
  service.answer("list_teams", refusal(500, "57014"));
  const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
  const called = await service.send("/mcp", { method: "POST", headers, body: JSON.stringify(tool) });
  expect(called.status).toBe(200);
  service.answer("list_members", refusal(429, "PT429", owner));
  await service.send("/members");
  // The function gives the database eight seconds.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const arrived = new Promise<void>((resolve) => service.answer("list_day_ratings", () => resolve()));
  const unanswered = service.send("/day-ratings");
  await arrived;
  await vi.advanceTimersByTimeAsync(8_000);
  await unanswered;
  vi.useRealTimers();
  texts = [...service.lines];
  lines = texts.map((text) => JSON.parse(text));
});

/** The rows of a query of the page over these lines. */
const ask = (name: string, over: (string | undefined)[] = texts) =>
  askLog((queries.get(name) ?? "").replace("00000000-0000-4000-8000-000000000000", keyId), over as string[]);
/** The rows of alerts.sql, of a log with the probe. */
const alerts = (over: (string | undefined)[]) => ask("alerts", [probe(), ...over]);

test("the page names every query", () => {
  for (const name of queries.keys()) expect(page).toContain(`${name}.sql`);
});

test.each(causes)("the alerts count it when %s", (_cause, column, status, code) => {
  const failure = texts.find((text) => text.includes(`answered ${status} with ${code || "no code"}`));
  expect(failure).toBeDefined();
  const [alert] = alerts([...Array(998).fill(healthy()), failure]);
  const noAlert = { failures: 1, requests: 1000, database_away: 0, no_answer_in_time: 0 };
  if (["database_away", "locked"].includes(column)) {
    expect(alert, "one failure of a restart or a push is no alert").toBeUndefined();
    expect(alerts([...Array(99).fill(healthy()), ...Array(3).fill(failure)])).toMatchObject([{ [column]: 3 }]);
  } else expect(alert).toMatchObject({ ...noAlert, [column]: 1 });
});

const many = (count: number, line: string | undefined) => Array<string | undefined>(count).fill(line);
const withText = (text: string) => texts.find((line) => line.includes(text));
const slow = () => withText("list_activity answered 500 with 57014");
const late = () => withText("list_day_ratings gave no complete answer (TimeoutError)");
/** A line of a company that was refused, and this many lines of lists that a server has read. */
const refused = (company: number) =>
  withText("refused by the database")?.replace(companyId, `00000000-0000-4000-8000-00000000000${company}`);
const from = (served_by: string, count: number) =>
  many(count, JSON.stringify({ ...JSON.parse(healthy() ?? ""), served_by }));

test.each<[what: string, alert: object | undefined, log: () => (string | undefined)[]]>([
  ["no failure", undefined, () => texts.filter((_, index) => Number(lines[index]?.status) < 500)],
  ["1 failure in 100", undefined, () => [...many(296, healthy()), ...many(3, slow())]],
  ["more failures", { failures: 3, requests: 299 }, () => [...many(295, healthy()), ...many(3, slow())]],
  ["two failures of twelve", undefined, () => [...many(10, healthy()), ...many(2, slow())]],
  ["two late answers", undefined, () => [...many(3000, healthy()), ...many(2, late())]],
  ["three among thousands", { no_answer_in_time: 3 }, () => [...many(3000, healthy()), ...many(3, late())]],
  ["nothing but the probe", undefined, () => []],
  ["many 429 of one company, and of three", undefined, () => [...many(50, refused(0)), ...[1, 2, 3].map(refused)]],
  ["five companies that get 429", { companies_refused: 5 }, () => [0, 1, 2, 3, 4].map(refused)],
  ["most lists from the primary", {}, () => [...from("primary", 21), ...from("replica", 20)]],
  ["half of the lists from the primary", undefined, () => [...from("primary", 20), ...from("replica", 20)]],
  ["19 lists, all from the primary", undefined, () => from("primary", 19)],
  ["20 lists, all from the primary", {}, () => from("primary", 20)],
])("of %s there is the alert %o", (_what, alert, log) => {
  expect(new Set(lines.map(({ status }) => status))).toEqual(new Set([200, 400, 401, 403, 429, 500]));
  expect(alerts(log())).toMatchObject(alert ? [alert] : []);
  expect(alerts(log())).toHaveLength(alert ? 1 : 0);
});

test("there is an alert when the log is empty", () => {
  expect(ask("alerts", [])).toMatchObject([{ probes: 0, requests: 0 }]);
  // Of a busy instance the log has a sample, which may lack the probe.
  const other = withText('"path":"/rewards","status":200');
  expect([999, 1000].map((count) => ask("alerts", many(count, other)).length)).toEqual([1, 0]);
});

const other = (line = "") => line.replaceAll(companyId, "00000000-0000-4000-8000-0000000000ff");
const forbidden = () => withText('"path":"/teams"');

test.each<[what: string, query: string, alert: object | undefined, log: () => (string | undefined)[]]>([
  ["3 failures of 3", "company", { failures: 3, requests: 3 }, () => [other(healthy()), ...many(3, slow())]],
  ["3 failures of 30", "company", undefined, () => [...many(27, healthy()), ...many(3, slow())]],
  ["20 refusals", "key", { key_id: keyId, refused: 20, requests: 20 }, () => many(20, forbidden())],
  ["19 refusals", "key", undefined, () => many(19, forbidden())],
  ["20 refusals of 40", "key", undefined, () => [...many(20, healthy()), ...many(20, forbidden())]],
])("of %s there is the alert by %s %o", (_what, by, alert, log) => {
  const found = ask(`alerts_by_${by}`, [...many(700, other(healthy())), ...log()]);
  expect(found).toEqual(alert ? [expect.objectContaining({ company_id: companyId, ...alert })] : []);
});

test("slowest_endpoints", () => {
  const rows = ask("slowest_endpoints");
  const times = lines.filter(({ path }) => path === "/members").map(({ milliseconds }) => milliseconds);
  expect(rows).toContainEqual({
    ...{ method: "GET", path: "/members", tool: "", requests: times.length, slowest: Math.max(...times) },
    average: expect.closeTo(times.reduce((sum, time) => sum + time, 0) / times.length, 0),
    over_a_second: times.filter((time) => time > 1000).length,
    of_it_waited: expect.any(Number),
  });
  expect(rows.map(({ path }) => path)).not.toContain("");
});

test.each<[query: string, ...rows: object[]]>([
  [
    "refusals_by_key",
    { key_id: keyId, company_id: companyId, status: 403, path: "/teams", refused: 1 },
    { key_id: keyId, status: 400, path: "/rewards", refused: 1, reason: "limit must be an integer from 1 to 1000" },
    { key_id: keyId, status: 429, path: "/members", refused: 1 },
    { key_id: "", status: 401, error: "no key", path: "/members", refused: 1 },
  ],
  [
    "failures_by_cause",
    { path: "/activity", error: "list_activity answered 405 with 25006", failures: 1 },
    { path: "/mcp", tool: "list_teams", error: "list_teams answered 500 with 57014", failures: 1 },
    { path: "/day-ratings", error: "list_day_ratings gave no complete answer (TimeoutError)", failures: 1 },
  ],
  [
    "read_by_one_key",
    { method: "GET", path: "/rewards", requests: 4, total_rows: 12 },
    { method: "POST", path: "/rewards", requests: 1, total_rows: 3 },
  ],
])("%s", (query, ...rows) => {
  for (const row of rows) expect(ask(query)).toContainEqual(expect.objectContaining(row));
});

test("who sends most, and who waits", () => {
  const own = lines.filter(({ key_id }) => key_id === keyId);
  expect(ask("most_requests")[0]).toMatchObject({ company_id: companyId, key_id: keyId, requests: own.length });
  const waited = own.filter(({ waited_milliseconds }) => waited_milliseconds > 0);
  expect(waited.length, "of 40 at once some waited").toBeGreaterThan(1);
  expect(ask("who_waits")).toContainEqual({
    ...{ company_id: companyId, key_id: keyId, requests: own.length, waited: waited.length },
    refused: own.filter(({ status }) => status === 429).length,
    seconds_waited: expect.closeTo(waited.reduce((sum, line) => sum + line.waited_milliseconds, 0) / 1000, 1),
  });
});

test("answers of the platform: an instance that it stopped, and no answer below 500", () => {
  const path = "/functions/v1/public-api/activity";
  const platform = [546, 200, 546, 429, 504].map((status, second) => ({
    timestamp: `2026-11-21T00:00:0${second}`,
    log_attributes: { "request.pathname": path, "response.status_code": String(status) },
  }));
  expect(askLog(queries.get("platform_answers") ?? "", texts, platform)).toEqual([
    { status: "546", path, answers: 2, latest: platform[2]?.timestamp },
    { status: "504", path, answers: 1, latest: platform[4]?.timestamp },
  ]);
});

/** What sql/commands/watch.sql prints, as CSV, after these statements, which are rolled back. */
const watchAfter = (url: string, ...statements: string[]) => {
  const commands = ["begin", ...statements].flatMap((statement) => ["--command", statement]);
  const file = `${root}/sql/commands/watch.sql`;
  return runCommand("psql", [url, "--no-psqlrc", "--csv", "--quiet", ...commands, "--file", file], {});
};

test("sql/commands/watch.sql: one row for each sign, and an alert for a company whose move was broken off", async () => {
  const moving = `update app.companies set serving = 'moving', move_id = gen_random_uuid() where id = '${first.id}'`;
  const printed = await watchAfter(stack.database_url, moving);
  const signs = [...printed.matchAll(/^[ft],([^,]+),/gm)].map(([, sign]) => sign);
  expect(signs).toHaveLength(16);
  for (const sign of signs) expect(page).toContain(`| \`${sign}\` |`);
  expect(printed).toMatch(/^f,disk,\d+ MB and \d+ MB of WAL$/m);
  expect(printed).toContain(`t,unfinished moves,${first.id}`);
  await withDatabase(stack.database_url, (mover) =>
    mover.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('move ' || ${first.id}::text, 0))`;
      expect(await watchAfter(stack.database_url, moving)).not.toContain(first.id);
    }),
  );
});

test("sql/commands/watch.sql names a lost policy, one for everybody, an index that isn't valid, and dead rows by their share", async () => {
  const { url, sql } = await newProject();
  onTestFinished(removeProjects);
  expect(await watchAfter(url)).toMatch(/^f,invalid indexes,none\n(.*\n)*f,policies,as they should be$/m);
  const open = ["api_keys", "kudos", "members", "rewards"];
  const more = open.map((table) => `create policy more on app.${table} using (true)`);
  const named = open.map((table) => `app.${table}: more lets everybody in`).join(", ");
  const found = await watchAfter(url, ...more, "drop policy api_read on app.teams");
  expect(found).toContain(`t,policies,"${named}, app.teams: none for public_api"`);
  await sql`update pg_index set indisvalid = false where indexrelid = 'app.kudos_newest'::regclass`;
  expect(await watchAfter(url)).toMatch(/^t,invalid indexes,app.kudos_newest$/m);

  expect(await watchAfter(url)).toMatch(/^f,dead rows,none$/m);
  await sql`alter table app.deletions set (autovacuum_enabled = false)`;
  await sql.unsafe(`
    insert into app.deletions (company_id, relation, id, deleted_at)
    select gen_random_uuid(), 'app.teams', gen_random_uuid(), timestamptz '2001-01-01Z' + n % 2 * interval '1 year'
    from generate_series(1, 210000) as n`);
  await sql`delete from app.deletions where deleted_at = '2001-01-01Z'`;
  await expect.poll(() => watchAfter(url)).toMatch(/^t,dead rows,app.deletions: 105000 beside 105000$/m);
});

test("sql/commands/watch.sql counts row locks of several transactions", async () => {
  const oldest = "(pg_control_checkpoint()).next_multixact_id::text::bigint - 900000000 + 4294967296";
  const aged = `update pg_database set datminmxid = ((${oldest}) % 4294967296)::text::xid where datname = current_database()`;
  expect(await watchAfter(stack.superuser_url)).toMatch(/^f,multixacts,0 million$/m);
  expect(await watchAfter(stack.superuser_url, aged)).toMatch(/^t,multixacts,(899|900) million$/m);
});

test("sql/commands/watch.sql sees the sessions of other roles, and says when it cannot", async () => {
  await withDatabase(stack.superuser_url, (superuser) =>
    superuser.begin(async (tx) => {
      const [{ pid } = { pid: 0 }] = await tx<{ pid: number }[]>`
        select pg_backend_pid() as pid from pg_stat_activity where pid = pg_backend_pid() and xact_start is not null`;
      expect(await watchAfter(stack.database_url)).toMatch(/^f,sight,all$/m);
      // Older transactions of other tests end while this one stays open, that of the session that always writes by this.
      await endWriter();
      const longest = async () =>
        Number(/^f,longest transaction,"?00:\d\d:\d\d, process (\d+)/m.exec(await watchAfter(stack.database_url))?.[1]);
      await expect.poll(longest, { timeout: 60_000 }).toBe(pid);
      const holding = async () =>
        /^f,changes held back,"?00:\d\d:\d\d, process (\d+ \(.*\))/m.exec(await watchAfter(stack.database_url))?.[1];
      await tx`select pg_current_xact_id()`;
      await expect.poll(holding, { timeout: 60_000 }).toMatch(`${pid} (supabase_admin, `);
    }),
  );
  const blind = await watchAfter(stack.superuser_url, "revoke pg_monitor from postgres", "set local role postgres");
  expect(blind).toMatch(/^t,sight,without pg_monitor only sessions of postgres$/m);
  expect(blind).toMatch(/^f,disk,\d+ MB$/m);
});

test("sql/commands/watch.sql names a slot that nobody reads, which would fill the disk", async () => {
  const watch = () => watchAfter(stack.database_url);
  expect(await watch()).toMatch(/^f,replication,none$/m);
  await withDatabase(stack.superuser_url, async (superuser) => {
    await superuser`checkpoint`;
    await superuser`select pg_create_physical_replication_slot('nobody', true)`;
    try {
      expect(await watch()).toMatch(/^f,replication,"nobody: inactive, keeps .*"$/m);
      for (let segments = 0; segments < 5; segments++) {
        await superuser`select pg_logical_emit_message(true, 'test', 'x')`;
        await superuser`select pg_switch_wal()`;
      }
      expect(await watch()).toMatch(/^t,replication,"nobody: inactive, keeps \d+ MB of WAL"$/m);
    } finally {
      await superuser`select pg_drop_replication_slot('nobody')`;
    }
  });
});

test("the cron file prints nothing while all is well, and otherwise what is wrong, or that it could not look", async () => {
  let log = [probe(), healthy()] as string[];
  const stopped = { timestamp: "2026-11-21T00:00:00", log_attributes: { "response.status_code": "546" } };
  const api = await startManagementApi((query) => askLog(query, log, log === texts ? [stopped] : []));
  onTestFinished(() => api.stop());
  const file = await readFile(`${root}/sql/commands/alerts.cron`, "utf8");
  const LOGS = /^LOGS=(.*)<ref>(.*)$/m.exec(file)?.slice(1).join(project);
  const good = { ...api.env, LOGS, DATABASE_URL: stack.database_url, BASE: stack.api_url, GIGABYTES: "8" };
  const commands = Array.from(file.matchAll(/^(?:\S+ ){5}operator (.*)$/gm), ([, command = ""]) => command);
  /** What cron would email. */
  const emails = (more = {}, some = commands) =>
    Promise.all(
      some.map((command) => {
        const here = command.replace("/opt/public-data-api", root).replace(". /etc/public-data-api.env", "true");
        const base = here.replace(/https:\S+/, "$BASE");
        const mine = base.replace("sleep 15", "true").replace("gb=8", "gb=$GIGABYTES");
        return runCommand("sh", ["-c", `${mine}; true`], { env: { ...good, ...more } });
      }),
    );
  expect(await emails()).toEqual(["", "", "", "", ""]);
  log = texts;
  const wrong = await emails({ BASE: `${stack.api_url}/people`, GIGABYTES: "0.001" }, commands.slice(0, 4));
  expect(wrong.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
    "The probe failed three times ",
    expect.stringMatching(/^alerts: \[ \{ "secret_key_refused": 2, .* alerts_by_company: \[ \{/),
    expect.stringMatching(/^ "status": "546", /),
    expect.stringMatching(/^t\|disk\|\d+ MB and .* of 0\.001 GB $/),
  ]);
  const blind = await emails({ LOGS: "false", DATABASE_URL: stack.database_url.replace(/:[^:@/]+@/, ":wrong@") });
  expect(blind[1]).toBe("alerts: no answer\nalerts_by_company: no answer\nalerts_by_key: no answer\n");
  expect(blind[3]).toMatch(/^t\|watch\.sql\|did not run\n/m);
  expect(blind[4]).toMatch(/^DATABASE_URL: no connection/);
});
