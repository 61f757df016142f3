// Where public-data-api export can write to: a pipe, a compressed file, a file for Excel, a folder with all lists.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { root } from "../../scripts/stack/process.ts";
import { environment, run, runProgram, workFolder } from "../support/command_line.ts";
import { newCompany } from "../support/companies.ts";
import { call, expectRows, first, list, sql } from "../support/stack.ts";
import { makeYear, type Year } from "./connect/year.ts";
import { startMoodyProxy, status } from "./moody_proxy.ts";

const folder = workFolder();
let year: Year;
beforeAll(async () => {
  year = await makeYear();
});
afterAll(() => year.company.remove());
beforeEach(() => {
  for (const file of readdirSync(folder)) rmSync(`${folder}/${file}`, { recursive: true });
});

const read = (file: string): Buffer => readFileSync(`${folder}/${file}`);
const lists = endpoints.filter(({ kind }) => kind === "list").map(({ path }) => path.slice(1));
const of2026 = ["activity", "--since", "2026-01-01", "--until", "2026-12-31"];

test("--out - writes to a pipe: rows, or rows compressed, and nothing else", async () => {
  const plain = await run("export", folder, year.key, ...of2026, "--out", "-", "--format", "json");
  expect({ code: plain.code, stderr: plain.stderr }).toEqual({ code: 0, stderr: "" });
  expectRows(JSON.parse(plain.stdout), year.exported);
  const csv = await run("export", folder, first.key, "members", "--out", "-");
  expect(csv.stdout).toBe(await (await call("/members?format=csv&limit=1000", first.key)).text());

  const piped = `"$0" "$1" export activity --out - --gzip --format json | gunzip | wc -l; exit \${PIPESTATUS[0]}`;
  const { status, stdout } = spawnSync("bash", ["-c", piped, process.execPath, `${root}/cli/src/main.ts`], {
    env: environment(year.key),
  });
  // One line per row, and the brackets.
  expect({ status, lines: Number(stdout) }).toEqual({ status: 0, lines: year.rows.length + 2 + 2 });
  expect(readdirSync(folder)).toEqual([]);
});

test("who reads the pipe may stop when it has enough", () => {
  const piped = `"$0" "$1" export activity --out - | head -1; exit \${PIPESTATUS[0]}`;
  const { status, stdout, stderr } = spawnSync("bash", ["-c", piped, process.execPath, `${root}/cli/src/main.ts`], {
    env: environment(year.key),
  });
  expect({ status, stderr: String(stderr) }).toEqual({ status: 0, stderr: "" });
  expect(String(stdout)).toMatch(/^id,timestamp,/);
});

test("a pipe that takes nothing, as a full disk, is named", () => {
  const piped = `"$0" "$1" export members --out - > /dev/full`;
  const { status, stderr } = spawnSync("bash", ["-c", piped, process.execPath, `${root}/cli/src/main.ts`], {
    env: environment(first.key),
  });
  expect(String(stderr)).toMatch(/^The output cannot be written \(.*no space left on device.*\)\n$/);
  expect(status).toBe(1);
});

test("--excel writes a byte-order mark and escapes formulas", async () => {
  const { code, stderr } = await run("export", folder, year.key, ...of2026, "--excel", "--out", "year.csv");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(String(read("year.csv"))).toMatch(/^\ufeffid,timestamp,.*,'=1\+1,/s);
  await run("export", folder, year.key, ...of2026, "--escape_formulas", "--out", "plain.csv");
  expect(String(read("year.csv"))).toBe(`\ufeff${read("plain.csv")}`);
});

test.each([
  [["--out", "year.csv.gz"], "year.csv.gz"],
  [["--out", "year.csv", "--gzip"], "year.csv.gz"],
])("%j compresses", async (args, out) => {
  await run("export", folder, year.key, ...of2026, "--out", "plain.csv");
  expect((await run("export", folder, year.key, ...of2026, ...args)).code).toBe(0);
  expect(gunzipSync(read(out)).equals(read("plain.csv"))).toBe(true);
  expect(read(out).length).toBeLessThan(read("plain.csv").length / 3);
});

test("export all writes every list into the folder, and makes it", async () => {
  const { code, stderr } = await run(
    "export",
    folder,
    first.key,
    "all",
    "--out",
    "made/here",
    "--format",
    "json",
    "--gzip",
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(readdirSync(`${folder}/made/here`).sort()).toEqual(lists.map((name) => `${name}.json.gz`).sort());
  for (const path of ["rewards?include=external_id&", "members?"]) {
    const rows = JSON.parse(String(gunzipSync(read(`made/here/${path.replace(/\?.*/, "")}.json.gz`))));
    expectRows(rows, await list(`/${path}limit=1000`, first.key));
  }
});

test("a filter of export all goes to the lists that know it; what the key may not read is named", async () => {
  const company = await newCompany("Some");
  try {
    await sql`insert into app.day_ratings (company_id, rating, created_at) values (${company.id}, 3, '2026-01-01Z'), (${company.id}, 4, '2026-02-01Z')`;
    const { api_key } = await company.makeKey(["read:members", "read:analytics"]);
    const { code, stderr } = await run("export", folder, api_key, "all", "--since", "2026-01-15", "--out", ".");
    expect(code).toBe(0);
    expect(stderr).toContain("activity left out: the key has no scope read:activity\n");
    expect(stderr).toContain("rewards left out: the key has no scope read:rewards\n");
    expect(String(read("day-ratings.csv")).trimEnd().split("\r\n")).toHaveLength(2);
    expect(String(read("members.csv")).trimEnd().split("\r\n")).toHaveLength(2);
    expect(readdirSync(folder)).not.toContain("rewards.csv");
  } finally {
    await company.remove();
  }
});

test("export all that broke off fetches only the lists that were not finished", async () => {
  const [company, proxy] = await Promise.all([newCompany("Parts"), startMoodyProxy()]);
  try {
    const { api_key } = await company.makeKey();
    const all = () =>
      runProgram(
        process.execPath,
        [`${root}/cli/src/main.ts`, "export", "all", "--out", "parts"],
        folder,
        environment(api_key, proxy.url),
      );
    // The key and two lists are answered, the third list is refused.
    proxy.moods = [undefined, undefined, undefined, status(400)];
    expect(await all()).toMatchObject({ code: 1, stderr: expect.stringContaining("400 Not now") });
    const before = statSync(`${folder}/parts/members.csv`).ino;
    proxy.requests.length = 0;
    const again = await all();
    expect(again.code, again.stderr).toBe(0);
    expect(again.stderr).toMatch(/^parts\/members\.csv: 1 rows; begun 20.*Z, rows that came later are not in it\n/);
    expect(proxy.requests, "the key, and the lists that were missing").toHaveLength(1 + lists.length - 2);
    expect(statSync(`${folder}/parts/members.csv`).ino).toBe(before);
    expect(readdirSync(`${folder}/parts`).sort()).toEqual(lists.map((name) => `${name}.csv`).sort());

    // All was finished, so the next one begins anew.
    proxy.requests.length = 0;
    expect(await all()).toMatchObject({ code: 0, stderr: "" });
    expect(proxy.requests).toHaveLength(1 + lists.length);
  } finally {
    proxy.close();
    await company.remove();
  }
});

test.each([
  ["all", "taken", "taken is a file: a folder is needed"],
  ["members", "folder.csv", "folder.csv is not a file"],
  ["members", "none/year.json", "There is no folder none"],
])("export %s --out %s is refused with the reason", async (name, out, problem) => {
  writeFileSync(`${folder}/taken`, "");
  mkdirSync(`${folder}/folder.csv`);
  const { code, stderr } = await run("export", folder, first.key, name, "--out", out);
  expect({ code, stderr }).toEqual({ code: 2, stderr: `${problem}\n` });
});
