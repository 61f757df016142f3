// The recipes of docs/connect, taken from their pages and run against the stack: one page, and a whole year, which must be the rows
// of the tables.
import { spawnSync } from "node:child_process";
import { copyFileSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import papaparse from "papaparse";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../../scripts/stack/process.ts";
import { expectRows, type Row, stack } from "../../api/stack.ts";
import { tried } from "../../hardening/counts.ts";
import { runAppsScript } from "./apps_script.ts";
import { blocks, runRecipe, temporaryFolder } from "./recipe.ts";
import { type Customer, makeCrowd, makeYear, onePage, type Year } from "./year.ts";

let year: Year;
let crowd: Customer;
beforeAll(async () => {
  [year, crowd] = await Promise.all([makeYear(), makeCrowd()]);
  expect(year.rows.length).toBeGreaterThan(2000);
  expect(year.rows[999]?.timestamp, "the first window ends amid an instant").toBe(year.rows[1000]?.timestamp);
});
afterAll(() => Promise.all([year, crowd].map(({ company }) => company.remove())));

const folder = temporaryFolder();
const crowded = temporaryFolder();
const example = temporaryFolder();
const read = (file: string): string => readFileSync(`${folder}/${file}`, "utf8");
const missing = (command: string): boolean => spawnSync(command, ["--version"]).error !== undefined;

/** Rows out of a CSV that begins with the header of the field names. */
const ofCsv = (text: string): Row[] => papaparse.parse<Row>(text.trimEnd(), { header: true, newline: "\r\n" }).data;

/** Rows that were printed as one JSON object a line. */
const ofLines = (text: string): Row[] =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** A page without time limits holds one row of 2027 before those of the year. */
function expectOnePage(rows: Row[]): void {
  expect(rows[0]).toMatchObject({ timestamp: "2027-01-01T00:00:00.000000Z" });
  expectRows(rows.slice(1), onePage(year));
}

test("curl.md: one page, and a year in months and days", async () => {
  const [, page = "", script = ""] = blocks("curl.md", "sh");
  await runRecipe(folder, year.key, "sh", ["-c", page]);
  expectOnePage(ofCsv(read("activity.csv")));

  writeFileSync(`${folder}/year.sh`, script);
  await runRecipe(folder, year.key, "sh", ["year.sh", "2026"]);
  expectRows(ofCsv(read("activity-2026.csv")), year.rows);
});

test("curl.md: a refused key ends the script, says why, and leaves no file that looks complete", async () => {
  writeFileSync(`${folder}/refused.sh`, blocks("curl.md", "sh")[2] ?? "");
  const refused = runRecipe(folder, "sk_live_none", "sh", ["refused.sh", "2025"]);
  await expect(refused).rejects.toThrow("Unauthorized: ");
  expect(readdirSync(folder)).not.toContain("activity-2025.csv");
});

test("python.md: one page, and a year", async () => {
  const [page = "", script = ""] = blocks("python.md", "python");
  expectOnePage(ofLines(await runRecipe(folder, year.key, "python3", ["-c", page])));

  writeFileSync(`${folder}/year.py`, script);
  await runRecipe(folder, year.key, "python3", ["year.py"]);
  expectRows(ofCsv(read("activity-2026.csv")), year.rows);
});

test("r.md: one page", async () => {
  if (missing("Rscript")) return tried("not run: R");
  const [page = ""] = blocks("r.md", "r");
  const rows = ofLines(await runRecipe(folder, year.key, "Rscript", ["-e", page]));
  expectOnePage(rows);
  const refused = runRecipe(folder, "sk_live_none", "Rscript", ["-e", page]);
  await expect(refused).rejects.toThrow("401");
});

test("node.md: one page, and a year", async () => {
  const [page = "", script = ""] = blocks("node.md", "js");
  writeFileSync(`${folder}/page.mjs`, page);
  expectOnePage(ofLines(await runRecipe(folder, year.key, process.execPath, ["page.mjs"])));

  writeFileSync(`${folder}/year.mjs`, script);
  await runRecipe(folder, year.key, process.execPath, ["year.mjs"]);
  expectRows(JSON.parse(read("activity-2026.json")), year.rows);
});

test("typescript.md: the types are generated, the snippet compiles and runs", async () => {
  symlinkSync(`${root}/node_modules`, `${example}/node_modules`);
  for (const file of ["docs/openapi.json", "docs/connect/typescript/package.json"]) {
    copyFileSync(`${root}/${file}`, `${example}/${basename(file)}`);
  }
  writeFileSync(`${example}/year.ts`, blocks("typescript.md", "ts")[0] ?? "");
  const commands = blocks("typescript.md", "sh")[0]?.trim().split("\n") ?? [];
  expect(commands).toHaveLength(2);
  for (const command of commands) {
    await runRecipe(example, year.key, "sh", ["-c", `${root}/docs/connect/typescript/node_modules/.bin/${command}`]);
  }

  expectOnePage(ofLines(await runRecipe(example, year.key, process.execPath, ["year.ts"])));
  expectRows(JSON.parse(readFileSync(`${example}/activity-2026.json`, "utf8")), year.rows);
}, 120_000);

test("google-sheets.md: one page, and a year; text that would run as a formula is escaped", () => {
  const properties = { PUBLIC_API_URL: stack.api_url, PUBLIC_API_KEY: year.key };
  const [script = ""] = blocks("google-sheets.md", "js");
  const sheets = runAppsScript(script, ["onePage", "wholeYear"], properties);
  const cells = year.rows.map((row) => Object.values(row).map((value) => String(value).replace(/^[=+\-@\t\r]/, "'$&")));
  const header = Object.keys(year.rows[0] ?? {});
  expect(sheets[0]?.[0]).toEqual(header);
  expect(sheets[0]?.slice(2)).toEqual(cells.slice(0, 99));
  expect(sheets[1]).toEqual([header, ...cells]);
  expect(cells.flat()).toContain("'=1+1");

  const refused = { ...properties, PUBLIC_API_KEY: "sk_live_none" };
  expect(() => runAppsScript(script, ["wholeYear"], refused)).toThrow("401: ");
});

test("where no window is narrow enough every recipe stops and says where, instead of leaving rows out", async () => {
  const scripts = [
    ["sh", "year.sh", blocks("curl.md", "sh")[2]],
    ["python3", "year.py", blocks("python.md", "python")[1]],
    [process.execPath, "year.mjs", blocks("node.md", "js")[1]],
    [process.execPath, "year.ts", blocks("typescript.md", "ts")[0]],
  ] as const;
  symlinkSync(`${root}/node_modules`, `${crowded}/node_modules`);
  for (const [command, file, text = ""] of scripts) {
    writeFileSync(`${crowded}/${file}`, text);
    const stopped = runRecipe(crowded, crowd.key, command, [file, "2026"]);
    await expect(stopped, file).rejects.toThrow(/More than 1000 rows (at|on) 2026-06-15/);
  }
  const properties = { PUBLIC_API_URL: stack.api_url, PUBLIC_API_KEY: crowd.key };
  const sheets = () => runAppsScript(blocks("google-sheets.md", "js")[0] ?? "", ["wholeYear"], properties);
  expect(sheets).toThrow("More than 1000 rows at 2026-06-15");
  expect(readdirSync(crowded)).not.toEqual(expect.arrayContaining([expect.stringMatching(/^activity-2026\.\w+$/)]));
});

test("every page says at its end whether the tests run it, and none holds a key or puts one into an address", () => {
  for (const page of readdirSync(`${root}/docs/connect`)) {
    const text = readFileSync(`${root}/docs/connect/${page}`, "utf8");
    expect(text.split("\n---\n").at(-1), page).toMatch(/^\n(Run by the tests|Not run by the tests: checked against)/);
    expect(text, page).not.toMatch(/sk_live_\w|[?&](api_?)?key=/i);
  }
});
