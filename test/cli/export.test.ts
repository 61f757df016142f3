// public-data-api export (docs/connect/command-line.md): every row once, whatever happens to the rows and to the answers,
// into a file, a pipe, a compressed file, a file for Excel, or a folder with all lists. Whatever interrupts it, the older
// file stays or the complete new one is there.
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import papaparse from "papaparse";
import { expect, onTestFinished, test, vi } from "vitest";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { totals } from "../../cli/src/lists.ts";
import { bar, progressOn } from "../../cli/src/progress.ts";
import { environment, main, runOnTerminal, runProgram } from "../support/command_line.ts";
import { companyOfTest } from "../support/companies.ts";
import { call, expectRows, first, list, type Row, sql } from "../support/stack.ts";
import { forAllTests, makeYear, lists as names } from "./connect/companies.ts";
import { cut, dropped, folderAndProxy, half, page, runHere, startCli, status } from "./faulty_proxy.ts";

const { folder, proxy } = await folderAndProxy();
const year = await forAllTests(makeYear);

const file = (name: string): string => readFileSync(`${folder}/${name}`, "utf8");
const of2026 = ["--since", "2026-01-01", "--until", "2026-12-31"];

/** Exports to a path in the folder, through the proxy. The first request asks whose the key is. */
const exportTo = (out: string, args: string[], key = year.key, more = {}) =>
  runHere(exportCommand, [...args, "--out", `${folder}/${out}`], proxy.url, key, more);

test("a whole year as CSV is every row of the table once, from a service that is busy, fails or breaks off", async () => {
  expect(year.rows[999]?.timestamp, "two pages meet between rows of one time").toBe(year.rows[1000]?.timestamp);
  const busy = status(429, { "Retry-After": "7" });
  proxy.faults = [undefined, busy, status(500), half, dropped, undefined, status(546), cut];
  const { pauses, lines } = await exportTo("year.csv", ["kudos", ...of2026]);
  const { data, meta } = papaparse.parse<Row>(file("year.csv").trimEnd(), { header: true, newline: "\r\n" });
  expect(meta.fields).toEqual(Object.keys(year.rows[0] ?? {}));
  expectRows(data, year.rows);
  expect(pauses).toEqual([7000, 2000, 4000, 8000, 1000, 2000]);
  expect(lines.slice(0, 2)).toEqual(["429 Not now; trying again in 7 s", "500 Not now; trying again in 2 s"]);
  expect(lines[2]).toMatch(/^no whole answer \(.+\); trying again in 4 s$/);
});

test("JSON that breaks off is never taken for a whole answer; a thousand rows take one request", async () => {
  proxy.faults = [undefined, cut, half];
  const { pauses } = await exportTo("year.json", ["activity", ...of2026]);
  expect(pauses).toEqual([1000, 2000]);
  expectRows(JSON.parse(file("year.json")), year.rows);
  expect(proxy.requests).toHaveLength(1 + 2 + Math.ceil(year.rows.length / 1000));
});

test("CSV is byte for byte what the API sends, with external_id", async () => {
  await exportTo("all.csv", ["rewards"], first.key);
  const sent = await call("/rewards?format=csv&limit=1000&include=external_id", first.key);
  expect(file("all.csv")).toBe(await sent.text());
});

test("JSON keeps every row as it was sent: the digits of numbers, quotes and brackets in text", async () => {
  const rows = [
    '{"id":"2","timestamp":"2026-11-21T00:00:00.000000Z","value":{"n":12345678901234567890,"d":[1.10,-7]}}',
    String.raw`{"id":"1","timestamp":"2026-11-21T00:00:00.000000Z","value":"a 5\" screen }, {\\"}`,
  ];
  proxy.faults = [undefined, page(`[${rows.join()}]`, "false")];
  await exportTo("digits.json", ["pulse-responses"]);
  expect(file("digits.json")).toBe(`[\n${rows.join(",\n")}\n]\n`);
});

test("filters reach the API, and a list without rows is a file without rows", async () => {
  const archived = await list("/rewards?limit=1000&include_archived=true&include=external_id", first.key);
  await exportTo("all.json", ["rewards", "--include_archived"], first.key);
  expectRows(JSON.parse(file("all.json")), archived);
  expect(archived.some(({ is_archived }) => is_archived)).toBe(true);

  for (const out of ["none.json", "none.csv"]) await exportTo(out, ["members", "--role", "nobody"], first.key);
  expect(JSON.parse(file("none.json"))).toEqual([]);
  expect(file("none.csv")).toBe("id,name,email,role,team_id,team_name,created_at\r\n");
});

test("a whole page is deleted after it was read: every row comes once", async () => {
  const { company, key, rows } = await makeYear();
  const ids = rows.map(({ id }) => String(id));
  // The second page's request has to wait, and in this pause rows of the first page are deleted.
  proxy.faults = [undefined, undefined, status(429, { "Retry-After": "0" })];
  const pause = async () => void (await sql`delete from app.kudos where id = any (${ids.slice(0, 1000)}::uuid[])`);
  await exportTo("walk.json", ["activity", ...of2026], key, { pause });
  expect(JSON.parse(file("walk.json")).map(({ id }: Row) => id)).toEqual(ids);
  await company.remove();
});

const newest = '{"id":"2","timestamp":"2026-11-21T00:00:00.000000Z"}';
const older = '{"id":"1","timestamp":"2026-11-20T00:00:00.000000Z"}';
const notContinued = "a page does not continue the page before";

test.each([
  ["drops X-Has-More", [page(`[${newest}]`)], "does not say whether there are more rows"],
  ["repeats a page", [page(`[${newest},${older}]`, "true"), page(`[${newest},${older}]`, "true")], notContinued],
  ["has no more rows, but says so", [page("[]", "true")], notContinued],
  ["turns the order around", [page(`[${older},${newest}]`, "false")], notContinued],
  ["answers with something else", Array(6).fill(page('[1,2,"x"]', "false")), "a row without an id or a time"],
])("something on the way that %s ends the export, and no file looks whole", async (_, faults, problem) => {
  proxy.faults = [undefined, ...faults];
  await expect(exportTo("year.json", ["activity"])).rejects.toThrow(problem);
  expect(readdirSync(folder)).not.toContain("year.json");
});

/** Runs a line of a shell. `export` in it is public-data-api export, whose exit code counts. */
const shell = (line: string, key: string) => {
  const script = `${line.replace("export", '"$0" "$1" export')}; exit \${PIPESTATUS[0]}`;
  return runProgram("bash", ["-c", script, process.execPath, main], folder, environment(key));
};

test("--out - writes the rows to a pipe, compressed with --gzip, and nothing else", async () => {
  const window = "--since 2026-01-01 --until 2026-12-31";
  const { stdout, ...rest } = await shell(`export activity ${window} --out - --gzip --format json | gunzip`, year.key);
  expect(rest).toEqual({ code: 0, stderr: "" });
  expectRows(JSON.parse(stdout), year.rows);
});

test("a program that reads the pipe may stop when it has enough", async () => {
  const { stdout, ...rest } = await shell("export activity --out - | head -1", year.key);
  expect(rest).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^id,timestamp,.*\r\n$/);
});

test("--excel writes a byte-order mark and escapes formulas", async () => {
  await exportTo("year.csv", ["activity", "--excel"]);
  expect(file("year.csv")).toMatch(/^\ufeffid,timestamp,.*,'=1\+1,/s);
  await exportTo("jahr.csv", ["activity", "--excel", "--semicolons"]);
  const { data } = papaparse.parse<string[]>(file("jahr.csv"), { delimiter: ";" });
  expect(data).toEqual(papaparse.parse<string[]>(file("year.csv")).data);
});

test("a filter of export all goes to the lists that know it; what the key may not read is named", async () => {
  const { company, key } = await companyOfTest("Some", ["read:members", "read:analytics"]);
  await sql`insert into app.day_ratings (company_id, rating, created_at) values (${company.id}, 3, '2026-01-01Z'), (${company.id}, 4, '2026-02-01Z')`;
  const { lines } = await exportTo(".", ["all", "--since", "2026-01-15"], key);
  expect(lines).toContain("activity left out: the key has no scope read:activity");
  expect(lines).toContain("rewards left out: the key has no scope read:rewards");
  for (const name of ["day-ratings", "members"])
    expect(file(`${name}.csv`).trimEnd().split("\r\n"), name).toHaveLength(2);
  expect(readdirSync(folder)).not.toContain("rewards.csv");
});

test("export all makes the folder; a list that fails ends it, and what stands there is whole", async () => {
  const parts = `${folder}/made/here`;
  const all = () => exportTo("made/here", ["all", "--format", "json", "--gzip"], first.key);
  // The key and two lists are answered, the third list is refused.
  proxy.faults = [undefined, undefined, undefined, status(400)];
  await expect(all()).rejects.toThrow("400 Not now");
  expect(readdirSync(parts).sort()).toEqual(["members.json.gz", "teams.json.gz"]);
  expect((await all()).lines).toEqual([]);
  expect(readdirSync(parts).sort()).toEqual(names.map((name) => `${name}.json.gz`).sort());
  const rows = JSON.parse(String(gunzipSync(readFileSync(`${parts}/rewards.json.gz`))));
  expectRows(rows, await list("/rewards?limit=1000&include=external_id", first.key));
  // Where no folder can be made.
  await expect(exportTo("../../proc/none", ["all"], first.key)).rejects.toThrow(/ENOENT|EPERM|EROFS|EACCES/);
});

test.each([
  ["all", "taken", "/taken is a file: a folder is needed"],
  ["members", "folder.csv", "/folder.csv is not a file"],
  ["members", "none/year.json", "There is no folder "],
])("export %s --out %s is refused with the reason", async (name, out, problem) => {
  writeFileSync(`${folder}/taken`, "");
  mkdirSync(`${folder}/folder.csv`);
  const message = expect.stringContaining(problem);
  await expect(exportTo(out, [name], first.key)).rejects.toMatchObject({ exitCode: 2, message });
});

/** The key of a company with kudos in these categories: one of the first, two of the second, and so on; and with moods. */
async function companyWith(...categories: string[]) {
  const { company, key } = await companyOfTest("Totals", ["read:activity", "read:analytics"]);
  const { id } = company;
  await sql`insert into app.day_ratings (company_id, rating, created_at) select ${id}, unnest('{3, 4}'::int[]), '2026-10-05Z'`;
  await sql`
    with named as (select gen_random_uuid() as id, * from unnest(${categories}::text[]) with ordinality as given (name, n)),
    made as (insert into app.categories (company_id, id) select ${id}, id from named),
    called as (insert into app.category_names select ${id}, id, 'en', name from named)
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select ${id}, m.id, m.id, named.id, '', '2026-10-31 23:30Z'
    from app.members as m, named, generate_series(1, named.n) where m.company_id = ${id}`;
  return key;
}

const sinceOctober = ["--since", "2026-10-01"];

test("totals in a file are what the API sends; a name with = is text in Excel; half an answer is repeated", async () => {
  const key = await companyWith("Plain", "=1+1");
  const query = "/kudos/counts?by=month,category&since=2026-10-01&time_zone=Europe/Berlin";
  const args = ["kudos/counts", "--by", "month", "--by", "category", ...sinceOctober, "--time-zone", "Europe/Berlin"];
  proxy.faults = [undefined, half, cut];
  expect((await exportTo("counts.csv", args, key)).pauses).toEqual([1000, 2000]);
  expect(file("counts.csv")).toBe(await (await call(`${query}&format=csv`, key)).text());
  expect(file("counts.csv")).toMatch(/^month,.*\r\n2026-11-01,.*,=1\+1,2\r\n2026-11-01,.*,Plain,1\r\n$/);
  await exportTo("counts.json", args, key);
  expect(JSON.parse(file("counts.json"))).toEqual(await (await call(query, key)).json());
  const { outcomes } = await exportTo("excel.csv", [...args, "--excel"], key);
  expect(file("excel.csv")).toMatch(/^\ufeffmonth,.*,'=1\+1,2\r\n/s);
  expect(outcomes).toEqual([`${folder}/excel.csv: 2 rows, time zone Europe/Berlin`]);
});

test.each(totals)("$path takes every parameter of the endpoint, and no other answer for rows", async (total) => {
  const taken = total.parameters.filter(({ name }) => name !== "format");
  const args = taken.flatMap(({ name, kind }) =>
    kind === "true" ? [`--${name}`] : [`--${name.replace("_", "-")}`, "x"],
  );
  const name = total.path.slice(1);
  proxy.faults = [undefined, page("[]")];
  await exportTo("none.json", [name, ...args]);
  const sent = new URLSearchParams(proxy.requests[1]?.path.split("?")[1]);
  expect([...sent.keys()].sort()).toEqual([...taken.map(({ name }) => name), "format"].sort());

  for (const [ending, body, problem] of [
    ["json", '[{"error":"no"}]', "a row without a count"],
    ["csv", "<p>Sign in</p>\r\n", "the CSV is not whole"],
  ]) {
    proxy.faults = [undefined, ...Array(6).fill(page(body ?? ""))];
    await expect(exportTo(`none.${ending}`, [name])).rejects.toThrow(problem);
  }
});

/** Runs public-data-api in a terminal. */
const inTerminal = async (args: string[], key: string) => {
  const { code, stdout } = await runOnTerminal(args, folder, { ...environment(key), NO_COLOR: "1", TERM: "xterm" });
  return { code, lines: stdout.replaceAll("\r\u001b[K", "").split(/\r+\n/) };
};

test("a terminal shows totals as a table without IDs, whatever their names are, unless a format is asked for", async () => {
  const key = await companyWith("Zoë", "漢字 👍", "\u001b[31mred");
  const args = ["export", "activity/counts", ...sinceOctober];
  expect(await inTerminal([...args, "--by", "month,category"], key)).toEqual({
    code: 0,
    lines: [
      "month       category       kudos",
      "2026-10-01  \\u001b[31mred      3",
      "2026-10-01  漢字 👍            2",
      "2026-10-01  Zoë                1",
      "-: 3 rows, time zone UTC",
      "",
    ],
  });
  const moods = await inTerminal(["export", "day-ratings/averages", ...sinceOctober], key);
  expect(moods.lines.slice(0, 2)).toEqual(["month       ratings  average", "2026-10-01        2  3.5"]);
  const csv = await inTerminal([...args, "--format", "csv", "--out", "-"], key);
  expect(csv.lines.slice(0, 2)).toEqual(["month,kudos", "2026-10-01,6"]);
  const lines = [expect.stringContaining("--out must say where to"), expect.anything(), ""];
  expect(await inTerminal([...args, "--format", "csv"], key)).toEqual({ code: 2, lines });
  const { stdout } = await shell(`export activity/counts --out - | cat`, key);
  expect(stdout).toBe("month,kudos\r\n2026-10-01,6\r\n");
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

/** Exports the year to a path in the folder. Returns the lines about problems. */
const exportYear = async (out = "year.json") => (await exportTo(out, ["activity", ...of2026])).lines;

const incomplete = /^year\.incomplete-[0-9a-f]{8}\.json$/;

test("the file is on the disk before it gets its name, and so is the name at the end", async () => {
  const handle = await open(folder);
  const prototype: typeof handle = Object.getPrototypeOf(handle);
  await handle.close();
  const { sync } = prototype;
  const synced: [name: string, size: number][][] = [];
  const spy = vi.spyOn(prototype, "sync").mockImplementation(function (this: typeof handle) {
    synced.push(readdirSync(folder).map((name) => [name, statSync(`${folder}/${name}`).size]));
    return sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  await exportYear();
  const { size } = statSync(`${folder}/year.json`);
  expect(synced).toEqual([[[expect.stringMatching(incomplete), size]], [["year.json", size]]]);
});

/** Starts an export in a process of its own. */
const startExport = (before: string[] = []) =>
  startCli(["export", "activity", ...of2026, "--out", "year.json"], folder, proxy, year.key, before);

/** A write beyond so many kilobytes fails, as on a full disk. */
const endOnFullDisk = () => startExport(["bash", "-c", 'ulimit -f 100; exec "$@"', "bash"]).ended;

/**
 * Ends an export after its first page, while the request for the next page has no answer.
 * @param meanwhile is done before that
 */
async function endAfterPage(signal: NodeJS.Signals = "SIGKILL", meanwhile = async () => {}) {
  const before = proxy.requests.length;
  // The first request asks which company the key belongs to.
  proxy.faults = [undefined, undefined, () => {}];
  const { kill } = startExport();
  await expect.poll(() => proxy.requests.length).toBe(before + 3);
  await meanwhile();
  return await kill(signal);
}

test("two exports to one file at once both end, and the last one is there; after a kill its unfinished file stays", async () => {
  await endAfterPage("SIGKILL", async () => {
    expect(readdirSync(folder)).toEqual([expect.stringMatching(incomplete)]);
    expect(await Promise.all([exportYear(), exportYear()])).toEqual([[], []]);
    expectRows(JSON.parse(file("year.json")), year.rows);
  });
  expect(readdirSync(folder)).toEqual([expect.stringMatching(incomplete), "year.json"]);
});

test.each([
  ["SIGINT", 130, "Stopped by SIGINT\n", () => endAfterPage("SIGINT")],
  ["SIGTERM", 143, "Stopped by SIGTERM\n", () => endAfterPage("SIGTERM")],
  ["a full disk", 1, "The file cannot be opened or written: file too large (EFBIG)\n", () => endOnFullDisk()],
] as const)("%s leaves nothing, and the older file as it was", async (_how, code, output, end) => {
  writeFileSync(`${folder}/year.json`, "older");
  expect(await end()).toEqual({ code, output });
  expect(readdirSync(folder)).toEqual(["year.json"]);
  expect(file("year.json")).toBe("older");
});

test("only the owner may read a new file; an older file keeps its mode, and a link its target", async () => {
  const modeOf = (file: string) => (statSync(`${folder}/${file}`).mode & 0o777).toString(8);
  await endAfterPage();
  for (const file of readdirSync(folder)) expect(modeOf(file), file).toBe("600");
  await exportYear();
  expect(modeOf("year.json")).toBe("600");

  mkdirSync(`${folder}/elsewhere`);
  writeFileSync(`${folder}/elsewhere/target.json`, "older", { mode: 0o640 });
  symlinkSync("elsewhere/target.json", `${folder}/link.json`);
  await exportYear("link.json");
  expectRows(JSON.parse(file("elsewhere/target.json")), year.rows);
  expect(modeOf("elsewhere/target.json")).toBe("640");

  symlinkSync("nothing.json", `${folder}/broken.json`);
  const message = `${folder}/broken.json is a link to a file that doesn't exist`;
  await expect(exportYear("broken.json")).rejects.toMatchObject({ exitCode: 2, message });
});
