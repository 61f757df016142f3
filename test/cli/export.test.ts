// npm run export (docs/connect/command-line.md), against the running stack and against a proxy that misbehaves.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import papaparse from "papaparse";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { bar, type Progress, progressOn } from "../../scripts/client/progress.ts";
import { exportRows, readJob } from "../../scripts/export.ts";
import { newCompany } from "../api/companies.ts";
import { call, expectRows, first, list, type Row, sql } from "../api/stack.ts";
import { run, workFolder } from "./command_line.ts";
import { type Customer, makeCrowd, makeYear, type Year } from "./connect/year.ts";
import { cut, dead, half, type MoodyProxy, patient, startMoodyProxy, status } from "./moody_proxy.ts";

const folder = workFolder();
let year: Year;
let crowd: Customer;
let proxy: MoodyProxy;
beforeAll(async () => {
  [year, crowd, proxy] = await Promise.all([makeYear(), makeCrowd(), startMoodyProxy()]);
});
afterAll(() => Promise.all([proxy.close(), year.company.remove(), crowd.company.remove()]));
beforeEach(() => {
  for (const file of readdirSync(folder)) rmSync(`${folder}/${file}`);
  proxy.requests.length = 0;
  proxy.moods = [];
});

const file = (name: string): string => readFileSync(`${folder}/${name}`, "utf8");
const silent: Progress = { show: () => {}, say: () => {} };
const of2026 = ["--since", "2026-01-01", "--until", "2026-12-31"];

/** Exports through the proxy, in this process, without waiting for its pauses. */
async function throughProxy(args: string[], key = year.key) {
  const connection = patient(proxy.url, key);
  const job = readJob(args);
  const count = await exportRows({ ...job, out: `${folder}/${job.out}` }, connection, silent);
  return { ...connection, count };
}

test("a whole year as JSON is every row of the table once, although windows meet amid an instant", async () => {
  const { code, stderr } = await run("export", folder, year.key, "activity", ...of2026, "--out", "year.json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: `year.json: ${year.rows.length} rows\n` });
  expect(year.rows.length).toBeGreaterThan(2000);
  expect(year.rows[999]?.timestamp).toBe(year.rows[1000]?.timestamp);
  expectRows(JSON.parse(file("year.json")), year.rows);
  expect(readdirSync(folder)).toEqual(["year.json"]);
});

test("as CSV it is the same rows under one header, and byte for byte what the API sends", async () => {
  await run("export", folder, year.key, "kudos", ...of2026, "--out", "year.csv");
  const { data, meta } = papaparse.parse<Row>(file("year.csv").trimEnd(), { header: true, newline: "\r\n" });
  expect(meta.fields).toEqual(Object.keys(year.rows[0] ?? {}));
  expectRows(data, year.rows);

  for (const resource of ["members", "rewards", "pulse-responses"]) {
    expect((await run("export", folder, first.key, resource, "--out", "all.csv")).code).toBe(0);
    expect(file("all.csv")).toBe(await (await call(`/${resource}?format=csv&limit=1000`, first.key)).text());
  }
});

test("numbers keep their digits in JSON, however many", async () => {
  const row = '{"id":"1","timestamp":"2026-11-21T00:00:00.000000Z","value":{"n":12345678901234567890,"d":[1.10,-7]}}';
  proxy.moods = [(response) => response.writeHead(200, { "X-Has-More": "false" }).end(`[${row}]`)];
  await throughProxy(["pulse-responses", "--out", "digits.json"]);
  expect(file("digits.json")).toBe(`[\n${row}\n]\n`);
});

test("filters are handed on, and a list without rows is a file without rows", async () => {
  const archived = (await list("/rewards?limit=1000&include_archived=true", first.key)) as Row[];
  await run("export", folder, first.key, "rewards", "--include_archived", "--out", "all.json");
  expectRows(JSON.parse(file("all.json")), archived);
  expect(archived.some(({ is_archived }) => is_archived)).toBe(true);

  for (const out of ["none.json", "none.csv"]) {
    expect((await run("export", folder, first.key, "members", "--role", "nobody", "--out", out)).code).toBe(0);
  }
  expect(JSON.parse(file("none.json"))).toEqual([]);
  expect(file("none.csv")).toBe("id,name,email,role,team_id,team_name,created_at\r\n");
});

test("one instant with over 1000 rows: exit 1, the place is named, what came before is kept and marked", async () => {
  writeFileSync(`${folder}/crowd.json`, "older");
  const { code, stderr } = await run(
    "export",
    folder,
    crowd.key,
    "activity",
    "--since",
    "2026-01-01",
    "--out",
    "crowd.json",
  );
  expect(code).toBe(1);
  expect(stderr).toBe(
    "There are more than 1000 rows at the instant 2026-06-15T12:00:00.000000Z, with --since 2026-01-01: the rest cannot be reached\n" +
      "crowd.incomplete.json holds what came before\n",
  );
  expect(JSON.parse(file("crowd.incomplete.json"))).toHaveLength(1000);
  expect(file("crowd.json")).toBe("older");
});

test("one instant with exactly 1000 rows is no dead end: the older ones follow", async () => {
  const full = await makeCrowd(1000);
  const { id } = full.company;
  try {
    await sql`
      insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
      select company_id, sender_id, receiver_id, category_id, 'around', t.created_at::timestamptz
      from (select * from app.kudos where company_id = ${id} limit 1) as k,
        (values ('2026-06-15 12:00:00.000001Z'), ('2026-06-15 11:59:59.999999Z'), ('2026-01-01Z')) as t (created_at)`;
    const { count } = await throughProxy(["activity", "--out", "full.json"], full.key);
    expect(count).toBe(1003);
    const exported: Row[] = JSON.parse(file("full.json"));
    expect(new Set(exported.map((row) => row.id)).size).toBe(1003);
    expect(exported.at(-2)?.timestamp).toBe("2026-06-15T11:59:59.999999Z");
  } finally {
    await full.company.remove();
  }
});

test.each(["members", "rewards"])("%s past 1000 have no window that could be narrower", async (resource) => {
  const company = await newCompany("Many");
  try {
    const { id } = company;
    await sql`
      insert into app.members (company_id, name, email, role)
      select ${id}, 'Member', n || '@' || ${id} || '.example', 'employee' from generate_series(1, 1001) as n`;
    await sql`
      insert into app.rewards (company_id, name, points_cost) select ${id}, 'Reward', n from generate_series(1, 1001) as n`;
    const { api_key } = await company.makeKey();
    const { code, stderr } = await run("export", folder, api_key, resource, "--out", "many.csv");
    expect(code).toBe(1);
    expect(stderr).toContain(
      `more than 1000 rows at /${resource}, which has no time window: the rest cannot be reached`,
    );
    expect(file("many.incomplete.csv").trimEnd().split("\r\n")).toHaveLength(1001);
    expect(existsSync(`${folder}/many.csv`)).toBe(false);
  } finally {
    await company.remove();
  }
});

test("a busy service, a failing one and a broken answer are tried again, after pauses that grow", async () => {
  proxy.moods = [status(429, { "Retry-After": "7" }), status(500), half, dead, undefined, status(503), cut];
  const { count, pauses, said } = await throughProxy(["activity", ...of2026, "--out", "year.csv"]);
  expect(count).toBe(year.rows.length);
  expect(pauses).toEqual([7000, 2000, 4000, 8000, 1000, 2000]);
  expect(said[0]).toBe("429 Not now; trying again in 7 s");
  expect(said[1]).toBe("500 Not now; trying again in 2 s");
  expect(said[2]).toMatch(/^no whole answer \(.+\); trying again in 4 s$/);
  expectRows(papaparse.parse<Row>(file("year.csv").trimEnd(), { header: true, newline: "\r\n" }).data, year.rows);
});

test("an answer that breaks off is never taken for a whole one, in JSON neither", async () => {
  proxy.moods = [cut, half];
  const { count, pauses } = await throughProxy(["activity", ...of2026, "--out", "year.json"]);
  expect(pauses).toEqual([1000, 2000]);
  expect(count).toBe(year.rows.length);
  expectRows(JSON.parse(file("year.json")), year.rows);
});

test("what stays broken is given up after six tries, and what came before is kept and marked", async () => {
  proxy.moods = [undefined, ...Array.from({ length: 6 }, () => status(546))];
  await expect(throughProxy(["activity", ...of2026, "--out", "year.json"])).rejects.toThrow("546 Not now, 6 times");
  expect(proxy.requests).toHaveLength(7);
  expectRows(JSON.parse(file("year.incomplete.json")), year.rows.slice(0, 1000));
  expect(readdirSync(folder)).toEqual(["year.incomplete.json"]);
});

test("what is refused is not tried again, and leaves no file", async () => {
  await expect(throughProxy(["members", "--out", "a.csv"])).rejects.toThrow(
    '403 Forbidden: this key is missing the "read:members" scope',
  );
  await expect(throughProxy(["activity", "--sender_id", "7", "--out", "a.csv"])).rejects.toThrow(
    "400 sender_id must be a uuid",
  );
  expect(proxy.requests).toHaveLength(2);
  expect(readdirSync(folder)).toEqual([]);
});

test("an export takes one request for a thousand rows", async () => {
  await throughProxy(["activity", "--out", "all.json"]);
  expect(proxy.requests.length).toBe(Math.ceil(year.rows.length / 1000));
});

test.each([
  [[], "Usage: npm run export"],
  [["people", "--out", "a.csv"], "Usage: npm run export"],
  [["members"], "--out must end in .csv or .json"],
  [["members", "--out", "a.xlsx"], "--out must end in .csv or .json"],
  [["members", "--teamid", "1", "--out", "a.csv"], "Unknown option '--teamid'"],
  [["members", "--limit", "1", "--out", "a.csv"], "Unknown option '--limit'"],
])("%j is refused before anything is asked", async (args, problem) => {
  const { code, stderr } = await run("export", folder, first.key, ...args);
  expect(code).toBe(1);
  expect(stderr).toContain(problem);
  expect(readdirSync(folder)).toEqual([]);
});

test("a missing or odd key is named, never shown", async () => {
  for (const key of [undefined, "", "sk live", "sk_live_é"]) {
    const { code, stderr } = await run("export", folder, key, "members", "--out", "a.csv");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "Set PUBLIC_API_KEY to an API key\n" });
  }
});

test("a terminal gets a bar, anything else a line now and then", () => {
  const written: Record<"tty" | "plain", string[]> = { tty: [], plain: [] };
  const terminal = progressOn({ isTTY: true, write: (text) => written.tty.push(String(text)) > 0 });
  const plain = progressOn({ write: (text) => written.plain.push(String(text)) > 0 });
  for (const progress of [terminal, plain]) {
    for (let step = 1; step <= 20; step++) progress.show(step / 20, `${step} of 20`);
    progress.say("done");
  }
  expect(written.plain).toEqual(["10 of 20\n", "20 of 20\n", "done\n"]);
  expect(written.tty[9]).toBe(`\r\u001b[K${"█".repeat(15)}${"░".repeat(15)} 10 of 20`);
  expect(written.tty.at(-1)).toBe("\r\u001b[Kdone\n");
  expect(new Set([0, 1, 2, 27, 28].map((step) => bar(null, step).length))).toEqual(new Set([30]));
});
