// The queries of docs/watching.md. They run over real log lines of the function, in SQLite, with the few ClickHouse
// functions that they use.
import { readFile } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { type ApiKey, newCompany, type TestCompany } from "../support/companies.ts";
import { call, functionLog, importRewards, invalidKey } from "../support/stack.ts";

interface Line {
  time: string;
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  waited_milliseconds: number;
  rows: number | null;
  key_id: string | null;
  company_id: string | null;
  error?: string;
}

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
  // Failures in the words of the function (docs/operations.md, Logs). Real ones would disturb other tests.
  const failure = {
    ...JSON.parse(log[0] ?? "{}"),
    path: "/activity",
    status: 500,
    error: "list_activity answered 500 with 57014",
  };
  const refused = {
    ...JSON.parse(log[0] ?? "{}"),
    status: 429,
    key_id: key.id,
    company_id: company.id,
    error: "no turn in time",
  };
  const texts = [...log, ...[failure, failure, refused].map((line) => JSON.stringify(line))];
  lines = texts.map((text) => JSON.parse(text));
  const database = explorer(texts);
  ask = (name, change = (text) => text) => database.prepare(change(queries.get(name) ?? "")).all();
});
afterAll(() => company.remove());

const of = (id: string) => lines.filter((line) => line.key_id === id);

test("every query of the page that can be run here is run by a test below", () => {
  expect([...queries.keys()]).toEqual([
    "slowest endpoints",
    "refusals by key",
    "5xx by cause",
    "who waits",
    "what one key has read",
    "answers of the platform",
  ]);
  expect(page.match(/^```sql/gm)).toHaveLength(queries.size);
});

test("slowest endpoints", () => {
  const rows = ask("slowest endpoints");
  const members = lines.filter(({ method, path }) => method === "GET" && path === "/members");
  const times = members.map(({ milliseconds }) => milliseconds);
  expect(rows.find(({ method, path }) => method === "GET" && path === "/members")).toEqual({
    method: "GET",
    path: "/members",
    requests: members.length,
    average: expect.closeTo(times.reduce((sum, time) => sum + time, 0) / times.length, 0),
    slowest: Math.max(...times),
    over_a_second: times.filter((time) => time > 1000).length,
    of_it_waited: expect.any(Number),
  });
  expect(rows.map(({ path }) => path)).not.toContain("");
});

test("refusals by key", () => {
  const rows = ask("refusals by key");
  expect(rows).toContainEqual(
    expect.objectContaining({ key_id: narrow.id, company_id: company.id, status: 403, path: "/members", refused: 1 }),
  );
  expect(rows).toContainEqual(
    expect.objectContaining({ key_id: narrow.id, status: 400, path: "/rewards", refused: 1 }),
  );
  expect(rows).toContainEqual(expect.objectContaining({ key_id: "", status: 401, error: "no key", path: "/members" }));
  const refused = lines.filter(({ status }) => status >= 400 && status < 500);
  expect(rows.reduce((sum, row) => sum + Number(row.refused), 0)).toBe(refused.length);
});

test("5xx by cause", () => {
  expect(ask("5xx by cause")).toContainEqual(
    expect.objectContaining({ path: "/activity", error: "list_activity answered 500 with 57014", failures: 2 }),
  );
});

test("who waits", () => {
  const own = of(key.id);
  const waited = own.filter(({ waited_milliseconds }) => waited_milliseconds > 0);
  expect(waited.length, "of 40 at once some waited").toBeGreaterThan(0);
  expect(ask("who waits")).toContainEqual({
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
