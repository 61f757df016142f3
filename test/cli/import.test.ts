// public-data-api import (docs/connect/command-line.md): files as spreadsheets and exports write them, the line of each
// problem, and a service that misbehaves.
import { writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import papaparse from "papaparse";
import { beforeEach, expect, test } from "vitest";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { importCommand } from "../../cli/src/commands/import.ts";
import { withEvenLines } from "../../cli/src/even_lines.ts";
import { environment, run } from "../support/command_line.ts";
import { newCompany } from "../support/companies.ts";
import { type Row, sql } from "../support/stack.ts";
import { forAllTests } from "./connect/companies.ts";
import { dropped, folderAndProxy, half, runHere, status } from "./faulty_proxy.ts";

const { folder, proxy } = await folderAndProxy();
const customer = await forAllTests(async () => {
  const company = await newCompany("Import files");
  return { company, key: (await company.makeKey(["read:rewards", "write:rewards"])).api_key };
});
beforeEach(() => sql`delete from app.rewards where company_id = ${customer.company.id}`);

const stored = async (): Promise<Row[]> => [
  ...(await sql<Row[]>`
    select external_id, name, description, points_cost::int, reward_type from app.rewards
    where company_id = ${customer.company.id} order by points_cost, external_id`),
];

/** Imports a file of the folder through the proxy, and writes it before if it has a content. */
async function importFile(name: string, content?: string | Buffer, ...more: string[]) {
  if (content !== undefined) writeFileSync(`${folder}/${name}`, content);
  return await runHere(importCommand, [`${folder}/${name}`, ...more], proxy.url, customer.key);
}

const many = Array.from({ length: 1234 }, (_, n) => ({
  external_id: `sku-${n}`,
  name: `No. ${n}, "quoted"`,
  description: n % 3 === 0 ? `two\nlines ${"é".repeat(n % 50)}` : null,
  points_cost: n,
  reward_type: "perk",
}));

test("a CSV of 1234 rewards is imported whole, in three batches; a second time changes nothing", async () => {
  const { done } = await importFile("many.csv", papaparse.unparse(many));
  expect(done).toBe(`${folder}/many.csv: 1234 rewards imported`);
  expect(proxy.requests.slice(1).map(({ body }) => JSON.parse(body).length)).toEqual([500, 500, 234]);
  expect(await stored()).toEqual(many);
  const again = await run(["import", "many.csv"], folder, environment(customer.key));
  expect(again).toEqual({ code: 0, stdout: "", stderr: "" });
  expect(await stored()).toEqual(many);
});

test("JSON is imported the same; a batch whose answer was lost is sent again, and the catalogue is the same", async () => {
  proxy.faults = [undefined, undefined, half, status(429), dropped, undefined];
  const { pauses } = await importFile("many.json", JSON.stringify({ rewards: many }, null, 2));
  expect(pauses).toEqual([1000, 2000, 4000]);
  expect(await stored()).toEqual(many);
});

test("a refusal ends the import and says how much is written", async () => {
  proxy.faults = [undefined, undefined, status(403)];
  const message = "403 Not now\n500 of 1234 rewards are written";
  await expect(importFile("many.json", JSON.stringify(many))).rejects.toMatchObject({ exitCode: 3, message });
  expect(await stored()).toHaveLength(500);
});

test("what spreadsheets save is understood: a byte-order mark, semicolons, CRLF, empty lines, empty cells", async () => {
  await sql`
    insert into app.rewards (company_id, external_id, name, description, points_cost, reward_type)
    values (${customer.company.id}, '7', 'Old', 'kept', 1, 'gift')`;
  const header = "\ufeffexternal_id;name;description;points_cost;reward_type\r\n";
  await importFile("sheet.csv", `${header}7;Käse;;1.5;\r\n\r\n8;漢字;;2e2;gift\r\n`);
  expect(await stored()).toEqual([
    { external_id: "7", name: "Käse", description: "kept", points_cost: 2, reward_type: "gift" },
    { external_id: "8", name: "漢字", description: null, points_cost: 200, reward_type: "gift" },
  ]);
});

test("lines that end in CRLF, LF or CR, mixed, leave nothing in a cell; text between quotes is not changed", async () => {
  const mixed = [
    "external_id,name,points_cost,reward_type\r\n1,One,1,gift\n2,Two,2,gift\r\n",
    '3,"Three\r\nlines, ""quoted""",3,"gift"\r4,Four,4,gift\r\n\r\n5,Five,5,gift',
  ].join("");
  await importFile("mixed.csv", mixed);
  const names = ["One", "Two", 'Three\r\nlines, "quoted"', "Four", "Five"];
  expect((await stored()).map(({ name, reward_type }) => [name, reward_type])).toEqual(
    names.map((name) => [name, "gift"]),
  );
  // Cut into two parts at every position, so that each CRLF is also cut in two.
  for (let cut = 1; cut < mixed.length; cut++) {
    let even = "";
    for await (const part of withEvenLines(Readable.from([mixed.slice(0, cut), mixed.slice(cut)]))) even += part;
    expect(even).toBe(mixed.replace(/\r\n(?!lines)|\r(?!\n)/g, "\n"));
  }
});

const written = ["1.000", "12.345", "1.234.567", "1 000", "1'000", "1\u00a0000", "1,000"];
const separated = written.map((points, index) => `${index};Reward;${points}`);
const thousands = (points: string) =>
  `points_cost must be written without a thousands separator: ${points.replace(/\D/g, "")}, not ${points}`;

const badCsv = `external_id,name,points_cost,description
1,Good,1,
2,"Two
lines",-1,

3,Three,"1,000",
1,Again,5,
4,Four,
,,,
5,Five,1,${"x".repeat(2001)}`;

const badJson = `{
  "rewards": [
    { "external_id": "1", "name": "[{, \\"}", "points_cost": 1 },
    { "external_id": "2",
      "name": "x", "name": "y", "points_cost": "1" }, 7,

    { "external_id": "1", "name": "z", "points_cost": 1, "tags": [1, { "a": [2] }] },
    { "external_id": "3", "name": "good", "points_cost": 1 }
  ]
}`;

test.each<[string, string, string[]]>([
  [
    "points.csv",
    ["external_id;name;points_cost", ...separated, "9;Good;0.125", "10;Good;1000"].join("\n"),
    written.map((points, index) => `:${index + 2}: ${thousands(points)}`),
  ],
  [
    "bad.csv",
    badCsv,
    [
      ":3: points_cost must be a number of 0 or more",
      `:6: ${thousands("1,000")}`,
      ":7: external_id must be unique in the file, line 2 has it too",
      ":8: row must have 4 cells, it has 3",
      ":9: external_id must be a string of 1 to 255 characters; name must be a string of 1 to 255 characters; points_cost must be a number of 0 or more",
      ":10: description must be a string of up to 2000 characters or null",
    ],
  ],
  [
    "bad.json",
    badJson,
    [
      ":4: name must be given once; points_cost must be a number of 0 or more",
      ":5: row must be an object",
      ":7: external_id must be unique in the file, line 3 has it too; tags must be left out",
    ],
  ],
])("every problem of %s is named by its line in the file, and nothing is sent", async (name, content, problems) => {
  const message = [...problems.map((problem) => `${folder}/${name}${problem}`), "Nothing was sent"].join("\n");
  await expect(importFile(name, content)).rejects.toMatchObject({ exitCode: 1, message });
  expect(proxy.requests).toEqual([]);
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
      "the column points_cost is missing",
    ].join(`\n${folder}/column.csv:1: `),
  ],
  // Only a whole export may have the columns that an import does not write.
  ["half.csv", "id,external_id,name,points_cost\n1,1,One,1\n", 'half.csv:1: there is no field "id"'],
  ["sep.csv", "sep=;\nexternal_id;name;points_cost\n", "sep.csv:1: the line sep= is for Excel only: delete it"],
  ["latin.csv", euro("latin1"), `latin.csv: the text is not UTF-8, but Windows-1252 or so. ${form}`],
  ["utf16.csv", euro("utf16le"), `utf16.csv: the text is UTF-16. ${form}`],
  ["mark.json", Buffer.from("\ufeff漢", "utf16le"), `mark.json: the text is UTF-16. ${form}`],
  ["cut.csv", Buffer.concat([euro("utf8"), Buffer.of(0xc3)]), "cut.csv: the file is cut off"],
  ["quote.csv", 'external_id,name,points_cost\n1,"a,1\n', "Quoted field unterminated"],
  ["empty.csv", "", "empty.csv is empty"],
  ["none.csv", "external_id,name,points_cost\n", "none.csv has no rewards"],
  ["broken.json", '[{"external_id"', "broken.json: "],
  ["scalar.json", "7", "body must be a reward, an array of rewards"],
  ["rewards.xlsx", "PK", "The file must end in .csv or .json"],
])("%s is refused as a whole", async (name, content, problem) => {
  const message = expect.stringContaining(problem);
  await expect(importFile(name, content)).rejects.toMatchObject({ exitCode: 1, message });
  expect(proxy.requests).toEqual([]);
});

test.each(["rewards.csv.gz", "rewards.json"])("%s that was exported is imported as it is", async (file) => {
  const { company, key } = customer;
  await sql`
    insert into app.rewards (company_id, external_id, name, description, points_cost, reward_type, stock_count, is_archived)
    select ${company.id}, case when n > 3 then 'sku-' || n end, 'No. ' || n || ', "quoted"', case when n % 2 = 0 then E'two\r\nlines' end,
      n, 'gift', nullif(n, 7), n % 5 = 0
    from generate_series(1, 1200) as n`;
  const versions = () => sql`select *, xmin::text from app.rewards where company_id = ${company.id} order by id`;
  const before = { versions: await versions(), rows: await stored() };
  const args = ["rewards", "--include_archived", "--out", `${folder}/${file}`];
  await runHere(exportCommand, args, proxy.url, key);
  const { lines } = await importFile(file);
  expect(lines).toEqual([`${folder}/${file}: 3 rewards left out: they have no external_id`]);
  expect(await versions(), "not even a new version of a row").toEqual(before.versions);

  await sql`delete from app.rewards where company_id = ${company.id}`;
  await importFile(file);
  expect(await stored()).toEqual(before.rows.filter(({ external_id }) => external_id !== null));
});

test("--dry-run checks and sends nothing, and needs no key", async () => {
  writeFileSync(`${folder}/many.csv`, papaparse.unparse(many));
  const dry = await run(["import", "many.csv", "--dry-run"], folder, environment(undefined));
  expect(dry).toEqual({ code: 0, stdout: "", stderr: "" });
  await expect(importFile("bad.csv", badCsv, "--dry-run")).rejects.toThrow("bad.csv:3: ");
  expect(await stored()).toEqual([]);
});
