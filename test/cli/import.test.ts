// public-data-api import (docs/connect/command-line.md), against the running stack and through a proxy that misbehaves.
import { writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import papaparse from "papaparse";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { withEvenLines } from "../../cli/src/even_lines.ts";
import { checkFile, sendFile } from "../../cli/src/import_rewards.ts";
import type { Progress } from "../../cli/src/progress.ts";
import { run, workFolder } from "../support/command_line.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { type Row, sql } from "../support/stack.ts";
import { dead, half, type MoodyProxy, patient, startMoodyProxy, status } from "./moody_proxy.ts";

const folder = workFolder();
let company: TestCompany;
let key: string;
let proxy: MoodyProxy;
beforeAll(async () => {
  [company, proxy] = await Promise.all([newCompany("Import files"), startMoodyProxy()]);
  key = (await company.makeKey(["read:rewards", "write:rewards"])).api_key;
});
afterAll(() => Promise.all([proxy.close(), company.remove()]));
beforeEach(async () => {
  await sql`delete from app.rewards where company_id = ${company.id}`;
  proxy.requests.length = 0;
  proxy.moods = [];
});

const stored = (): Promise<Row[]> => sql<Row[]>`
  select external_id, name, description, points_cost::int, reward_type from app.rewards
  where company_id = ${company.id} order by points_cost, external_id`;

function write(name: string, content: string | Buffer): string {
  writeFileSync(`${folder}/${name}`, content);
  return `${folder}/${name}`;
}

const silent: Progress = { show: () => {}, done: () => {}, warn: () => {} };

const many = Array.from({ length: 1234 }, (_, n) => ({
  external_id: `sku-${n}`,
  name: `No. ${n}, "quoted"`,
  description: n % 3 === 0 ? `two\nlines ${"é".repeat(n % 50)}` : null,
  points_cost: n,
  reward_type: "perk",
}));
const manyAsCsv = papaparse.unparse(many);

test("a CSV of 1234 rewards is imported whole, in three batches", async () => {
  const file = write("many.csv", manyAsCsv);
  const connection = patient(proxy.url, key);
  expect(await sendFile(file, (await checkFile(file)).total, connection, silent)).toBe(1234);
  expect(proxy.requests.map(({ body }) => JSON.parse(body).length)).toEqual([500, 500, 234]);
  expect([...(await stored())]).toEqual(many);
});

test("the command is silent when all went well; a second time changes nothing", async () => {
  write("many.csv", manyAsCsv);
  for (let time = 1; time <= 2; time++) {
    const { code, stderr } = await run("import", folder, key, "many.csv");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  }
  expect(await stored()).toHaveLength(1234);
});

test.each([
  ["an array", JSON.stringify(many)],
  ["an object with rewards", JSON.stringify({ rewards: many }, null, 2)],
])("JSON, as %s, is imported the same", async (_, text) => {
  write("many.json", text);
  expect((await run("import", folder, key, "many.json")).code).toBe(0);
  expect([...(await stored())]).toEqual(many);
});

test("what spreadsheets save is understood: a byte-order mark, semicolons, CRLF, empty lines", async () => {
  write("sheet.csv", "\ufeffexternal_id;name;points_cost;reward_type\r\n7;Käse;1.5;\r\n\r\n8;漢字;2e2;gift\r\n");
  expect((await run("import", folder, key, "sheet.csv")).code).toBe(0);
  expect([...(await stored())]).toEqual([
    { external_id: "7", name: "Käse", description: null, points_cost: 2, reward_type: "perk" },
    { external_id: "8", name: "漢字", description: null, points_cost: 200, reward_type: "gift" },
  ]);
});

test("lines that end in CRLF, LF or CR, mixed, leave nothing in a cell; what stands between quotes stays", async () => {
  const mixed = [
    "external_id,name,points_cost,reward_type\r\n",
    "1,One,1,gift\n",
    "2,Two,2,gift\r\n",
    '3,"Three\r\nlines, ""quoted""",3,"gift"\r',
    "4,Four,4,gift\r\n",
    "\r\n",
    "5,Five,5,gift",
  ].join("");
  // The file is cut into two parts at every position, so that each CRLF is also cut in two.
  const expected = ["One", "Two", 'Three\r\nlines, "quoted"', "Four", "Five"].map((name, index) => ({
    external_id: String(index + 1),
    name,
    description: null,
    points_cost: index + 1,
    reward_type: "gift",
  }));
  write("mixed.csv", mixed);
  expect((await run("import", folder, key, "mixed.csv")).code).toBe(0);
  expect([...(await stored())]).toEqual(expected);

  for (let cut = 1; cut < mixed.length; cut++) {
    let even = "";
    for await (const part of withEvenLines(Readable.from([mixed.slice(0, cut), mixed.slice(cut)]))) even += part;
    expect(even).toBe(mixed.replace(/\r\n(?!lines)|\r(?!\n)/g, "\n"));
  }
});

test("what reads as a thousands separator is refused, with how to write it", async () => {
  const written = ["1.000", "12.345", "1.234.567", "1 000", "1'000", "1\u00a0000", "1,000"];
  const lines = written.map((points, index) => `${index};Reward;${points};`);
  write(
    "points.csv",
    ["external_id;name;points_cost;reward_type", ...lines, "9;Good;0.125;", "10;Good;1000;"].join("\n"),
  );
  const { code, stderr } = await run("import", folder, key, "points.csv");
  expect(code).toBe(1);
  expect(stderr.trimEnd().split("\n")).toEqual([
    ...written.map(
      (points, index) =>
        `points.csv:${index + 2}: points_cost must be written without a thousands separator: ${points.replace(/\D/g, "")}, not ${points}`,
    ),
    "Nothing was sent",
  ]);
  expect(await stored()).toHaveLength(0);
});

test("an empty cell is a field that was not sent: it keeps its value", async () => {
  await sql`
    insert into app.rewards (company_id, external_id, name, description, points_cost, reward_type)
    values (${company.id}, '7', 'Old', 'kept', 1, 'gift')`;
  write("cells.csv", "external_id,name,description,points_cost,reward_type\n7,New,,2,\n");
  expect((await run("import", folder, key, "cells.csv")).code).toBe(0);
  const kept = { external_id: "7", name: "New", description: "kept", points_cost: 2, reward_type: "gift" };
  expect([...(await stored())]).toEqual([kept]);
});

const badCsv = [
  "external_id,name,points_cost,description",
  "1,Good,1,",
  '2,"Two',
  'lines",-1,',
  "",
  '3,Three,"1,000",',
  "1,Again,5,",
  "4,Four,",
  ",,,",
  `5,Five,1,${"x".repeat(2001)}`,
];

test("every bad line of a CSV is named by its number in the file, and nothing is sent", async () => {
  write("bad.csv", badCsv.join("\n"));
  const { code, stderr } = await run("import", folder, key, "bad.csv");
  expect(code).toBe(1);
  expect(stderr.split("\n")).toEqual([
    "bad.csv:3: points_cost must be a number of 0 or more",
    "bad.csv:6: points_cost must be written without a thousands separator: 1000, not 1,000",
    "bad.csv:7: external_id must be unique in the file, line 2 has it too",
    "bad.csv:8: row must have 4 cells, it has 3",
    "bad.csv:9: external_id must be a string of 1 to 255 characters; name must be a string of 1 to 255 characters; points_cost must be a number of 0 or more",
    "bad.csv:10: description must be a string of up to 2000 characters or null",
    "Nothing was sent",
    "",
  ]);
  expect(await stored()).toHaveLength(0);
});

test("every bad row of a JSON file is named by the line on which it begins", async () => {
  const text = `{
  "rewards": [
    { "external_id": "1", "name": "[{, \\"}", "points_cost": 1 },
    { "external_id": "2",
      "name": "x", "name": "y", "points_cost": "1" }, 7,

    { "external_id": "1", "name": "z", "points_cost": 1, "tags": [1, { "a": [2] }] },
    { "external_id": "3", "name": "good", "points_cost": 1 }
  ]
}`;
  write("bad.json", text);
  const { code, stderr } = await run("import", folder, key, "bad.json");
  expect(code).toBe(1);
  expect(stderr.split("\n")).toEqual([
    "bad.json:4: name must be given once; points_cost must be a number of 0 or more",
    "bad.json:5: row must be an object",
    "bad.json:7: external_id must be unique in the file, line 3 has it too; tags must be left out",
    "Nothing was sent",
    "",
  ]);
  expect(await stored()).toHaveLength(0);
});

const form = "Save it as UTF-8 (in Excel: Save as, CSV UTF-8)";
const euro = (encoding: BufferEncoding) => Buffer.from("external_id,name,points_cost\n1,Käse,1\n", encoding);

test.each<[string, string | Buffer, string]>([
  [
    "column.csv",
    "External_ID,nom,,name,name,\n1,a\n",
    [
      'there is no field "External_ID": write external_id',
      'there is no field "nom": a reward has external_id, name, description, points_cost, reward_type',
      "2 of 6 columns have no name: delete them, or the commas",
      "name must be given once",
      "the column external_id is missing",
      "the column points_cost is missing\n",
    ].join("\ncolumn.csv:1: "),
  ],
  // Only a whole export may have the columns that an import does not write.
  ["half.csv", "id,external_id,name,points_cost\n1,1,One,1\n", 'half.csv:1: there is no field "id"'],
  ["sep.csv", "sep=;\nexternal_id;name;points_cost\n", "sep.csv:1: the line sep= is for Excel only: delete it\n"],
  ["latin.csv", euro("latin1"), `latin.csv: the text is not UTF-8, but Windows-1252 or so. ${form}\n`],
  ["utf16.csv", euro("utf16le"), `utf16.csv: the text is UTF-16. ${form}\n`],
  ["mark.json", Buffer.from("\ufeff漢", "utf16le"), `mark.json: the text is UTF-16. ${form}\n`],
  ["cut.csv", Buffer.concat([euro("utf8"), Buffer.of(0xc3)]), "cut.csv: the file is cut off"],
  ["quote.csv", 'external_id,name,points_cost\n1,"a,1\n', "Quoted field unterminated"],
  ["empty.csv", "", "empty.csv is empty"],
  ["none.csv", "external_id,name,points_cost\n", "none.csv has no rewards"],
  ["none.json", "[]", "none.json has no rewards"],
  ["broken.json", '[{"external_id"', "broken.json: "],
  ["scalar.json", "7", "body must be a reward, an array of rewards"],
  ["rewards.xlsx", "PK", "The file must end in .csv or .json"],
])("%s is refused as a whole", async (name, content, problem) => {
  write(name, content);
  const { code, stderr } = await run("import", folder, key, name);
  expect(code).toBe(1);
  expect(stderr).toContain(problem);
  expect(await stored()).toHaveLength(0);
});

test.each(["rewards.csv", "rewards.json", "rewards.csv.gz"])(
  "%s that was exported is taken back as it is",
  async (file) => {
    await sql`
    insert into app.rewards (company_id, external_id, name, description, points_cost, reward_type, stock_count, is_archived)
    select ${company.id}, case when n > 3 then 'sku-' || n end, 'No. ' || n || ', "quoted"', case when n % 2 = 0 then E'two\r\nlines' end,
      n, 'gift', nullif(n, 7), n % 5 = 0
    from generate_series(1, 1200) as n`;
    const all = () => sql`select *, xmin::text from app.rewards where company_id = ${company.id} order by id`;
    const before = await all();
    const args = [key, "rewards", "--include_archived", "--out", file] as const;
    expect(await run("export", folder, ...args)).toMatchObject({ code: 0, stderr: "" });
    const taken = await run("import", folder, key, file);
    expect(taken).toMatchObject({ code: 0, stderr: `${file}: 3 rewards left out: they have no external_id\n` });
    expect(await all(), "not even a new version of a row").toEqual(before);

    await sql`delete from app.rewards where company_id = ${company.id}`;
    expect((await run("import", folder, key, file)).code).toBe(0);
    expect([...(await stored())]).toEqual(
      before
        .filter(({ external_id }) => external_id !== null)
        .map(({ external_id, name, description, points_cost, reward_type }) => ({
          external_id,
          name,
          description,
          points_cost: Number(points_cost),
          reward_type,
        }))
        .sort((one, other) => one.points_cost - other.points_cost),
    );
  },
);

test("--dry-run checks and sends nothing, and needs no key", async () => {
  write("many.csv", manyAsCsv);
  const { code, stderr } = await run("import", folder, undefined, "many.csv", "--dry-run");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  write("bad.csv", badCsv.join("\n"));
  expect((await run("import", folder, undefined, "bad.csv", "--dry-run")).code).toBe(1);
  expect(await stored()).toHaveLength(0);
});

test("a batch whose answer was lost is sent again, and the catalogue is the same", async () => {
  const file = write("many.csv", manyAsCsv);
  proxy.moods = [undefined, half, status(429), dead, undefined];
  const connection = patient(proxy.url, key);
  expect(await sendFile(file, (await checkFile(file)).total, connection, silent)).toBe(1234);
  expect(connection.pauses).toEqual([1000, 2000, 4000]);
  expect([...(await stored())]).toEqual(many);
});

test("a refusal ends the import and says how much is written", async () => {
  const file = write("many.csv", manyAsCsv);
  proxy.moods = [undefined, status(403)];
  const connection = patient(proxy.url, key);
  await expect(sendFile(file, 1234, connection, silent)).rejects.toThrow(
    "403 Not now\n500 of 1234 rewards are written",
  );
  expect(await stored()).toHaveLength(500);
});

test.each([[[]], [["a.csv", "b.csv"]], [["a.csv", "--force"]]])("arguments %j get the usage", async (args) => {
  const { code, stderr } = await run("import", folder, key, ...args);
  expect(code).toBe(2);
  expect(stderr).toContain("public-data-api import --help");
});
