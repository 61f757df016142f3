// public-data-api import (docs/connect/command-line.md): files as spreadsheets and exports write them, the line of each
// problem, and a service that misbehaves.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import papaparse from "papaparse";
import { beforeEach, expect, test } from "vitest";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { importCommand } from "../../cli/src/commands/import.ts";
import { quoted } from "../../cli/src/errors.ts";
import { withEvenLines } from "../../cli/src/even_lines.ts";
import { root } from "../../scripts/stack/process.ts";
import { environment, main, run, runProgram } from "../support/command_line.ts";
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
  expect(done).toBe(`${folder}/many.csv: 1234 rewards imported: 1234 new, 0 changed, 0 unchanged`);
  expect(proxy.requests.slice(1).map(({ body }) => JSON.parse(body).length)).toEqual([500, 500, 234]);
  expect(await stored()).toEqual(many);
  const again = await run(["import", "many.csv"], folder, environment(customer.key));
  // Outside a terminal, for the log of a nightly job.
  expect(again).toEqual({
    code: 0,
    stdout: "many.csv: 1234 rewards imported: 0 new, 0 changed, 1234 unchanged\n",
    stderr: "",
  });
  expect(await stored()).toEqual(many);
});

test("JSON is imported the same; a batch whose answer was lost is sent again, and the catalogue is the same", async () => {
  proxy.faults = [undefined, undefined, half, status(429), dropped, undefined];
  const { pauses, lines } = await importFile("many.json", JSON.stringify({ rewards: many }, null, 2));
  expect(pauses).toEqual([1000, 2000, 4000]);
  expect(lines).toContain(
    `${folder}/many.json: 500 rewards were sent again after a lost answer; new ones may count as unchanged`,
  );
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
      ...separated.map(
        (cell, index) =>
          `:${index + 2}: ${points}: ${JSON.stringify(cell.replace("\u00a0", "\\u00a0")).replace("\\\\", "\\")}`,
      ),
      ...["4999,5", "0,5", "1.23457E+15", "5\\u00a0"].map((cell, index) => `:${index + 11}: ${points}: "${cell}"`),
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
      `:3: ${points}: "-1"`,
      `:6: ${points}: "1,000"`,
      ":7: external_id must be unique in the file, line 2 has it too",
      `:8: ${points}: ""`,
      ':9: external_id must be a string of 1 to 255 characters: ""',
      `:10: description must be a string of up to 2000 characters or null: "${"x".repeat(63)}…"`,
      'points_cost has no thousands separator: write 1000, not "1,000"',
    ],
  ],
  [
    "bad.json",
    badJson,
    [
      ':4: row must not have a field twice; points_cost must be a number of 0 or more: "1"',
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
  const wrong: [cell: string, words: string, shown?: string][] = [
    ...["1.23457E+15", "1,23457E+15", "1E+05"].map((id): [string, string] => [id, "must be whole"]),
    ...['="00123"', '"00123"', "'00123", "=A1", "90001.0"].map((id): [string, string] => [id, "must be the id alone"]),
    ...["#N/A", "#REF!", "#NAME?"].map((id): [string, string] => [id, "must not be the error of a formula"]),
    ...[" 5", "5 ", "5\u00a0", "\u200b5", "5\ufeff", "5\u3164", "5\u2800", "5\t"].map((id): [string, string] => [
      id,
      "must not begin or end with a blank or an invisible character",
    ]),
  ];
  const good = ["00123", "1E5", "a b", "a'b", "5E", "漢字", "1.5", "#1", "90001.00"];
  const ids = [...wrong.map(([id]) => id), ...good];
  const rows = ids.map((external_id) => ({ external_id, name: "Reward", points_cost: 1 }));
  const message = [
    ...wrong.map(([id, words], index) => `${folder}/ids.csv:${index + 2}: external_id ${words}: ${quoted(id)}`),
    'A spreadsheet has cut a long number: "1.23457E+15"; take the file from before, and format that column as text',
    'A spreadsheet marks text: take the marks away from "=\\"00123\\""',
    'A program has made numbers of the ids: write 90001, not "90001.0"; in pandas, read the column with dtype=str',
    "Nothing was sent",
  ].join("\n");
  await expect(importFile("ids.csv", papaparse.unparse(rows))).rejects.toMatchObject({ exitCode: 1, message });
  // No spreadsheet has had a JSON file in its hands.
  await importFile("ids.json", JSON.stringify(rows));
  expect(await stored()).toHaveLength(ids.length);
});

test("more than 20 bad lines are summed up, with each hint once", async () => {
  const rows = Array.from({ length: 2248 }, (_, n) => `${n < 30 ? "" : n};Reward;1.000`);
  const id = 'external_id must be a string of 1 to 255 characters: ""';
  const message = [
    ...Array.from({ length: 20 }, (_, n) => `${folder}/all.csv:${n + 2}: ${id}; ${points}: "1.000"`),
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
  expect(done).toBe(`${folder}/sheet.csv: 3 rewards imported: 3 new, 0 changed, 0 unchanged`);
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
      /excel.csv:\d: name must not begin with "'=": "'=1\+1"\nA file of export --excel is for reading: export without --excel, and import that file\nNothing was sent$/,
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
      'there is no field "External_ID": write external_id',
      'there is no field "nom"',
      "2 of 6 columns have no name: delete them, or the commas",
      '"name" must be given once',
      "the column external_id is missing",
      "the column points_cost is missing",
      '--map "<heading>=<field>" gives a heading one of external_id, description, points_cost, reward_type, is_archived, stock_count, image_url, vendor_name; --map "<heading>=" leaves its column out',
    ].join(`\n${folder}/column.csv:1: `),
  ],
  // Only a whole export may have the columns that an import does not write.
  ["half.csv", "id,external_id,name,points_cost\n1,1,One,1\n", 'half.csv:1: there is no field "id"'],
  ["lines.json", '{"external_id":"1"}\n{"external_id":"2"}\n', "lines.json: JSON Lines are not supported"],
  ["latin.csv", euro("latin1"), `latin.csv: the text is not UTF-8, but Windows-1252 or so. ${form}`],
  ["utf16.csv", euro("utf16le"), `utf16.csv: the text is UTF-16. ${form}`],
  ["mark.json", Buffer.from("\ufeff漢", "utf16le"), `mark.json: the text is UTF-16. ${form}`],
  ["cut.csv", Buffer.concat([euro("utf8"), Buffer.of(0xc3)]), "cut.csv: the file is cut off"],
  ["quote.csv", 'external_id,name,points_cost\n1,"a,1\n', "Quoted field unterminated"],
  ["empty.csv", "", "empty.csv is empty"],
  ["none.csv", "external_id,name,points_cost\n", "none.csv has no rewards"],
  ["broken.json", '[{"external_id"', "broken.json is not valid JSON: "],
  ["scalar.json", "7", "body must be a reward, an array of rewards"],
  ["twice.json", '{"rewards":[{"a":{"a":[]}}],"rewards":[]}', "twice.json: rewards must be given once"],
  ["deep.json", "[".repeat(200_000) + "]".repeat(200_000), "deep.json:1: row must be an object"],
  [
    "half.json",
    '[7,\n"x",\n{"name":"\\ud83d","external_id":"1","points_cost":1}]',
    "half.json:3: name must be text without NUL",
  ],
  ["rewards.xlsx", "PK", `rewards.xlsx is a workbook. ${form}`],
  ["renamed.csv", "PK\u0003\u0004", `renamed.csv: it is a workbook. ${form}`],
  ["cut.json", "{", "cut.json is not valid JSON: "],
  ["plain.csv.gz", "external_id,name", "plain.csv.gz is not a whole gzip file: "],
])("%s is refused as a whole", async (name, content, problem) => {
  const message = expect.stringContaining(problem);
  await expect(importFile(name, content)).rejects.toMatchObject({ exitCode: 1, message });
  expect(proxy.requests).toEqual([]);
});

test.each(["gone.csv", "gone.json"])(
  "without the file %s the import says so, with the exit code of a wrong argument",
  async (name) => {
    const error = { exitCode: 2, message: `There is no ${folder}/${name}` };
    await expect(importFile(name)).rejects.toMatchObject(error);
    mkdirSync(`${folder}/${name}`);
    const message = `${folder}/${name} is a folder: a file is needed`;
    await expect(importFile(name)).rejects.toMatchObject({ exitCode: 2, message });
  },
);

test("a file with another ending is a wrong argument", async () => {
  const error = { exitCode: 2, message: expect.stringContaining("rewards.txt must end in .csv or .json") };
  await expect(importFile("rewards.txt", "")).rejects.toMatchObject(error);
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
  await importFile(file, undefined, "--as-new");
  expect(await stored()).toEqual(before.rows.filter(({ external_id }) => external_id !== null));
});

test("--dry-run without a key checks the file and says that nobody was asked", async () => {
  writeFileSync(`${folder}/many.csv`, papaparse.unparse(many));
  const dry = await run(["import", "many.csv", "--dry-run"], folder, environment(undefined));
  const asked = "each good by itself; without PUBLIC_API_KEY nobody was asked what would change";
  expect(dry).toEqual({ code: 0, stdout: `many.csv: 1234 rewards, ${asked}\n`, stderr: "" });
  await expect(importFile("bad.csv", badCsv, "--dry-run")).rejects.toThrow("bad.csv:3: ");
  expect(proxy.requests).toEqual([]);
});

test("--dry-run says what would be new, and what would change, field by field; --report writes all of it to a file", async () => {
  await importFile("many.csv", papaparse.unparse(many.filter((_, n) => n % 100 !== 7)));
  const before = await stored();
  const changed = many.map((reward, n) =>
    n % 40 === 0 ? { ...reward, name: "=Other", description: reward.description && "", points_cost: n + 1 } : reward,
  );
  const dry = (...more: string[]) =>
    importFile("many.csv", papaparse.unparse(changed.toReversed()), "--dry-run", ...more);
  const counts = `${folder}/many.csv: 1234 rewards, nothing was written: 13 new, 31 changed, 1190 unchanged`;
  const lines = (await dry()).done.split("\n");
  expect(lines.slice(0, 3)).toEqual([counts, "New would be:", '  "sku-1207" No. 1207, "quoted"']);
  expect(lines.slice(15, 18)).toEqual([
    "Changed would be:",
    '  "sku-1200" name: "No. 1200, \\"quoted\\"" → "=Other"',
    '  "sku-1200" points_cost: 1200 → 1201',
  ]);
  expect([lines.length, lines.at(-1)]).toEqual([37, "  and 42 more"]);
  expect((await dry("--all")).done.split("\n")).toHaveLength(78);
  await dry("--report", `${folder}/report.csv`);
  const report = papaparse.parse<string[]>(readFileSync(`${folder}/report.csv`, "utf8"), { skipEmptyLines: true }).data;
  expect(report.slice(0, 2)).toEqual([
    ["change", "line", "external_id", "field", "old", "new"],
    ["new", "37", "sku-1207", "external_id", "", "sku-1207"],
  ]);
  expect(report).toContainEqual(["changed", expect.any(String), "sku-1200", "name", 'No. 1200, "quoted"', "'=Other"]);
  expect(report.filter(([kind]) => kind === "changed")).toHaveLength(62);
  expect(await stored()).toEqual(before);

  const { api_key } = await customer.company.makeKey(["write:rewards"]);
  const poor = await runHere(importCommand, [`${folder}/many.csv`, "--dry-run"], proxy.url, api_key);
  expect(poor.done).toBe(`${counts}\nA key with read:rewards too shows which ones, and how`);
  for (const more of [["--all"], ["--report", "a.csv"], ["--dry-run", "--report", "a.txt"]])
    await expect(importFile("many.csv", undefined, ...more)).rejects.toMatchObject({ exitCode: 2 });
});

test("--dry-run warns of a new id that looks like a known one whose zeros or last digits are lost", async () => {
  const row = (external_id: string) => ({ external_id, name: "Reward", points_cost: 1 });
  await importFile("a.csv", papaparse.unparse(["00123", "1234567890123456", "ab-1"].map(row)));
  const { lines } = await importFile(
    "a.csv",
    papaparse.unparse(["123", "1234567890123450", "AB 1", "ab-1", "124"].map(row)),
    "--dry-run",
  );
  expect(lines.map((line) => line.replace(`${folder}/a.csv:`, ""))).toEqual([
    '2: external_id "123" is new, but looks like "00123"',
    '3: external_id "1234567890123450" is new, but looks like "1234567890123456"',
    '4: external_id "AB 1" is new, but looks like "ab-1"',
  ]);
});

test("headings are found below a title, in several lines, and with blanks around; points that become 0 are said", async () => {
  const sheet =
    'Price list 2026;;;\r\n;;;\r\n"Artikel\n Nr.";" name ";"Preis\nin Punkten";\ufeffvendor_name\r\nm1;Mug;0.4;\r\nm2;Cup;1;Lind\r\n';
  const maps = ["--map", "Artikel Nr.=external_id", "--map", "Preis in Punkten=points_cost"];
  const { lines } = await importFile("sheet.csv", sheet, ...maps);
  expect(lines.map((line) => line.replace(`${folder}/sheet.csv: `, ""))).toEqual([
    "the headings are in line 3; the lines above it are passed over",
    "line 6: 0.4 points become 0",
  ]);
  expect(await stored()).toMatchObject([
    { external_id: "m1", points_cost: 0 },
    { external_id: "m2", points_cost: 1 },
  ]);
  const cells = ["m3;Mug ;1,5;Lind", "m4;#REF!;1; Lind"];
  await expect(importFile("sheet.csv", sheet + cells.join("\r\n"), ...maps)).rejects.toThrow(
    [
      'sheet.csv:8: points_cost (column "Preis in Punkten") must be a number of 0 or more: "1,5"; name must not begin or end with a blank or an invisible character: "Mug "',
      `${folder}/sheet.csv:9: name must not be the error of a formula: "#REF!"; vendor_name must not begin`,
    ].join("\n"),
  );
});

test("an export of another company is refused; --as-new takes rewards of which neither id is known, and nothing else", async () => {
  const { before, versions } = await exported((rows) =>
    rows.map((row, n) => ({
      ...row,
      id: `587cdee8-0000-4000-8000-00000000000${n}`,
      external_id: row.name === "Mug" ? (row.external_id ?? "") : (row.external_id && `their-${n}`) || "",
    })),
  );
  const refused = async (lines: number, ...more: string[]) => {
    const error = await importFile("rewards.csv", undefined, ...more).catch(({ message }) => message);
    expect(error.match(/csv:\d: id must be one of this catalogue, or empty: "587cdee8/g)).toHaveLength(lines);
    expect(error).toMatch(
      /another company than Import files.*: check PUBLIC_API_KEY; --as-new imports .*\nNothing was sent$/,
    );
    expect(await versions()).toEqual(before);
  };
  await refused(4);
  await refused(4, "--dry-run");
  await refused(1, "--as-new");
  const text = readFileSync(`${folder}/rewards.csv`, "utf8");
  writeFileSync(
    `${folder}/rewards.csv`,
    text
      .split("\r\n")
      .filter((line) => !line.includes("Mug"))
      .join("\r\n"),
  );
  const { done } = await importFile("rewards.csv", undefined, "--as-new");
  expect(done).toBe(`${folder}/rewards.csv: 2 rewards imported: 2 new, 0 changed, 0 unchanged`);
});

/** Rewards as the company has them, and a file of `export rewards` with them, which `edit` may change. */
async function exported(edit: (rows: Record<string, string>[]) => Record<string, string>[]) {
  const { company, key } = customer;
  await sql`
    insert into app.rewards (company_id, external_id, name, description, points_cost, stock_count, vendor_name)
    select ${company.id}, id, name, nullif(description, '-'), 100, 5, 'Potter'
    from (values ('00123', 'Mug', 'Old'), ('1234567890123456', 'Day off', ''), ('sku-3', 'Tea', '-'), (null, 'By hand', '-'))
      as reward (id, name, description)`;
  const file = `${folder}/rewards.csv`;
  await runHere(exportCommand, ["rewards", "--include_archived", "--out", file], proxy.url, key);
  const { data, meta } = papaparse.parse<Record<string, string>>(readFileSync(file, "utf8"), {
    ...{ header: true, skipEmptyLines: true },
  });
  writeFileSync(file, papaparse.unparse(edit(data), { columns: meta.fields ?? [] }));
  const versions = async () => [
    ...(await sql<Row[]>`select *, xmin::text from app.rewards where company_id = ${company.id} order by name`),
  ];
  return { before: await versions(), versions };
}

/** Changes the rows with this name. */
const change = (name: string, values: Record<string, string>) => (rows: Record<string, string>[]) =>
  rows.map((row) => (row.name === name ? { ...row, ...values } : row));

test("an export that was edited changes what was edited, and nothing else; an empty cell clears", async () => {
  const edits = { description: "", points_cost: "120", stock_count: "0", vendor_name: "", is_archived: "TRUE" };
  const { before, versions } = await exported(change("Mug", edits));
  const { done } = await importFile("rewards.csv");
  expect(done).toBe(`${folder}/rewards.csv: 3 rewards imported: 0 new, 1 changed, 2 unchanged`);
  const written = { description: null, points_cost: "120", stock_count: 0, vendor_name: null, is_archived: true };
  const after = before.map((row) =>
    row.name === "Mug" ? { ...row, ...written, changed_in: expect.anything(), xmin: expect.any(String) } : row,
  );
  expect(await versions()).toEqual(after);
});

test("an export in which a spreadsheet has changed the ids is refused with their lines, in a dry run too", async () => {
  const { before, versions } = await exported((rows) =>
    rows.map((row) => ({ ...row, external_id: row.external_id?.replace(/^00/, "") ?? "", points_cost: "1" })),
  );
  const line =
    readFileSync(`${folder}/rewards.csv`, "utf8")
      .split("\r\n")
      .findIndex((text) => text.includes("Mug")) + 1;
  const message = [
    `${folder}/rewards.csv:${line}: external_id must be "00123", as the reward with this id has it`,
    "A spreadsheet may have changed the column external_id: take the file from before and format that column as text; a new reward has no id and no created_at",
    "Nothing was sent",
  ].join("\n");
  for (const args of [[], ["--dry-run"]])
    await expect(importFile("rewards.csv", undefined, ...args)).rejects.toMatchObject({ exitCode: 1, message });
  expect(await versions()).toEqual(before);
});

test("a copied row of an export has the id of another reward, and one that was imported gets no second external_id", async () => {
  await exported((rows) => [
    ...rows.map((row) => (row.name === "By hand" ? { ...row, external_id: "hand-1" } : row)),
    ...rows.filter(({ name }) => name === "Tea").map((row) => ({ ...row, external_id: "sku-4" })),
    { external_id: "sku-5", name: "New", points_cost: "1" },
  ]);
  const error = await importFile("rewards.csv").catch(({ message }) => message);
  expect(error.split("\n").map((line: string) => line.replace(/^.*csv:\d: /, ""))).toEqual([
    "external_id must be empty, as the reward with this id has it",
    'external_id must be "sku-3", as the reward with this id has it',
    expect.stringContaining("A spreadsheet may have changed"),
    "Nothing was sent",
  ]);
});

test("what an export has that an import does not write is said, if it differs from the catalogue", async () => {
  const { before, versions } = await exported((rows) =>
    change("By hand", { points_cost: "7" })(
      change("Tea", { created_at: "21.11.2026", reward_type: "", is_archived: "" })(rows),
    ),
  );
  const { lines, done } = await importFile("rewards.csv");
  expect(lines.map((line) => line.replace(`${folder}/rewards.csv: `, ""))).toEqual([
    "1 rewards left out: they have no external_id",
    "reward_type is left as it is in the catalogue, from which 1 rows differ",
    "is_archived is left as it is in the catalogue, from which 1 rows differ",
    "created_at is left as it is in the catalogue, from which 1 rows differ",
    "1 of the rewards that are left out differ from the catalogue",
  ]);
  expect(done).toContain("0 new, 0 changed, 3 unchanged");
  expect(await versions()).toEqual(before);
});

test("an export needs a key that reads the catalogue too", async () => {
  await exported((rows) => rows);
  const { api_key } = await customer.company.makeKey(["write:rewards"]);
  const args = [`${folder}/rewards.csv`, "--dry-run"];
  const message = `${folder}/rewards.csv is an export: holding it against the catalogue needs a key with the scope read:rewards too`;
  await expect(runHere(importCommand, args, proxy.url, api_key)).rejects.toMatchObject({ exitCode: 3, message });
});

test("is_archived that a spreadsheet has translated is refused, with how to go on", async () => {
  await exported((rows) => rows.map((row) => ({ ...row, is_archived: "FALSCH" })));
  const hint =
    'is_archived is true or false in English: not "FALSCH"; if nothing in that column has changed, delete it';
  await expect(importFile("rewards.csv")).rejects.toThrow(hint);
});

/** A catalogue of so many imported rewards, one that was not imported, and one that is archived. */
async function catalogueOf(rewards: number): Promise<string[]> {
  await sql`
    insert into app.rewards (company_id, external_id, name, points_cost, description, is_archived)
    select ${customer.company.id}, case when n > 0 then 'sku-' || n end, 'No. ' || n, n, 'kept', n > ${rewards}
    from generate_series(0, ${rewards} + 1) as n`;
  return Array.from({ length: rewards }, (_, n) => `sku-${n + 1}`);
}

const archived = async (): Promise<string[]> =>
  (
    await sql<{ external_id: string }[]>`
    select external_id from app.rewards where company_id = ${customer.company.id} and is_archived order by points_cost`
  ).map(({ external_id }) => external_id);

const fileOf = (ids: string[]): string =>
  papaparse.unparse(
    ids.map((external_id) => ({
      external_id,
      name: external_id.replace("sku-", "No. "),
      points_cost: external_id.slice(4),
    })),
  );

test("--archive-missing archives what was imported once and is not in the file, after showing it and asking", async () => {
  const ids = await catalogueOf(6);
  const file = fileOf(ids.slice(2));
  const shown = [`Not in ${folder}/a.csv, to be archived: 2`, '  "sku-2" No. 2', '  "sku-1" No. 1'];
  writeFileSync(`${folder}/a.csv`, file);
  const no = runHere(importCommand, [`${folder}/a.csv`, "--archive-missing"], proxy.url, customer.key, {
    answer: false,
  });
  await expect(no).rejects.toThrow("Nothing was sent");
  expect(await archived()).toEqual(["sku-7"]);
  const dry = await importFile("a.csv", file, "--archive-missing", "--dry-run");
  expect(dry.outcomes[0]?.split("\n").toSorted()).toEqual(
    shown.map((line) => line.replace("to be", "would be")).toSorted(),
  );
  expect(await archived()).toEqual(["sku-7"]);
  const { outcomes, lines } = await importFile("a.csv", file, "--archive-missing");
  expect(outcomes[0]?.split("\n").toSorted()).toEqual(shown.toSorted());
  expect(lines).toEqual(["Archive these 2?"]);
  expect(outcomes[1]).toBe(`${folder}/a.csv: 4 rewards imported: 0 new, 0 changed, 4 unchanged, 2 archived`);
  const [row] =
    await sql`select name, points_cost::int, description from app.rewards where company_id = ${customer.company.id} and external_id = 'sku-2'`;
  expect(row, "nothing else of it is changed").toEqual({ name: "No. 2", points_cost: 2, description: "kept" });
});

/** Runs a program on a terminal, and types this when it asks. */
const onTerminal = (typed: string, ...program: string[]): string[] => [
  "-I",
  "-c",
  `import os, pty, sys
pid, terminal = pty.fork()
if pid == 0: os.execv(sys.argv[2], sys.argv[2:])
shown = b""
while True:
  try: part = os.read(terminal, 4096)
  except OSError: break
  if not part: break
  if b"[y/N]" in part: os.write(terminal, sys.argv[1].encode())
  shown += part
print(shown.decode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))`,
  typed,
  ...program,
];

test.each([
  ["Ctrl-C", "\u0003", 1, ["sku-7"]],
  ["Ctrl-D", "\u0004", 1, ["sku-7"]],
  ["nothing", "\n", 1, ["sku-7"]],
  ["y", "y\n", 0, ["sku-1", "sku-2", "sku-7"]],
])("on a terminal --archive-missing asks, and the answer %s counts", async (_name, typed, code, after) => {
  writeFileSync(`${folder}/a.csv`, fileOf((await catalogueOf(6)).slice(2)));
  const program = onTerminal(typed, process.execPath, main, "import", "a.csv", "--archive-missing");
  const ran = await runProgram("python3", program, folder, environment(customer.key));
  expect([ran.code, ran.stdout]).toEqual([code, expect.stringContaining("Archive these 2? [y/N]")]);
  if (code !== 0) expect(ran.stdout).toMatch(/Nothing was sent[^\n]*\s*$/);
  expect(await archived()).toEqual(after);
});

test("--archive-missing archives more than half of the catalogue with --yes only, and nothing when a row is wrong", async () => {
  const ids = await catalogueOf(6);
  const few = fileOf(ids.slice(4));
  const message = `4 of 6 rewards are not in ${folder}/few.csv: add --yes to archive them. Nothing was sent`;
  await expect(importFile("few.csv", few, "--archive-missing")).rejects.toMatchObject({ exitCode: 1, message });
  await expect(importFile("few.csv", `${few}\r\nsku-9,,1`, "--archive-missing", "--yes")).rejects.toThrow(
    "few.csv:4: name",
  );
  expect(await archived()).toEqual(["sku-7"]);
  const { lines, done } = await importFile("few.csv", few, "--archive-missing", "--yes");
  expect([lines, done]).toEqual([[], expect.stringMatching(/4 archived$/)]);
  expect(await archived()).toEqual(["sku-1", "sku-2", "sku-3", "sku-4", "sku-7"]);
  expect((await importFile("few.csv", few, "--archive-missing")).outcomes).toHaveLength(1);
  const { api_key } = await customer.company.makeKey(["write:rewards"]);
  const poor = runHere(importCommand, [`${folder}/few.csv`, "--archive-missing"], proxy.url, api_key);
  await expect(poor).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining("read:rewards") });
});

test("the file with headings of its own in command-line.md is read as the page says", async () => {
  const page = readFileSync(`${root}/docs/connect/command-line.md`, "utf8");
  const [file = "", command = "", printed = ""] = [...page.matchAll(/^```(?:csv)?\n([^`]*)```$/gm)]
    .map(([, block = ""]) => block)
    .filter((block) => /Art\.-Nr\.|preisliste\.csv:/.test(block));
  writeFileSync(`${folder}/preisliste.csv`, `\ufeff${file.replaceAll("\n", "\r\n")}`);
  const args = [...command.matchAll(/"([^"]+)"|(\S+)/g)]
    .map(([word, inQuotes]) => inQuotes ?? word)
    .filter((word) => word !== "\\");
  expect(args.shift()).toBe("public-data-api");
  const { code, stdout, stderr } = await run(args, folder, environment(customer.key));
  expect({ code, printed: stderr + stdout }).toEqual({ code: 0, printed });
  await run(
    args.filter((word) => word !== "--dry-run"),
    folder,
    environment(customer.key),
  );
  expect(await stored()).toMatchObject([
    { external_id: "00123", name: "Kaffeetasse, 0,4 l", points_cost: 250 },
    { external_id: "00124", name: "Ein Tag frei", points_cost: 5000 },
  ]);
});

test.each<[string, string, string[], string]>([
  ["a.csv", "SKU,name,points_cost\n", ["sku=external_id"], 'there is no column "sku", which --map names'],
  ["a.csv", "SKU,name,points_cost\n", ["SKU=external_ID"], 'there is no field "external_ID": write external_id'],
  ["a.csv", "SKU,external_id,name,points_cost\n", ["SKU=external_id"], '"external_id" must be given once'],
  ["a.csv", "SKU,,name,points_cost\n", ["SKU="], "1 of 4 columns have no name"],
  ["a.json", "[]", ["SKU=external_id"], "--map is for CSV: a JSON file has the names of the API"],
])("%s with %j and --map %j is refused", async (name, content, maps, problem) => {
  const args = maps.flatMap((map) => ["--map", map]);
  await expect(importFile(name, content, ...args)).rejects.toThrow(problem);
  expect(proxy.requests).toEqual([]);
});
