// The recipes of docs/connect, taken from their pages and run against the stack. Each one reads one page, every list
// whole, and from a busy service; that of Google Sheets also what is new.
import { spawnSync } from "node:child_process";
import { copyFileSync, globSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import papaparse from "papaparse";
import { test as base, expect } from "vitest";
import { root } from "../../../scripts/stack/process.ts";
import { workFolder } from "../../support/command_line.ts";
import { allServed, expectRows, type Row, sql, stack } from "../../support/stack.ts";
import { startFaultyProxy, status } from "../faulty_proxy.ts";
import { appsScript } from "./apps_script.ts";
import { idsOf, lists, makeLists } from "./companies.ts";
import { blocks, runRecipe } from "./recipe.ts";

// Each recipe has its own company and its own proxy: most of its time is waiting, so the recipes run at the same time.
const test = base
  .extend("year", async ({ onTestFinished }) => {
    const year = await makeLists();
    onTestFinished(() => year.company.remove());
    return year;
  })
  .extend("proxy", async ({ onTestFinished }) => {
    const proxy = await startFaultyProxy();
    onTestFinished(() => proxy.close());
    return proxy;
  });

const rewards = 'import("./public-data-api.mjs").then(({ whole }) => whole("/rewards"))';
/** Of programs.md. The first of the files reads one page, if it has a name, and the last every list. */
const recipes: [name: string, program: string, files: string[], onlyRewards: string[]][] = [
  ["curl", "sh", ["page.sh", "public_data_api.sh"], ["public_data_api.sh"]],
  ["Python", "python3", ["", "public_data_api.py"], ["-c", "from public_data_api import whole; whole('/rewards')"]],
  ["R", "Rscript", ["", "public_data_api.R"], ["-e", "source('public_data_api.R'); invisible(whole('rewards'))"]],
  ["Node.js", process.execPath, ["", "public-data-api.mjs", "whole.mjs"], ["-e", rewards]],
  ["TypeScript", process.execPath, ["lists.ts"], ["lists.ts"]],
];

const folders = recipes.map(() => workFolder());

/** Makes the types, and checks the program, as `npm start` does. */
async function generateTypes(folder: string, key: string): Promise<void> {
  symlinkSync(`${root}/node_modules`, `${folder}/node_modules`);
  for (const file of [
    "docs/openapi.json",
    ...["package.json", "lists.ts"].map((name) => `docs/connect/typescript/${name}`),
  ])
    copyFileSync(`${root}/${file}`, `${folder}/${basename(file)}`);
  const { scripts } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const PATH = `${root}/docs/connect/typescript/node_modules/.bin:${process.env.PATH}`;
  await runRecipe(folder, key, "sh", ["-c", scripts.prestart], { PATH });
}

test.concurrent.for(recipes)("%s", { timeout: 400_000 }, async (recipe, { skip, year, proxy }) => {
  const [name, program, files, onlyRewards] = recipe;
  if (program === "Rscript") {
    const libraries = "library(httr2); library(jsonlite); library(readr)";
    skip(spawnSync("Rscript", ["-e", libraries]).status !== 0, "R with httr2, jsonlite and readr is missing");
  }
  const folder = folders.pop() ?? "";
  const ending = program === process.execPath ? "json" : "csv";
  writeFileSync(`${folder}/page.sh`, blocks("programs.md", "sh")[0] ?? "");
  for (const file of globSync(files, { cwd: `${root}/docs/connect` }))
    copyFileSync(`${root}/docs/connect/${file}`, `${folder}/${file}`);
  if (name === "TypeScript") await generateTypes(folder, year.key);
  // An address that ends in a slash and a key with a line break behind it, as they come out of a file, are no problem.
  const run = (args: string[], more = {}) =>
    runRecipe(folder, `${year.key}\r\n`, program, args, {
      LC_ALL: "C.UTF-8",
      PUBLIC_API_URL: `${stack.api_url}/`,
      ...more,
    });
  const read = (name: string): Row[] => {
    const text = readFileSync(`${folder}/${name}.${ending}`, "utf8");
    if (ending === "json") return JSON.parse(text);
    return papaparse.parse<Row>(text.trimEnd(), { header: true, skipEmptyLines: true }).data;
  };

  const [onePage = ""] = files;
  if (onePage !== "") {
    const printed = await run([onePage]);
    // Every one but curl prints the rows.
    const lines = printed.trimEnd().split("\n");
    const newest = printed === "" ? read("activity") : lines.map((line) => JSON.parse(line));
    // Without since and until the rows of 2027 come first.
    const older = newest.findIndex(({ timestamp }) => String(timestamp) < "2027");
    expect(older).toBeGreaterThan(0);
    const shown = year.rows.map(({ sender_id, receiver_id, category_id, ...row }) => row);
    expectRows(newest.slice(older), shown.slice(0, 100 - older));
  }

  await run([files.at(-1) ?? onePage]);
  for (const list of lists) {
    const ids = read(list).map(({ id }) => id);
    expect(ids, list).toEqual(await idsOf(list, year));
    expect(ids.length, list).toBeGreaterThan(1000);
  }
  const of2026 = read("activity").filter(({ timestamp }) => String(timestamp).startsWith("2026"));
  expectRows(of2026, year.rows);
  // A recipe waits for the time of Retry-After before it asks again. It gives up after six requests.
  const wait = { "Retry-After": "1" };
  proxy.requests.length = 0;
  proxy.faults = [status(429, wait), status(503, wait)];
  const begin = performance.now();
  const readRewards = (env: NodeJS.ProcessEnv) => run(onlyRewards, { LISTS: "rewards", ...env });
  const throughProxy = () => readRewards({ PUBLIC_API_URL: proxy.url });
  await throughProxy();
  expect(performance.now() - begin).toBeGreaterThanOrEqual(2000);
  const [first, second, third] = proxy.requests;
  expect([second, third]).toEqual([first, first]);
  proxy.requests.length = 0;
  proxy.faults = Array.from({ length: 20 }, () => status(429, wait));
  await expect(throughProxy()).rejects.toThrow("429");
  expect(proxy.requests).toHaveLength(6);

  await expect(readRewards({ PUBLIC_API_KEY: "sk_live_none" })).rejects.toThrow(/401|Unauthorized/);
  // No error shows the key, not even one that was pasted with a line break.
  const broken = await readRewards({ PUBLIC_API_KEY: "sk_live_bro\rken" }).catch(String);
  expect(broken).toMatch(/^Error: exit code/);
  expect(broken).not.toMatch(/bro\s*ken/);
  const csv = readdirSync(folder).filter((name) => name.endsWith(".csv"));
  const wanted = ending === "csv" ? lists.map((name) => `${name}.csv`) : [];
  expect(csv.sort(), "no file of half a list").toEqual(wanted.sort());
  proxy.faults = [status(302, { Location: `${stack.api_url}/rewards` })];
  await expect(throughProxy()).rejects.toThrow(/\b302\b|unexpected redirect/);
});

test("google-sheets.md; text that would run as a formula is escaped", async ({ year }) => {
  const google = appsScript("google-sheets.gs", year.key);
  const idsIn = ({ rows }: typeof google, list: string) =>
    rows(list)
      .slice(1)
      .map(([id]) => id);
  const escaped = (row: Row) => Object.values(row).map((value) => String(value).replace(/^[=+\-@\t\r]/, "'$&"));
  const of2026 = () => google.rows("activity").filter(([, timestamp]) => timestamp?.startsWith("2026"));

  google.run("onePage");
  expect(google.rows("activity")[0]).toEqual(Object.keys(year.rows[0] ?? {}));
  expect(of2026().length).toBeGreaterThan(80);
  expect(of2026()).toEqual(year.rows.slice(0, of2026().length).map(escaped));
  google.run("wholeLists");
  for (const list of lists) expect(idsIn(google, list), list).toEqual(await idsOf(list, year));
  expect(of2026()).toEqual(year.rows.map(escaped));
  expect(of2026().flat()).toContain("'=1+1");

  // A column of the user's own beside the data, filled down beyond it, stays as it is.
  const cells = google.cells("activity");
  cells.push(...Array.from({ length: 50 }, () => Array<string>(26).fill("")));
  const width = cells[0]?.indexOf("") ?? 0;
  const formulas = ["My month", ...cells.slice(1).map((_, index) => `=left(B${index + 2}, 7)`)];
  for (const [index, row] of cells.entries()) row[width] = formulas[index] ?? "";
  google.run("wholeLists");
  // The first time, with new kudos, one of them a little older than the newest row, and with nothing new.
  google.run("newKudos");
  expect(idsIn(google, "activity")).toEqual(await idsOf("activity", year));
  await sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select company_id, sender_id, receiver_id, category_id, E'new, "quoted"\nline', t.created_at
    from (select * from app.kudos where company_id = ${year.company.id} limit 1) as k,
      unnest('{2027-01-02 12:01Z, 2027-01-02 12:02Z, 2027-01-02 00:00Z}'::timestamptz[]) as t (created_at)`;
  for (const _ of ["new kudos", "nothing new"]) {
    google.run("newKudos");
    expect(idsIn(google, "activity").sort()).toEqual((await idsOf("activity", year)).sort());
  }
  expect(google.cells("activity").map((row) => row[width])).toEqual(formulas);
  // Google's service fails while a list is written: the rows of the last time are still there.
  Object.assign(google.sheet("teams") ?? {}, { isBroken: true });
  const teams = structuredClone(google.cells("teams"));
  expect(() => google.run("wholeLists")).toThrow("timed out");
  expect(google.cells("teams")).toEqual(teams);
  Object.assign(google.sheet("teams") ?? {}, { isBroken: false });
  // Another trigger runs meanwhile: it waits, and no row is lost or there twice.
  google.hooks.whileFetching = () => expect(() => google.run("wholeLists")).toThrow("Another run holds the lock");
  google.run("newKudos");
  expect(idsIn(google, "activity").sort()).toEqual((await idsOf("activity", year)).sort());
  // One that stands where the data goes is not written over.
  for (const row of google.cells("teams")) row.unshift("My note");
  const before = structuredClone(google.cells("teams"));
  expect(() => google.run("wholeLists")).toThrow("The sheet teams has columns of yours among its first 3: My note");
  expect(google.cells("teams")).toEqual(before);

  const refused = appsScript("google-sheets.gs", "sk_live_none");
  expect(() => refused.run("wholeLists")).toThrow("401: ");
  const answer = { status: 429, headers: { "Retry-After": "7" }, text: "Not now" };
  const busy = appsScript("google-sheets.gs", year.key, [answer, { ...answer, status: 503, headers: {} as never }]);
  busy.run("onePage");
  expect(busy.slept).toEqual([7000, 2000]);
  expect(idsIn(busy, "activity")).toEqual((await idsOf("activity", year)).slice(0, 100));
  const answers = Array.from({ length: 9 }, () => answer);
  expect(() => appsScript("google-sheets.gs", year.key, answers).run("onePage")).toThrow("429: Not now");
  expect(answers, "six tries").toHaveLength(3);
});

test("warehouses.md: the script for dlt is well-formed, and names every list", () => {
  const input = readFileSync(`${root}/docs/connect/dlt_public_data_api.py`, "utf8");
  const script = `import ast, sys; print(ast.literal_eval(ast.parse(sys.stdin.read()).body[4].value))`;
  const { stdout } = spawnSync("python3", ["-c", script], { input, encoding: "utf8" });
  expect(Object.keys(JSON.parse(stdout.replaceAll("'", '"')))).toEqual(lists);
});

test("the n8n workflow asks for what the API has, and ends only when it says that there is no more", async ({
  year,
}) => {
  const { nodes } = JSON.parse(readFileSync(`${root}/docs/connect/n8n-public-data-api.json`, "utf8"));
  const requests = nodes.filter(({ type }: { type: string }) => type.endsWith(".httpRequest"));
  expect(requests).toHaveLength(2);
  await allServed();
  for (const { parameters } of requests) {
    const address = parameters.url.replace(/^=?https:\/\/<project>.*?\/public-api/, stack.api_url);
    const response = await fetch(address.replace("{{ $json.after }}", "start"), { headers: { "X-API-Key": year.key } });
    expect(response.status, address).toBe(200);
    const { nextURL, completeExpression } = parameters.options.pagination.pagination;
    expect(completeExpression).toContain('$response.headers["x-has-more"] === "false"');
    const [, pattern = ""] = nextURL.match(/match\(\/(.*)\/\)/) ?? [];
    const next = new RegExp(pattern).exec(response.headers.get("Link") ?? "")?.[1] ?? "";
    expect((await fetch(next, { headers: { "X-API-Key": year.key } })).status, next).toBe(200);
  }
});

test("README.md says of every recipe whether the tests run it; none holds a key, puts one into an address or loses one", () => {
  const table = readFileSync(`${root}/docs/connect/README.md`, "utf8");
  for (const page of readdirSync(`${root}/docs/connect`).filter((file) => /\.(md|sh)$/.test(file))) {
    const text = readFileSync(`${root}/docs/connect/${page}`, "utf8");
    if (page.endsWith(".md") && page !== "README.md")
      expect(table, page).toMatch(new RegExp(`^\\|.*\\(${page}\\).*\\|.*(run|checked).*\\|$`, "m"));
    expect(text, page).not.toMatch(/sk_live_\w|[?&](api_?)?key=/i);
    // curl of 2017 to 2021 has no such options.
    expect(text, page).not.toMatch(/--(fail-with-body|retry-all-errors|url-query)\b/);
  }
});
