// public-data-api export (docs/connect/command-line.md), against the running stack and through a proxy that misbehaves.
import { readdirSync, readFileSync, rmSync } from "node:fs";
import papaparse from "papaparse";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { readJobs } from "../../cli/src/commands/export.ts";
import { exportToFile } from "../../cli/src/export_list.ts";
import { bar, type Progress, progressOn } from "../../cli/src/progress.ts";
import { run, workFolder } from "../support/command_line.ts";
import { newCompany } from "../support/companies.ts";
import { call, expectRows, first, list, type Row, sql } from "../support/stack.ts";
import { type Customer, makeCrowd, makeYear, type Year } from "./connect/year.ts";
import { cut, dead, half, type Mood, type MoodyProxy, page, patient, startMoodyProxy, status } from "./moody_proxy.ts";

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
const silent: Progress = { show: () => {}, done: () => {}, warn: () => {} };
const of2026 = ["--since", "2026-01-01", "--until", "2026-12-31"];

/** Exports through the proxy, in this process. Its pauses take no time. */
async function throughProxy(args: string[], key = year.key) {
  const connection = patient(proxy.url, key);
  const [job] = readJobs(args).jobs;
  if (!job) throw new Error("no job");
  const { rows } = await exportToFile({ ...job, out: `${folder}/${job.out}` }, connection, "Connect", silent);
  return { ...connection, count: rows };
}

test("a whole year as JSON is every row of the table once, although windows meet amid an instant", async () => {
  const { code, stderr } = await run("export", folder, year.key, "activity", ...of2026, "--out", "year.json");
  expect({ code, stderr }, "silent: it is no terminal").toEqual({ code: 0, stderr: "" });
  expect(year.rows.length).toBeGreaterThan(2000);
  expect(year.rows[999]?.timestamp).toBe(year.rows[1000]?.timestamp);
  expectRows(JSON.parse(file("year.json")), year.exported);
  expect(readdirSync(folder)).toEqual(["year.json"]);
});

test("as CSV it is the same rows under one header, and byte for byte what the API sends", async () => {
  await run("export", folder, year.key, "kudos", ...of2026, "--out", "year.csv");
  const { data, meta } = papaparse.parse<Row>(file("year.csv").trimEnd(), { header: true, newline: "\r\n" });
  expect(meta.fields).toEqual(Object.keys(year.exported[0] ?? {}));
  expectRows(data, year.exported);

  for (const [resource, include] of [
    ["members", ""],
    ["rewards", "&include=external_id"],
    ["pulse-responses", "&include=question_id"],
  ] as const) {
    expect((await run("export", folder, first.key, resource, "--out", "all.csv")).code).toBe(0);
    expect(file("all.csv")).toBe(await (await call(`/${resource}?format=csv&limit=1000${include}`, first.key)).text());
  }
});

test("JSON keeps every row as it was sent: the digits of numbers, quotes and brackets in text", async () => {
  const rows = [
    '{"id":"2","timestamp":"2026-11-21T00:00:00.000000Z","value":{"n":12345678901234567890,"d":[1.10,-7]}}',
    String.raw`{"id":"1","timestamp":"2026-11-21T00:00:00.000000Z","value":"a 5\" screen }, {\\"}`,
  ];
  proxy.moods = [page(`[${rows.join()}]`, "false")];
  await throughProxy(["pulse-responses", "--out", "digits.json"]);
  expect(file("digits.json")).toBe(`[\n${rows.join(",\n")}\n]\n`);
});

test("filters are handed on, and a list without rows is a file without rows", async () => {
  const archived = (await list("/rewards?limit=1000&include_archived=true&include=external_id", first.key)) as Row[];
  await run("export", folder, first.key, "rewards", "--include_archived", "--out", "all.json");
  expectRows(JSON.parse(file("all.json")), archived);
  expect(archived.some(({ is_archived }) => is_archived)).toBe(true);

  for (const out of ["none.json", "none.csv"]) {
    expect((await run("export", folder, first.key, "members", "--role", "nobody", "--out", out)).code).toBe(0);
  }
  expect(JSON.parse(file("none.json"))).toEqual([]);
  expect(file("none.csv")).toBe("id,name,email,role,team_id,team_name,created_at\r\n");
});

test("1000 rows of one instant: the older ones follow", async () => {
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

test("before 1970 too", async () => {
  const early = await makeCrowd(1000);
  const { id } = early.company;
  try {
    await sql`update app.kudos set created_at = '1960-06-15 12:00:00.5Z' where company_id = ${id}`;
    await sql`
      insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
      select company_id, sender_id, receiver_id, category_id, 'before', t.created_at::timestamptz
      from (select * from app.kudos where company_id = ${id} limit 1) as k,
        (values ('1960-06-15 12:00:00.499999Z'), ('1960-01-01Z')) as t (created_at)`;
    const { count } = await throughProxy(["activity", "--out", "early.json"], early.key);
    expect(count).toBe(1002);
    const exported: Row[] = JSON.parse(file("early.json"));
    expect(exported.slice(1000).map((row) => row.timestamp)).toEqual([
      "1960-06-15T12:00:00.499999Z",
      "1960-01-01T00:00:00.000000Z",
    ]);
  } finally {
    await early.company.remove();
  }
});

test.each(["members", "rewards"])("%s past 1000, all of one instant, are exported each once", async (resource) => {
  const company = await newCompany("Many");
  try {
    const { id } = company;
    await sql`
      insert into app.members (company_id, name, email, role)
      select ${id}, 'Member', n || '@' || ${id} || '.example', 'employee' from generate_series(1, 2300) as n`;
    await sql`
      insert into app.rewards (company_id, name, points_cost) select ${id}, 'Reward', n from generate_series(1, 2300) as n`;
    const { api_key } = await company.makeKey();
    await run("export", folder, api_key, resource, "--out", "many.json");
    const rows = await sql<{ id: string }[]>`
      select id::text from ${sql(`app.${resource}`)} where company_id = ${id} order by created_at desc, id desc`;
    expect(JSON.parse(file("many.json")).map((row: Row) => row.id)).toEqual(rows.map((row) => row.id));
  } finally {
    await company.remove();
  }
});

/**
 * Exports all kudos of a company and deletes some of them in between: the request for the second page is told to wait,
 * and they are deleted in this pause.
 */
async function exportWhile(customer: Customer, remove: (ids: string[]) => Promise<unknown>): Promise<Row[]> {
  const { id } = customer.company;
  const before = await sql<{ id: string }[]>`
    select id::text from app.kudos where company_id = ${id} order by created_at desc, id desc`;
  proxy.moods = [undefined, status(429, { "Retry-After": "0" })];
  const connection = {
    ...patient(proxy.url, customer.key),
    pause: () => remove(before.map((row) => row.id)).then(() => {}),
  };
  const [job] = readJobs(["activity", "--out", "walk.json"]).jobs;
  if (!job) throw new Error("no job");
  await exportToFile({ ...job, out: `${folder}/walk.json` }, connection, "Connect", silent);
  return JSON.parse(file("walk.json"));
}

const removeKudos = (ids: string[]): Promise<unknown> => sql`delete from app.kudos where id = any (${ids}::uuid[])`;

test.each([
  ["the last row of a page", 999, 1000],
  ["most rows of a page", 3, 1000],
])("%s is deleted amid the walk: every other row comes once", async (_, from, to) => {
  const customer = await makeCrowd(2100);
  try {
    const rows = await exportWhile(customer, (ids) => removeKudos(ids.slice(from, to)));
    const left = await sql<{ id: string }[]>`
      select id::text from app.kudos where company_id = ${customer.company.id} order by created_at desc, id desc`;
    const ids = rows.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toHaveLength(2100);
    expect(ids.slice(1000)).toEqual(left.slice(from).map(({ id }) => id));
  } finally {
    await customer.company.remove();
  }
});

test("a whole page is deleted amid the walk: it begins anew", async () => {
  const customer = await makeCrowd(2100);
  try {
    const rows = await exportWhile(customer, (ids) => removeKudos(ids.slice(0, 1000)));
    expect(rows).toHaveLength(1100);
  } finally {
    await customer.company.remove();
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
  expectRows(papaparse.parse<Row>(file("year.csv").trimEnd(), { header: true, newline: "\r\n" }).data, year.exported);
});

test("an answer that breaks off is never taken for a whole one, in JSON neither", async () => {
  proxy.moods = [cut, half];
  const { count, pauses } = await throughProxy(["activity", ...of2026, "--out", "year.json"]);
  expect(pauses).toEqual([1000, 2000]);
  expect(count).toBe(year.rows.length);
  expectRows(JSON.parse(file("year.json")), year.exported);
});

const newest = '{"id":"2","timestamp":"2026-11-21T00:00:00.000000Z"}';
const older = '{"id":"1","timestamp":"2026-11-20T00:00:00.000000Z"}';
const notContinued = "a page does not continue the page before";

test.each<[string, Mood[], string]>([
  ["drops X-Has-More", [page(`[${newest}]`)], "does not say whether there are more rows"],
  ["repeats a page", [page(`[${newest},${older}]`, "true"), page(`[${newest},${older}]`, "true")], notContinued],
  ["has no more rows, but says so", [page("[]", "true")], notContinued],
  ["turns the order around", [page(`[${older},${newest}]`, "false")], notContinued],
  ["answers with something else", Array(6).fill(page('[1,2,"x"]', "false")), "a row without an id or a time"],
])("something on the way that %s ends the export, and no file looks whole", async (_, moods, problem) => {
  proxy.moods = moods;
  await expect(throughProxy(["activity", "--out", "year.json"])).rejects.toThrow(problem);
  expect(readdirSync(folder)).not.toContain("year.json");
});

test("what stays broken is given up after six tries, and what came before is kept and marked", async () => {
  proxy.moods = [undefined, ...Array.from({ length: 6 }, () => status(546))];
  await expect(throughProxy(["activity", ...of2026, "--out", "year.json"])).rejects.toThrow("546 Not now, 6 times");
  expect(proxy.requests).toHaveLength(7);
  expectRows(JSON.parse(file("year.incomplete.json")), year.exported.slice(0, 1000));
  expect(readdirSync(folder)).toEqual(["year.incomplete.json", "year.incomplete.json.checkpoint"]);
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
  [[], 'There is no list ""'],
  [["people", "--out", "a.csv"], 'There is no list "people"'],
  [["members"], "--out must say where to"],
  [["members", "--out", "a.xlsx"], "--out must end in .csv or .json"],
  [["members", "--out", "a.csv", "--format", "json"], "--out ends in .csv: leave --format out"],
  [["members", "--out", "-", "--format", "xml"], "--format must be csv or json"],
  [["members", "--out", "a.json.gz", "--excel"], "--excel is for CSV"],
  [["all", "--out", "-"], "all needs a folder"],
  [["members", "--teamid", "1", "--out", "a.csv"], "Unknown option '--teamid'"],
  [["members", "--limit", "1", "--out", "a.csv"], "Unknown option '--limit'"],
])("%j is refused before anything is asked", async (args, problem) => {
  const { code, stderr } = await run("export", folder, first.key, ...args);
  expect(code).toBe(2);
  expect(stderr).toContain(problem);
  expect(stderr).toContain("public-data-api export --help");
  expect(readdirSync(folder)).toEqual([]);
});

test("a missing or odd key is named, never shown", async () => {
  for (const key of [undefined, "", "sk live", "sk_live_é"]) {
    const { code, stderr } = await run("export", folder, key, "members", "--out", "a.csv");
    expect({ code, stderr }).toEqual({ code: 2, stderr: "Set PUBLIC_API_KEY to an API key\n" });
  }
});

test("a terminal gets a bar and the outcome, anything else only what goes wrong", () => {
  const show = (isTTY: boolean, env: NodeJS.ProcessEnv): string[] => {
    const written: string[] = [];
    const progress = progressOn({ isTTY, write: (text) => written.push(String(text)) > 0 }, env);
    for (let step = 1; step <= 20; step++) progress.show(step / 20, `${step} of 20`);
    progress.done("done");
    progress.warn("wrong");
    return written;
  };
  expect(show(false, {})).toEqual(["wrong\n"]);
  const [full, empty] = ["█".repeat(15), "░".repeat(15)];
  expect(show(true, {})[9]).toBe(`\r\u001b[K\u001b[32m${full}${empty}\u001b[39m 10 of 20`);
  expect(show(true, {}).slice(-2)).toEqual(["\r\u001b[Kdone\n", "\r\u001b[K\u001b[31mwrong\u001b[39m\n"]);
  expect(show(true, { NO_COLOR: "1" })[9]).toBe(`\r\u001b[K${full}${empty} 10 of 20`);
  expect(show(true, { TERM: "dumb" })).toEqual(["done\n", "wrong\n"]);
  expect(new Set([0, 1, 2, 27, 28].map((step) => bar(null, step).length))).toEqual(new Set([30]));
});
