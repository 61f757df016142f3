// The recipes of docs/connect, taken from their pages and run against the stack. Together they read one page, every
// list whole, only what is new, and from a busy service.
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import papaparse from "papaparse";
import { test as base, expect } from "vitest";
import { root } from "../../../scripts/stack/process.ts";
import { needs } from "../../support/optional_tool.ts";
import { expectRows, type Row, stack } from "../../support/stack.ts";
import { type MoodyProxy, startMoodyProxy, status } from "../moody_proxy.ts";
import { AppsScript } from "./apps_script.ts";
import { addKudos, idsOf, type List, lists, makeLists } from "./lists.ts";
import { blocks, runRecipe, temporaryFolder } from "./recipe.ts";
import { onePage, type Year } from "./year.ts";

// Each recipe has its own company and its own proxy: most of its time is waiting, so the recipes run at the same time.
const test = base
  .extend("year", async ({ onTestFinished }) => {
    const year = await makeLists();
    onTestFinished(() => year.company.remove());
    return year;
  })
  .extend("proxy", async ({ onTestFinished }) => {
    const proxy = await startMoodyProxy();
    onTestFinished(() => proxy.close());
    return proxy;
  });

const folders = {
  curl: temporaryFolder(),
  python: temporaryFolder(),
  r: temporaryFolder(),
  node: temporaryFolder(),
  typescript: temporaryFolder(),
};

/** The rows of a CSV that begins with a header. */
const ofCsv = (text: string): Row[] =>
  papaparse.parse<Row>(text.trimEnd(), { header: true, skipEmptyLines: true }).data;

/** The rows of a text with one JSON object per line. */
const ofLines = (text: string): Row[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A page without since and until has the rows of 2027 first, then those of the year. */
function expectOnePage(year: Year, rows: Row[]): void {
  const first = rows.findIndex(({ timestamp }) => String(timestamp) < "2027");
  expect(first).toBeGreaterThan(0);
  expectRows(rows.slice(first), onePage(year).slice(0, 100 - first));
}

/** Expects every row of every list, in order, and every field of kudos. */
async function expectLists(year: Year, read: (list: List) => Row[], evenLines = false): Promise<void> {
  for (const list of lists) {
    const rows = read(list);
    expect(
      rows.map(({ id }) => id),
      list,
    ).toEqual(await idsOf(list, year));
    expect(rows.length, list).toBeGreaterThan(1000);
    if (list !== "activity") continue;
    const of2026 = rows.filter(({ timestamp }) => String(timestamp).startsWith("2026"));
    const even = (row: Row): Row => ({ ...row, message: String(row.message).replaceAll("\r\n", "\n") });
    expectRows(of2026, evenLines ? year.exported.map(even) : year.exported);
  }
}

/**
 * Runs a recipe that keeps a file of kudos: the first time, with new kudos (one of them a little older than the newest
 * row), and with nothing new.
 */
async function expectNew(year: Year, run: () => Promise<unknown>, ids: () => unknown[]): Promise<void> {
  await run();
  expect(ids()).toEqual(await idsOf("activity", year));
  await addKudos(year, "2027-01-02 12:01Z", "2027-01-02 12:02Z", "2027-01-02 00:00Z");
  await run();
  const all = await idsOf("activity", year);
  expect(ids()).toHaveLength(all.length);
  expect(new Set(ids())).toEqual(new Set(all));
  await run();
  expect(ids()).toHaveLength(all.length);
}

/**
 * A recipe that is told to wait one second waits and asks again. If it is told so each time, it gives up after six
 * requests.
 */
async function expectPatience(proxy: MoodyProxy, run: (url: string) => Promise<unknown>): Promise<void> {
  proxy.moods = [status(429, { "Retry-After": "1" }), status(503, { "Retry-After": "1" })];
  const begin = performance.now();
  await run(proxy.url);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(2000);
  const [first, second, third] = proxy.requests;
  expect([second, third]).toEqual([first, first]);

  proxy.requests.length = 0;
  proxy.moods = Array.from({ length: 20 }, () => status(429, { "Retry-After": "1" }));
  await expect(run(proxy.url)).rejects.toThrow("429");
  expect(proxy.requests).toHaveLength(6);
}

test.concurrent("curl.md", async ({ year, proxy }) => {
  const folder = folders.curl;
  const read = (file: string): Row[] => ofCsv(readFileSync(`${folder}/${file}`, "utf8"));
  const [, page = "", whole = "", news = ""] = blocks("curl.md", "sh");
  await runRecipe(folder, year.key, "sh", ["-c", page]);
  expectOnePage(year, read("activity.csv"));

  writeFileSync(`${folder}/whole.sh`, whole);
  writeFileSync(`${folder}/new.sh`, news);
  await runRecipe(folder, year.key, "sh", ["whole.sh"]);
  await expectLists(year, (list) => read(`${list}.csv`));
  const keep = () => runRecipe(folder, year.key, "sh", ["new.sh"]);
  await expectNew(year, keep, () => read("kudos.csv").map(({ id }) => id));
  await expectPatience(proxy, (url) =>
    runRecipe(folder, year.key, "sh", ["whole.sh"], { PUBLIC_API_URL: url, LISTS: "rewards" }),
  );

  const refused = runRecipe(folder, "sk_live_none", "sh", ["whole.sh"], { LISTS: "kudos" });
  await expect(refused, "a refused key ends the script and says why").rejects.toThrow("Unauthorized: ");
  expect(
    readdirSync(folder)
      .filter((file) => file.endsWith(".csv"))
      .sort(),
  ).toEqual([...lists.map((list) => `${list}.csv`), "kudos.csv"].sort());
});

test.concurrent("python.md", async ({ year, proxy }) => {
  const folder = folders.python;
  const read = (file: string): Row[] => ofCsv(readFileSync(`${folder}/${file}`, "utf8"));
  const [page = "", whole = "", news = ""] = blocks("python.md", "python");
  expectOnePage(year, ofLines(await runRecipe(folder, year.key, "python3", ["-c", page])));

  writeFileSync(`${folder}/public_data_api.py`, whole);
  writeFileSync(`${folder}/new.py`, news);
  await runRecipe(folder, year.key, "python3", ["public_data_api.py"]);
  await expectLists(year, (list) => read(`${list}.csv`));
  const keep = () => runRecipe(folder, year.key, "python3", ["new.py"]);
  await expectNew(year, keep, () => read("kudos.csv").map(({ id }) => id));
  const rewards = ["-c", "from public_data_api import whole; whole('/rewards')"];
  await expectPatience(proxy, (url) => runRecipe(folder, year.key, "python3", rewards, { PUBLIC_API_URL: url }));
  proxy.moods = [status(302, { Location: `${stack.api_url}/rewards` })];
  const sentOn = runRecipe(folder, year.key, "python3", rewards, { PUBLIC_API_URL: proxy.url });
  await expect(sentOn, "a redirect is not followed").rejects.toThrow("302");
});

test.concurrent("r.md", async ({ skip, year, proxy }) => {
  needs({ skip }, "Rscript", spawnSync("Rscript", ["--version"]).status === 0);
  const folder = folders.r;
  const utf8 = { LC_ALL: "C.UTF-8" };
  const read = (file: string): Row[] => ofCsv(readFileSync(`${folder}/${file}`, "utf8"));
  const [page = "", whole = "", news = ""] = blocks("r.md", "r");
  expectOnePage(year, ofLines(await runRecipe(folder, year.key, "Rscript", ["-e", page], utf8)));

  writeFileSync(`${folder}/public_data_api.R`, whole);
  writeFileSync(`${folder}/new.R`, news);
  await runRecipe(folder, year.key, "Rscript", ["public_data_api.R"], utf8);
  await expectLists(year, (list) => read(`${list}.csv`), true);
  const keep = () => runRecipe(folder, year.key, "Rscript", ["new.R"], utf8);
  await expectNew(year, keep, () => read("kudos.csv").map(({ id }) => id));
  const rewards = ["-e", "source('public_data_api.R'); invisible(whole('rewards'))"];
  await expectPatience(proxy, (url) =>
    runRecipe(folder, year.key, "Rscript", rewards, { ...utf8, PUBLIC_API_URL: url }),
  );
});

test.concurrent("node.md", async ({ year, proxy }) => {
  const folder = folders.node;
  const read = (file: string): Row[] => JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
  const files = ["page.mjs", "public-data-api.mjs", "whole.mjs", "new.mjs"];
  for (const [index, text] of blocks("node.md", "js").entries()) writeFileSync(`${folder}/${files[index]}`, text);
  const run = (file: string, env = {}) => runRecipe(folder, year.key, process.execPath, [file], env);
  expectOnePage(year, ofLines(await run("page.mjs")));

  await run("whole.mjs");
  await expectLists(year, (list) => read(`${list}.json`));
  await expectNew(
    year,
    () => run("new.mjs"),
    () => read("kudos.json").map(({ id }) => id),
  );
  writeFileSync(`${folder}/rewards.mjs`, `import { whole } from "./public-data-api.mjs"; await whole("/rewards");`);
  await expectPatience(proxy, (url) => run("rewards.mjs", { PUBLIC_API_URL: url }));
});

test.concurrent("typescript.md: the types are generated, the snippet compiles and runs", async ({ year, proxy }) => {
  const folder = folders.typescript;
  const read = (file: string): Row[] => JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));
  symlinkSync(`${root}/node_modules`, `${folder}/node_modules`);
  for (const file of ["docs/openapi.json", "docs/connect/typescript/package.json"]) {
    copyFileSync(`${root}/${file}`, `${folder}/${basename(file)}`);
  }
  writeFileSync(`${folder}/lists.ts`, blocks("typescript.md", "ts")[0] ?? "");
  const commands = blocks("typescript.md", "sh")[0]?.trim().split("\n") ?? [];
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    await runRecipe(folder, year.key, "sh", ["-c", `${root}/docs/connect/typescript/node_modules/.bin/${command}`]);
  }

  const run = (env = {}) => runRecipe(folder, year.key, process.execPath, ["lists.ts"], env);
  expectOnePage(year, ofLines(await run()));
  await expectLists(year, (list) => read(`${list}.json`));
  await expectNew(year, run, () => read("kudos.json").map(({ id }) => id));
  await expectPatience(proxy, (url) => run({ PUBLIC_API_URL: url }));
});

test("google-sheets.md; text that would run as a formula is escaped", async ({ year }) => {
  const properties = { PUBLIC_API_URL: stack.api_url, PUBLIC_API_KEY: year.key };
  const [script = ""] = blocks("google-sheets.md", "js");
  const google = new AppsScript(script, properties);
  google.run("onePage");
  const [header = [], ...page] = google.sheet("activity");
  const rows = (cells: string[][]): Row[] =>
    cells.map((row) => Object.fromEntries(row.map((cell, at) => [header[at], cell])));
  const escaped = (row: Row): Row =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [name, String(value).replace(/^[=+\-@\t\r]/, "'$&")]),
    );
  const of2026 = rows(page).filter(({ timestamp }) => String(timestamp).startsWith("2026"));
  expectRows(of2026, year.exported.slice(0, of2026.length).map(escaped));
  expect(of2026.length).toBeGreaterThan(80);

  google.run("wholeLists");
  for (const list of lists)
    expect(
      google
        .sheet(list)
        .slice(1)
        .map(([id]) => id),
      list,
    ).toEqual(await idsOf(list, year));
  const kudos = () => google.sheet("activity").slice(1);
  expectRows(
    rows(kudos()).filter(({ timestamp }) => String(timestamp).startsWith("2026")),
    year.exported.map(escaped),
  );
  expect(kudos().flat()).toContain("'=1+1");
  await expectNew(
    year,
    async () => google.run("newKudos"),
    () => kudos().map(([id]) => id),
  );

  const refused = new AppsScript(script, { ...properties, PUBLIC_API_KEY: "sk_live_none" });
  expect(() => refused.run("wholeLists")).toThrow("401: ");
  const busy = new AppsScript(script, properties);
  const answer = { status: 429, headers: { "Retry-After": "7" }, text: "Not now" };
  busy.answers = [answer, { ...answer, status: 503, headers: {} }];
  busy.run("onePage");
  expect(busy.slept).toEqual([7000, 2000]);
  const ids = busy
    .sheet("activity")
    .slice(1)
    .map(([id]) => id);
  expect(ids).toEqual((await idsOf("activity", year)).slice(0, 100));
  busy.answers = Array.from({ length: 9 }, () => answer);
  expect(() => busy.run("onePage")).toThrow("429: Not now");
  expect(busy.answers, "six tries").toHaveLength(3);
});

test("warehouses.md: the script for dlt and the manifest for Airbyte are well-formed, and name every list", async () => {
  const read = (file: string) => readFileSync(`${root}/docs/connect/${file}`, "utf8");
  const script = `import ast, sys; print(ast.literal_eval(ast.parse(sys.stdin.read()).body[4].value))`;
  const { stdout } = spawnSync("python3", ["-c", script], { input: read("dlt_public_data_api.py"), encoding: "utf8" });
  expect(Object.keys(JSON.parse(stdout.replaceAll("'", '"')))).toEqual(lists);
  const paths = [...read("airbyte-public-data-api.yaml").matchAll(/^ {8}path: (.*)$/gm)].map(([, path]) => path);
  expect(paths).toEqual(lists);
});

test("every page says at its end whether the tests run it, and none holds a key or puts one into an address", () => {
  for (const page of readdirSync(`${root}/docs/connect`).filter((file) => file.endsWith(".md"))) {
    const text = readFileSync(`${root}/docs/connect/${page}`, "utf8");
    expect(text.split("\n---\n").at(-1), page).toMatch(/^\n(Run by the tests|Not run by the tests: checked against)/);
    expect(text, page).not.toMatch(/sk_live_\w|[?&](api_?)?key=/i);
  }
});
