// docs/watching.md: its queries run over lines that the function has written, in SQLite, with the few ClickHouse functions
// that they use; sql/watch.sql runs in PostgreSQL.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { withDatabase } from "../../scripts/stack/database.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import { project, startManagementApi } from "../cli/deploy/management_api.ts";
import { type ApiKey, newCompany, type TestCompany } from "../support/companies.ts";
import { companyId, keyId, startService, type Upstream } from "../support/service.ts";
import { call, functionLog, importRewards, invalidKey, sql, stack } from "../support/stack.ts";

type Line = { time: string; method: string; path: string; status: number; error?: string; key_id: string | null } & {
  milliseconds: number;
  waited_milliseconds: number;
};

const page = await readFile(`${root}/docs/watching.md`, "utf8");
const queries = new Map(
  [...page.matchAll(/^```sql\n-- (.*)\n([^`]*)^```/gm)].map(([, name, text]) => [name, text ?? ""]),
);

/** A database with the log as the Logs Explorer has it, including lines that are not from the function. */
function explorer(lines: string[]): DatabaseSync {
  const database = new DatabaseSync(":memory:");
  const field = (line: unknown, name: unknown): unknown => {
    try {
      return JSON.parse(String(line))[String(name)] ?? null;
    } catch {
      return null;
    }
  };
  // As in ClickHouse, a missing field is an empty text or 0.
  database.function("JSONExtractString", (line, name) => String(field(line, name) ?? ""));
  database.function("JSONExtractInt", (line, name) => Math.trunc(Number(field(line, name) ?? 0)));
  database.function("JSONExtractFloat", (line, name) => Number(field(line, name) ?? 0));
  database.aggregate("countIf", { start: 0, step: (sum: number, is) => sum + Number(is) });
  database.exec("create table logs (source text, timestamp text, event_message text)");
  const add = database.prepare("insert into logs values (?, ?, ?)");
  add.run("function_logs", "2026-11-21T00:00:00", "booted (time: 29ms)");
  add.run("edge_logs", "2026-11-21T00:00:00", '{"time":"another source","status":500}');
  for (const line of lines) add.run("function_logs", JSON.parse(line).time.slice(0, -1), line);
  return database;
}

const service = await startService();

/** An error as PostgREST sends it. */
const error = (status: number, code: string, details: string | null = null): Upstream => ({
  status,
  body: JSON.stringify({ code, details, hint: null, message: "…" }),
});

/** What the Data API answers while something is wrong, and the column of the alerts that counts it. */
const causes: [cause: string, column: string, answer: Upstream][] = [
  ["the gateway refuses the secret key", "secret_key_refused", { status: 401, body: '{"message":"Invalid API key"}' }],
  ["the secret key was rotated away", "secret_key_refused", error(401, "PGRST301")],
  ["row-level security binds nobody", "no_row_level_security", error(500, "PT500")],
  ["the disk is full", "disk_full", error(503, "53100")],
  ["the database is read-only", "read_only", error(405, "25006")],
  ["the pool is exhausted", "no_connection_free", error(504, "PGRST003")],
  ["PostgreSQL has no connection left", "no_connection_free", error(503, "53300")],
  ["the database is down", "database_away", error(503, "PGRST000")],
];

/** The function's lines for each of the causes, for a slow statement, for no answer at all, and for a flood. */
async function failures(): Promise<string[]> {
  for (const answer of [...causes.map(([, , answer]) => answer), error(500, "57014")]) {
    service.answer("list_activity", answer);
    await service.send("/activity");
  }
  service.answer("list_day_ratings", () => {});
  service.answer("list_members", error(429, "PT429", JSON.stringify({ key_id: keyId, company_id: companyId })));
  await Promise.all([service.send("/day-ratings"), service.send("/members")]);
  return [...service.lines];
}

let company: TestCompany;
let key: ApiKey;
let narrow: ApiKey;
let lines: Line[];
let ask: (name: string, change?: (text: string) => string) => Record<string, unknown>[];

beforeAll(async () => {
  const before = functionLog().length;
  company = await newCompany("Watched");
  [key, narrow] = [await company.makeKey(), await company.makeKey(["read:rewards"])];
  await importRewards(
    key.api_key,
    [1, 2, 3].map((n) => ({ external_id: `${n}`, name: "R", points_cost: n })),
  );
  for (let times = 0; times < 4; times++) await call("/rewards", key.api_key);
  await call("/members", narrow.api_key);
  await call("/rewards?limit=0", narrow.api_key);
  expect((await (await call("/members", null)).json()).error).toBe(invalidKey);
  // More requests at once than a company may have: some wait, and all are answered.
  await Promise.all(Array.from({ length: 40 }, () => call("/members", key.api_key)));
  const log = functionLog()
    .slice(before)
    .split("\n")
    .filter((line) => line.startsWith("{"));
  const texts = [...log, ...(await failures())];
  lines = texts.map((text) => JSON.parse(text));
  const database = explorer(texts);
  ask = (name, change = (text) => text) => database.prepare(change(queries.get(name) ?? "")).all();
});
afterAll(() => company.remove());

const of = (id: string) => lines.filter((line) => line.key_id === id);

test("every query of the page that can be run here is run by a test below", () => {
  const names = [
    "alerts",
    "slowest endpoints",
    "refusals by key",
    "5xx by cause",
    "who waits",
    "what one key has read",
  ];
  expect([...queries.keys()]).toEqual([...names, "answers of the platform"]);
  expect(page.match(/^```sql/gm)).toHaveLength(queries.size);
});

/** The rows of the query of the alerts over these lines. */
const alertsOf = (texts: string[]) =>
  explorer(texts)
    .prepare(queries.get("alerts") ?? "")
    .all();
const text = (line: unknown) => JSON.stringify(line);

test.each(causes)("somebody is woken when %s", async (_cause, column, answer) => {
  service.answer("list_members", answer);
  expect((await service.send("/members")).status).toBe(500);
  const healthy = lines.find(({ status }) => status === 200);
  const [alert] = alertsOf([...Array.from({ length: 999 }, () => text(healthy)), ...service.lines]);
  const noAlert = { failures: 1, requests: 1000, database_away: 0, no_answer_in_time: 0 };
  if (column === "database_away") expect(alert, "one failure of a restart wakes nobody").toBeUndefined();
  else expect(alert).toMatchObject({ ...noAlert, [column]: 1 });
});

test("somebody is woken when more than 1 in 100 requests fails, and by no 429, 401 or 400", () => {
  const slow = lines.filter(({ error }) => error === "list_activity answered 500 with 57014").map(text);
  const others = lines.filter(({ status }) => status < 500);
  // Tests beside this one add lines to the log.
  expect(others.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 400, 401, 403, 429]));
  expect(alertsOf(others.map(text))).toEqual([]);
  const many = Array.from({ length: 99 }, () => text(others[0]));
  expect(alertsOf([...many, ...slow])).toEqual([]);
  expect(alertsOf([...many.slice(1), ...slow])).toEqual([expect.objectContaining({ failures: 1, requests: 99 })]);
});

test("the command of the page asks the platform, and prints what the query finds", async () => {
  const folder = await mkdtemp(`${tmpdir()}/alerts-`);
  const api = await startManagementApi((query) => explorer(lines.map(text)).prepare(query).all());
  try {
    await writeFile(`${folder}/alerts.sql`, `-- alerts\n${queries.get("alerts")}`);
    const [, command = ""] = /^npx supabase (logs .*alerts\.sql.*)$/m.exec(page) ?? [];
    const args = command.replace("<ref>", project).replace("alerts.sql", `${folder}/alerts.sql`).split(" ");
    const printed = await api.run(...args);
    expect(JSON.parse(printed.slice(0, printed.lastIndexOf("]") + 1))).toEqual([
      expect.objectContaining({ secret_key_refused: 2, read_only: 1, no_answer_in_time: 1, requests: lines.length }),
    ]);
  } finally {
    await api.stop();
    await rm(folder, { recursive: true });
  }
});

test("slowest endpoints", () => {
  const rows = ask("slowest endpoints");
  const times = lines.flatMap(({ method, path, milliseconds }) =>
    `${method} ${path}` === "GET /members" ? [milliseconds] : [],
  );
  expect(rows.find(({ method, path }) => method === "GET" && path === "/members")).toEqual({
    method: "GET",
    path: "/members",
    requests: times.length,
    average: expect.closeTo(times.reduce((sum, time) => sum + time, 0) / times.length, 0),
    slowest: Math.max(...times),
    over_a_second: times.filter((time) => time > 1000).length,
    of_it_waited: expect.any(Number),
  });
  expect(rows.map(({ path }) => path)).not.toContain("");
});

test("refusals by key", () => {
  const rows = ask("refusals by key");
  for (const row of [
    { key_id: narrow.id, company_id: company.id, status: 403, path: "/members", refused: 1 },
    { key_id: narrow.id, status: 400, path: "/rewards", refused: 1 },
    { key_id: "", status: 401, error: "no key", path: "/members" },
  ])
    expect(rows).toContainEqual(expect.objectContaining(row));
  const refused = lines.filter(({ status }) => status >= 400 && status < 500);
  expect(rows.reduce((sum, row) => sum + Number(row.refused), 0)).toBe(refused.length);
});

test("5xx by cause", () => {
  const rows = ask("5xx by cause");
  for (const row of [
    { path: "/activity", error: "list_activity answered 405 with 25006", failures: 1 },
    { path: "/day-ratings", error: "list_day_ratings gave no complete answer (TimeoutError)" },
  ])
    expect(rows).toContainEqual(expect.objectContaining(row));
});

test("who waits", () => {
  const own = of(key.id);
  const waited = own.filter(({ waited_milliseconds }) => waited_milliseconds > 0);
  expect(waited.length, "of 40 at once some waited").toBeGreaterThan(0);
  const rows = ask("who waits");
  expect(rows).toContainEqual(expect.objectContaining({ key_id: keyId, company_id: companyId, refused: 1 }));
  expect(rows).toContainEqual({
    company_id: company.id,
    key_id: key.id,
    requests: own.length,
    waited: waited.length,
    seconds_waited: expect.closeTo(waited.reduce((sum, line) => sum + line.waited_milliseconds, 0) / 1000, 1),
    refused: own.filter(({ status }) => status === 429).length,
  });
});

test("what one key has read", () => {
  const rows = ask("what one key has read", (text) => text.replace("00000000-0000-4000-8000-000000000000", key.id));
  const found = rows.map(({ method, path, requests, total_rows }) => ({ method, path, requests, total_rows }));
  expect(found).toContainEqual({ method: "GET", path: "/rewards", requests: 4, total_rows: 12 });
  expect(found).toContainEqual({ method: "POST", path: "/rewards", requests: 1, total_rows: 3 });
});

test("sql/watch.sql: one row a sign, and a company that nobody is moving any more wakes somebody", async () => {
  const watch = async (...options: string[]) => {
    const args = [stack.database_url, "--no-psqlrc", "--csv", ...options, "--file", `${root}/sql/watch.sql`];
    return (await runCommand("psql", args, {})).split("\n");
  };
  const row = (sign: string, printed: string[]) => printed.find((text) => text.includes(`,${sign},`));
  const signs = (await watch()).slice(1, -1).map((text) => text.split(",")[1]);
  expect(signs).toHaveLength(7);
  for (const sign of signs) expect(page).toContain(`| \`${sign}\` |`);
  expect(row("disk", await watch())).toMatch(/^f,disk,\d+ MB$/);
  expect(row("disk", await watch("--set", "disk_gb=0.001"))).toMatch(/^t,disk,\d+ MB of 0.001 GB$/);
  await sql`update app.companies set serving = 'moving', move_id = gen_random_uuid() where id = ${company.id}`;
  expect(row("unfinished moves", await watch())).toContain(`t,unfinished moves,${company.id}`);
  await withDatabase(stack.database_url, (moving) =>
    moving.begin(async (tx) => {
      await tx`select pg_advisory_xact_lock(hashtextextended('move ' || ${company.id}::text, 0))`;
      expect(row("unfinished moves", await watch())).not.toContain(company.id);
    }),
  );
  await sql`update app.companies set serving = 'open' where id = ${company.id}`;
});
