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
  // Outside a terminal, for the log of a nightly job.
  expect(again).toEqual({ code: 0, stdout: "many.csv: 1234 rewards imported\n", stderr: "" });
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

const separated = ["1.000", "12.345", "1.234.567", "1 000", "1'000", "1\u00a0000", "1,000"];
const points = "points_cost must be a number of 0 or more";

const badCsv = `external_id,name,points_cost,description
1,Good,1,
2,"Two
lines",-1,

3,Three,"1,000",
1,Again,5,
4,Four
,Nameless,1,
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
    [
      "external_id;name;points_cost",
      ...separated.map((cell, index) => `${index};Reward;${cell}`),
      ...["9;Good;0.125", "10;Good;1000", "11;Bad;4999,5", "12;Bad;0,5", "13;Bad;1.23457E+15", "14;Bad;5\u00a0"],
    ].join("\n"),
    [
      ...[2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 14].map((line) => `:${line}: ${points}`),
      'points_cost has no thousands separator: write 1000, not "1.000"',
      'points_cost has a decimal point: write 4999.5, not "4999,5"',
      'A spreadsheet has cut a long number: "1.23457E+15"; take the file from before, and format that column as text',
      'points_cost is the number alone: write 5, not "5\\u00a0"',
    ],
  ],
  [
    "bad.csv",
    badCsv,
    [
      `:3: ${points}`,
      `:6: ${points}`,
      ":7: external_id must be unique in the file, line 2 has it too",
      `:8: ${points}`,
      ":9: external_id must be a string of 1 to 255 characters",
      ":10: description must be a string of up to 2000 characters or null",
      'points_cost has no thousands separator: write 1000, not "1,000"',
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
  const lines = problems.map((problem) => (problem.startsWith(":") ? `${folder}/${name}${problem}` : problem));
  const message = [...lines, "Nothing was sent"].join("\n");
  await expect(importFile(name, content)).rejects.toMatchObject({ exitCode: 1, message });
  expect(proxy.requests).toEqual([]);
});

test("an id that a spreadsheet or a keyboard has damaged is refused with its line, and what nobody sees is escaped", async () => {
  const shortened = ["1.23457E+15", "1,23457E+15", "1E+05"];
  const marked = ['="00123"', '"00123"', "'00123", "=A1"];
  const ends = [" 5", "5 ", "5\u00a0", "\u200b5", "5\ufeff", "5\u3164", "5\u2800", "5\t"];
  const good = ["00123", "1E5", "a b", "a'b", "5E", "漢字"];
  const ids = [...shortened, ...marked, ...ends, ...good];
  const rows = ids.map((external_id) => ({ external_id, name: "Reward", points_cost: 1 }));
  const escaped = [" 5", "5 ", "5\\u00a0", "\\u200b5", "5\\ufeff", "5\\u3164", "5\\u2800", "5\\t"];
  const problems = [
    ...shortened.map(() => "external_id must be whole"),
    ...marked.map(() => "external_id must be the id alone"),
    ...escaped.map((id) => `external_id must not begin or end with a blank or an invisible character: "${id}"`),
  ];
  const message = [
    ...problems.map((problem, index) => `${folder}/ids.csv:${index + 2}: ${problem}`),
    'A spreadsheet has cut a long number: "1.23457E+15"; take the file from before, and format that column as text',
    'A spreadsheet marks text: take the marks away from "=\\"00123\\""',
    "Nothing was sent",
  ].join("\n");
  await expect(importFile("ids.csv", papaparse.unparse(rows))).rejects.toMatchObject({ exitCode: 1, message });
  // No spreadsheet has had a JSON file in its hands.
  await importFile("ids.json", JSON.stringify(rows));
  expect(await stored()).toHaveLength(ids.length);
});

test("more than 20 bad lines are summed up, with each hint once", async () => {
  const rows = Array.from({ length: 2248 }, (_, n) => `${n < 30 ? "" : n};Reward;1.000`);
  const id = "external_id must be a string of 1 to 255 characters";
  const message = [
    ...Array.from({ length: 20 }, (_, n) => `${folder}/all.csv:${n + 2}: ${id}; ${points}`),
    "and 2228 more bad lines: external_id in 10, points_cost in 2228",
    'points_cost has no thousands separator: write 1000, not "1.000"',
    "Nothing was sent",
  ].join("\n");
  const all = ["external_id;name;points_cost", ...rows].join("\n");
  await expect(importFile("all.csv", all)).rejects.toMatchObject({ exitCode: 1, message });
});

test("rows with nothing in any cell are skipped and counted, and cells that are missing at the end of a row are empty", async () => {
  const rows = ["1,One,1", ",,,,", "2,Two,2,,", " ,,\u00a0,,", '3,Three,3,"a, b"', ",", ",,,,"];
  const { lines, done } = await importFile(
    "sheet.csv",
    ["external_id,name,points_cost,description,reward_type", ...rows, ""].join("\r\n"),
  );
  expect(lines).toEqual([`${folder}/sheet.csv: 4 rows skipped: they have nothing in any cell`]);
  expect(done).toBe(`${folder}/sheet.csv: 3 rewards imported`);
  expect((await stored()).map(({ description }) => description)).toEqual([null, null, "a, b"]);
});

test("a file of export --excel is recognised by its escaped formulas", async () => {
  const { key } = customer;
  await sql`
    insert into app.rewards (company_id, external_id, name, points_cost)
    values (${customer.company.id}, '1', '=1+1', 1), (${customer.company.id}, '2', 'Mug', 1)`;
  const file = `${folder}/excel.csv`;
  await runHere(exportCommand, ["rewards", "--excel", "--out", file], proxy.url, key);
  await expect(importFile("excel.csv")).rejects.toMatchObject({
    exitCode: 1,
    message: expect.stringMatching(
      /excel.csv:\d: name must not begin with "'="\nA file of export --excel is for reading: export without --excel, and import that file\nNothing was sent$/,
    ),
  });
});

const form = "Save it as CSV in UTF-8 (in Excel: File, Save as, CSV UTF-8; in LibreOffice: File, Save as, Text CSV)";
const euro = (encoding: BufferEncoding) => Buffer.from("external_id,name,points_cost\n1,Käse,1\n", encoding);

test.each<[string, string | Buffer, string]>([
  [
    "column.csv",
    "External_ID\u200b,nom,,name,name,\n1,a\n",
    [
      'there is no field "External_ID\\u200b": write external_id',
      'there is no field "nom": a reward has external_id, name, description, points_cost, reward_type',
      "2 of 6 columns have no name: delete them, or the commas",
      '"name" must be given once',
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
  ["rewards.xlsx", "PK", `rewards.xlsx is a workbook. ${form}`],
  ["renamed.csv", "PK\u0003\u0004", `renamed.csv: it is a workbook. ${form}`],
  ["rewards.txt", "", "The file must end in .csv or .json"],
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
  expect(dry).toEqual({ code: 0, stdout: "many.csv: 1234 rewards, all good; nothing was sent\n", stderr: "" });
  await expect(importFile("bad.csv", badCsv, "--dry-run")).rejects.toThrow("bad.csv:3: ");
  expect(await stored()).toEqual([]);
});
