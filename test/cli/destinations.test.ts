// Where public-data-api export can write to: a pipe, a compressed file, a folder with all lists, and a file to which
// new rows are added.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import papaparse from "papaparse";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { root } from "../../scripts/stack/process.ts";
import { environment, run, workFolder } from "../support/command_line.ts";
import { newCompany } from "../support/companies.ts";
import { call, expectRows, first, list, type Row, sql } from "../support/stack.ts";
import { type Customer, makeCrowd, makeYear, type Year } from "./connect/year.ts";

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

/** Adds kudos to a company that already has some. */
async function addKudos({ company }: Customer, message: string, ...times: string[]): Promise<void> {
  await sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select company_id, sender_id, receiver_id, category_id, ${message}, t.created_at
    from (select * from app.kudos where company_id = ${company.id} limit 1) as k, unnest(${times}::timestamptz[]) as t (created_at)`;
}

const everyRow = (key: string): Promise<Row[]> => list("/activity?limit=1000", key);

test.each(["kudos.csv", "kudos.json", "kudos.json.gz"])("--since-last puts what is new in front of %s", async (out) => {
  const crowd = await makeCrowd(10);
  const { key } = crowd;
  const nightly = async () => {
    const { code, stderr } = await run("export", folder, key, "activity", "--since-last", "--out", out);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    const content = String(out.endsWith(".gz") ? gunzipSync(read(out)) : read(out));
    const rows: Row[] = out.includes(".json")
      ? JSON.parse(content)
      : papaparse.parse<Row>(content.trimEnd(), { header: true, newline: "\r\n" }).data;
    return { content, ids: rows.map(({ id }) => id) };
  };
  const expected = async () => (await everyRow(key)).map(({ id }) => id);
  try {
    expect((await nightly()).ids).toEqual(await expected());
    // One row at the time of the newest row, and two later ones. Further below follows a row a moment earlier than the
    // newest one, as if its transaction committed late.
    await addKudos(crowd, "new", "2026-06-15 12:00Z", "2026-06-16 12:00Z", "2026-06-16 12:01Z");
    const second = await nightly();
    expect(new Set(second.ids)).toEqual(new Set(await expected()));
    expect(second.ids).toHaveLength(13);
    expect((await nightly()).content, "nothing is new").toBe(second.content);
    await addKudos(crowd, "late", "2026-06-16 12:00:59Z");
    expect((await nightly()).ids).toHaveLength(14);

    // The file was moved away, so the next one has only what is new since then.
    renameSync(`${folder}/${out}`, `${folder}/taken`);
    await addKudos(crowd, "newest", "2026-06-17Z");
    expect((await nightly()).ids).toEqual((await expected()).slice(0, 1));
    expect(readdirSync(folder).sort()).toEqual(["activity.state.json", out, "taken"].sort());
  } finally {
    await crowd.company.remove();
  }
});

test("--since-last begins anew for another company, other filters and another format", async () => {
  const [crowd, other] = await Promise.all([makeCrowd(3), makeCrowd(4)]);
  const nightly = async (key: string, ...args: string[]) => {
    expect((await run("export", folder, key, "activity", "--since-last", ...args)).code).toBe(0);
  };
  await sql`update app.companies set name = 'Other' where id = ${other.company.id}`;
  try {
    await nightly(crowd.key, "--out", "a.json");
    await nightly(other.key, "--out", "b.json");
    expect(JSON.parse(String(read("b.json")))).toHaveLength(4);
    await nightly(crowd.key, "--out", "c.csv");
    expect(String(read("c.csv")).trimEnd().split("\r\n")).toHaveLength(4);
    const [row] = await sql`select category_id from app.kudos where company_id = ${crowd.company.id}`;
    await nightly(crowd.key, "--category_id", row?.category_id, "--out", "d.json");
    expect(JSON.parse(String(read("d.json")))).toHaveLength(3);
    await nightly(crowd.key, "--out", "e.json");
    expect(JSON.parse(String(read("e.json")))).toHaveLength(0);
  } finally {
    await Promise.all([crowd, other].map(({ company }) => company.remove()));
  }
});

test("--since-last knows a file that it finished in the moment in which it was killed", async () => {
  const crowd = await makeCrowd(3);
  const keep = () => run("export", folder, crowd.key, "activity", "--since-last", "--out", "kudos.csv");
  const state = (): Record<string, object> => JSON.parse(String(read("activity.state.json")));
  try {
    await keep();
    const first = state();
    await addKudos(crowd, "new", "2026-06-16 12:00Z");
    await keep();
    const [content, second] = [read("kudos.csv"), state()];
    const unfinished = "kudos.incomplete.csv";
    const killed = Object.entries(first).map(([job, entry]) => [
      job,
      { ...entry, next: { ...second[job], unfinished } },
    ]);
    writeFileSync(`${folder}/activity.state.json`, JSON.stringify(Object.fromEntries(killed)));
    expect(await keep()).toMatchObject({ code: 0, stderr: "" });
    expect(read("kudos.csv").equals(content)).toBe(true);
  } finally {
    await crowd.company.remove();
  }
});

test("--since-last puts rows in front of its own file only, as it left it", async () => {
  const [crowd, other] = await Promise.all([makeCrowd(3), makeCrowd(4)]);
  const keep = (key: string, out: string) => run("export", folder, key, "activity", "--since-last", "--out", out);
  await sql`update app.companies set name = 'Other' where id = ${other.company.id}`;
  try {
    await keep(crowd.key, "kudos.csv");
    const before = read("kudos.csv");
    const { code, stderr } = await keep(other.key, "kudos.csv");
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        "kudos.csv belongs to an export of another company, address, format or filter. Choose another --out, or move the file\n",
    });
    expect(read("kudos.csv").equals(before)).toBe(true);

    // This company has nothing new. If the export took over a file that it finds, rows would be missing in it.
    await keep(crowd.key, "later.csv");
    const moved = "has changed since the last export with --since-last. Move the file, and export again\n";
    expect(await keep(crowd.key, "kudos.csv")).toMatchObject({ code: 2, stderr: `kudos.csv ${moved}` });
    await run("export", folder, crowd.key, "activity", "--since", "2026-06-01", "--out", "later.csv");
    expect(await keep(crowd.key, "later.csv")).toMatchObject({ code: 2, stderr: `later.csv ${moved}` });
    expect(read("later.csv").equals(before)).toBe(true);
    rmSync(`${folder}/later.csv`);
    for (const night of [1, 2]) expect(await keep(other.key, "later.csv"), `night ${night}`).toMatchObject({ code: 0 });
    expect((await keep(crowd.key, "later.csv")).code).toBe(2);
  } finally {
    await Promise.all([crowd, other].map(({ company }) => company.remove()));
  }
});
