// public-data-api import (docs/connect/import-rewards.md): files as spreadsheets write them, the line of each problem, and
// a service that misbehaves. What an import changes in a catalogue is in import_changes.test.ts.
import { mkdirSync } from "node:fs";
import { Readable } from "node:stream";
import papaparse from "papaparse";
import { expect, test } from "vitest";
import { importCommand } from "../../cli/src/commands/import.ts";
import { quoted } from "../../cli/src/errors.ts";
import { withEvenLines } from "../../cli/src/even_lines.ts";
import { environment, main, run, runProgram } from "../support/command_line.ts";
import { codeBlocks } from "../support/pages.ts";
import { sql } from "../support/stack.ts";
import { dropped, half, runHere, status } from "./faulty_proxy.ts";
import { damagedIds, importer, many } from "./importer.ts";

const { folder, proxy, key, id, stored, write, send } = await importer();

/** Writes a file and imports it. */
function importFile(name: string, content: string | Buffer, ...args: string[]) {
  write(name, content);
  return send(name, args);
}

test("a CSV of 1234 rewards is imported whole, in three batches; a second time changes nothing", async () => {
  const { done } = await importFile("many.csv", papaparse.unparse(many));
  expect(done).toBe("many.csv: 1234 rewards imported: 1234 new, 0 changed, 0 unchanged");
  expect(proxy.requests.slice(1).map(({ body }) => JSON.parse(body).length)).toEqual([500, 500, 234]);
  expect(await stored()).toEqual(many);
  const again = await run(["import", "many.csv"], folder, environment(key));
  // Outside a terminal, for the log of a nightly job.
  const stdout = "many.csv: 1234 rewards imported: 0 new, 0 changed, 1234 unchanged\n";
  expect(again).toEqual({ code: 0, stdout, stderr: "" });
  expect(await stored()).toEqual(many);
});

test("JSON is imported the same; a batch whose answer was lost is sent again, and the catalogue is the same", async () => {
  proxy.faults = [undefined, undefined, half, status(429), dropped, undefined];
  const { pauses, lines } = await importFile("many.json", JSON.stringify({ rewards: many }, null, 2));
  expect(pauses).toEqual([1000, 2000, 4000]);
  expect(lines).toContain("many.json: 500 rewards sent again after a lost answer; new ones may count as unchanged");
  expect(await stored()).toEqual(many);
});

test("whatever ends the import, also what nobody foresaw, it says how much is written", async () => {
  proxy.faults = [undefined, undefined, status(403)];
  const message = "403 Not now\n500 of 1234 rewards are written";
  await expect(importFile("many.json", JSON.stringify(many))).rejects.toMatchObject({ exitCode: 3, message });
  expect(await stored()).toHaveLength(500);

  proxy.faults = [undefined, undefined, status(500)];
  const pause = () => Promise.reject(new TypeError("new"));
  const broken = runHere(importCommand, [`${folder}/many.json`], proxy.url, key, { pause });
  await expect(broken).rejects.toThrow(/^TypeError: new\n +at (.|\n)+\n500 of 1234 rewards are written, perhaps more$/);
});

test("what spreadsheets save is understood: a byte-order mark, semicolons, CRLF, empty lines, empty cells", async () => {
  await sql`
    insert into app.rewards (company_id, external_id, name, description, points_cost, reward_type)
    values (${id}, '7', 'Old', 'kept', 1, 'gift')`;
  const header = "\ufeffexternal_id;name;description;points_cost;reward_type\r\n";
  await importFile("sheet.csv", `${header}7;Käse;;1.5;\r\n\r\n8;漢字;;2e2;gift\r\n`);
  expect(await stored()).toEqual([
    { external_id: "7", name: "Käse", description: "kept", points_cost: 2, reward_type: "gift" },
    { external_id: "8", name: "漢字", description: null, points_cost: 200, reward_type: "gift" },
  ]);
});

test("a decimal comma is read, and so are the words for true and false in the languages of LibreOffice", async () => {
  const named = "TRUE wahr Vrai VERDADERO VERO Verdadeiro waar PRAWDA false FALSCH faux Falso onwaar FAŁSZ fałsz";
  const words = named.split(" ");
  const cells = ["4999,5", "0,4", "250,0", "1234,567"];
  const rows = words.map((word, n) => [n + 10, "Reward", cells[n] ?? 1, word].join(";"));
  const { lines } = await importFile("words.csv", ["external_id;name;points_cost;is_archived", ...rows].join("\n"));
  expect(lines).toEqual(["words.csv: line 3: 0,4 points become 0"]);
  const all = await sql`
    select points_cost::int, is_archived from app.rewards where company_id = ${id} order by external_id`;
  expect(all.slice(0, 4).map(({ points_cost }) => points_cost)).toEqual([5000, 0, 250, 1235]);
  expect(all.map(({ is_archived }) => is_archived)).toEqual(words.map((_, n) => n < 8));
});

test("lines that end in CRLF, LF or CR, mixed, leave nothing in a cell; text between quotes is not changed", async () => {
  const mixed = [
    "external_id,name,points_cost,reward_type\r\n1,One,1,gift\n2,Two,2,gift\r\n",
    '3,"Three\r\nlines, ""quoted""",3,"gift"\r4,Four,4,gift\r\n\r\n5,Five,5,gift',
  ].join("");
  await importFile("mixed.csv", mixed);
  const names = ["One", "Two", 'Three\r\nlines, "quoted"', "Four", "Five"];
  expect(await stored()).toMatchObject(names.map((name) => ({ name, reward_type: "gift" })));
  // Cut into two parts at every position, so that each CRLF is also cut in two.
  for (let cut = 1; cut < mixed.length; cut++) {
    let even = "";
    for await (const part of withEvenLines(Readable.from([mixed.slice(0, cut), mixed.slice(cut)]))) even += part;
    expect(even).toBe(mixed.replace(/\r\n(?!lines)|\r(?!\n)/g, "\n"));
  }
});

test("rows with nothing in any cell are skipped and counted, and cells that are missing at the end of a row are empty", async () => {
  const rows = ["1,One,1", ",,,,", "2,Two,2,,", " ,,\u00a0,,", '3,Three,3,"a, b"', ",", ",,,,"];
  const header = "external_id,name,points_cost,description,reward_type";
  const { lines, done } = await importFile("sheet.csv", [header, ...rows, ""].join("\r\n"));
  expect(lines).toEqual(["sheet.csv: 4 empty rows skipped"]);
  expect(done).toBe("sheet.csv: 3 rewards imported: 3 new, 0 changed, 0 unchanged");
  expect((await stored()).map(({ description }) => description)).toEqual([null, null, "a, b"]);
});

const points = "points_cost must be a number of 0 or more";
const separated = ["1.000", "12.345", "1.234.567", "1 000", "1'000", "1\u00a0000", "1,000"];
const badPoints = [...separated, "1.234,5", "1.23457E+15", "5\u00a0"];

const badCsv = `external_id,name,points_cost,description
1,Good,1,
2,"Two
lines",-1,

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

const goodIds = ["00123", "1E5", "a b", "a'b", '12"', "5E", "漢字", "1.5", "#1", "90001.00", "NULL-1", "Nancy"];
const rowsOf = (ids: string[]) => ids.map((external_id) => ({ external_id, name: "Reward", points_cost: 1 }));

const noThousands = (shown: string, number: string) =>
  `points_cost has no thousands separator: write ${number}, not "${shown}"`;
const noId = 'external_id must be a string of 1 to 255 characters: ""';

// Every problem is named by its line in the file.
test.each<[file: string, content: string, problems: string[]]>([
  [
    "points.csv",
    [
      ...["external_id;name;points_cost", "a;Good;0.125", "b;Good;1000"],
      ...badPoints.map((cell, index) => `${index};Bad;${cell}`),
    ].join("\n"),
    [
      ...badPoints.map((cell, index) => `points.csv:${index + 4}: ${points}: ${quoted(cell)}`),
      noThousands("1.000", "1000"),
      damagedIds[0]?.hint ?? "",
      'points_cost is the number alone: write 5, not "5\\u00a0"',
    ],
  ],
  [
    "bad.csv",
    badCsv,
    [
      `bad.csv:3: ${points}: "-1"`,
      "bad.csv:6: external_id must be unique in the file, line 2 has it too",
      `bad.csv:7: ${points}: ""`,
      `bad.csv:8: ${noId}`,
      `bad.csv:9: description must be a string of up to 2000 characters or null: "${"x".repeat(63)}…"`,
    ],
  ],
  [
    "bad.json",
    badJson,
    [
      'bad.json:4: row must not have a field twice; points_cost must be a number of 0 or more: "1"',
      "bad.json:5: row must be an object",
      "bad.json:7: external_id must be unique in the file, line 3 has it too; tags must be left out",
    ],
  ],
  ...damagedIds.map<[string, string, string[]]>(({ words, ids, hint }) => [
    "ids.csv",
    papaparse.unparse(rowsOf([...ids, ...goodIds])),
    [...ids.map((id, n) => `ids.csv:${n + 2}: external_id ${words}: ${quoted(id)}`), ...(hint ? [hint] : [])],
  ]),
  // As export --excel writes it.
  [
    "excel.csv",
    "\ufeffexternal_id,name,points_cost\n1,'=1+1,1\n2,Mug,1",
    [
      `excel.csv:2: name must not begin with ' before =, +, -, or @: "'=1+1"`,
      "A file of export --excel is for reading: export without --excel, and import that",
    ],
  ],
  // More than 20 bad lines are summed up, with each hint once.
  [
    "all.csv",
    ["external_id;name;points_cost", ...Array.from({ length: 2248 }, (_, n) => `${n < 30 ? "" : n};Reward;1.000`)].join(
      "\n",
    ),
    [
      ...Array.from({ length: 20 }, (_, n) => `all.csv:${n + 2}: ${noId}; ${points}: "1.000"`),
      "and 2228 more bad lines: external_id in 10, points_cost in 2228",
      noThousands("1.000", "1000"),
    ],
  ],
])("the problems of %s are named, and nothing is sent", async (name, content, problems) => {
  const message = [...problems, "Nothing was sent"].join("\n");
  await expect(importFile(name, content)).rejects.toMatchObject({ exitCode: 1, message });
  expect(proxy.requests).toEqual([]);
});

test("an id that no spreadsheet can have damaged is taken as it is, because the file is JSON", async () => {
  const ids = [...damagedIds.flatMap(({ ids }) => ids), ...goodIds];
  const { lines } = await importFile("ids.json", JSON.stringify(rowsOf(ids)));
  expect(await stored()).toHaveLength(ids.length);
  expect(lines[0]).toMatch(/^ids.json:1: external_id "nan" looks like a missing value/);
});

const form = "Save it as CSV in UTF-8 (in Excel: File, Save as, CSV UTF-8; in LibreOffice: File, Save as, Text CSV)";
const euro = (encoding: BufferEncoding) => Buffer.from("external_id,name,points_cost\n1,Käse,1\n", encoding);

test.each<[file: string, content: string | Buffer, problem: string, maps?: string[]]>([
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
    ].join("\ncolumn.csv:1: "),
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
  ["twice.json", '{"rewards":[{"a":{"a":[]}}],"rewards":[]}', "twice.json: rewards must be given once"],
  ["deep.json", "[".repeat(200_000) + "]".repeat(200_000), "deep.json:1: row must be an object"],
  ["rewards.xlsx", "PK", `rewards.xlsx is a workbook. ${form}`],
  ["renamed.csv", "PK\u0003\u0004", `renamed.csv: it is a workbook. ${form}`],
  ["plain.csv.gz", "external_id,name", "plain.csv.gz is not a whole gzip file: "],
  ["a.csv", "SKU,name,points_cost\n", 'there is no column "sku", which --map names', ["sku=external_id"]],
  ["a.csv", "SKU,name,points_cost\n", 'there is no field "external_ID": write external_id', ["SKU=external_ID"]],
  ["a.csv", "SKU,external_id,name,points_cost\n", '"external_id" must be given once', ["SKU=external_id"]],
  ["a.csv", "SKU,,name,points_cost\n", "1 of 4 columns have no name", ["SKU="]],
  ["a.json", "[]", "--map is for CSV: a JSON file has the names of the API", ["SKU=external_id"]],
])("%s is refused as a whole", async (name, content, problem, maps = []) => {
  const refused = importFile(name, content, ...maps.flatMap((map) => ["--map", map]));
  await expect(refused).rejects.toMatchObject({ exitCode: 1, message: expect.stringContaining(problem) });
  expect(proxy.requests).toEqual([]);
});

test.each([
  ["gone.csv", "There is no gone.csv"],
  ["folder.csv", "folder.csv is a folder: a file is needed"],
  ["rewards.txt", "rewards.txt must end in .csv or .json"],
])("%s is a wrong argument", async (name, problem) => {
  mkdirSync(`${folder}/folder.csv`);
  await expect(send(name)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(problem) });
});

test("headings are found below a title, in several lines, and with blanks around; points that become 0 are said", async () => {
  const sheet =
    'Price list 2026;;;\r\n;;;\r\n"Artikel\n Nr.";" name ";"Preis\nin Punkten";\ufeffvendor_name\r\nm1;Mug;0.4;\r\nm2;Cup;1;Lind\r\n';
  const maps = ["--map", "Artikel Nr.=external_id", "--map", "Preis in Punkten=points_cost"];
  const { lines } = await importFile("sheet.csv", sheet, ...maps);
  expect(lines).toEqual([
    "sheet.csv: the headings are in line 3; the lines above it are skipped",
    "sheet.csv: line 6: 0.4 points become 0",
  ]);
  expect(await stored()).toMatchObject([
    { external_id: "m1", points_cost: 0 },
    { external_id: "m2", points_cost: 1 },
  ]);
  const cells = ["m3;Mug ;1,500;Lind", "m4;#REF!;1; Lind"];
  await expect(importFile("sheet.csv", sheet + cells.join("\r\n"), ...maps)).rejects.toThrow(
    [
      'sheet.csv:8: points_cost (column "Preis in Punkten") must be a number of 0 or more: "1,500"; name must not begin or end with a blank or an invisible character: "Mug "',
      'sheet.csv:9: name must not be the error of a formula: "#REF!"; vendor_name must not begin',
    ].join("\n"),
  );
});

test("the file with headings of its own in import-rewards.md is read as the page says", async () => {
  const blocks = codeBlocks("docs/connect/import-rewards.md").map(({ text }) => text);
  const [file = "", command = "", printed = ""] = blocks.filter((text) => /Art\.-Nr\.|preisliste\.csv:/.test(text));
  write("preisliste.csv", `\ufeff${file.replaceAll("\n", "\r\n")}`);
  const script = `public-data-api() { "${process.execPath}" "${main}" "$@"; }\n${command.trim()} 2>&1`;
  const { code, stdout } = await runProgram("bash", ["-c", script], folder, environment(key));
  expect({ code, stdout }).toEqual({ code: 0, stdout: printed });
});

test("--dry-run without a key checks the file and says how to see more", async () => {
  write("many.csv", papaparse.unparse(many));
  const dry = await run(["import", "many.csv", "--dry-run"], folder, environment(undefined));
  const asked = "no problem found. To see what would change, set PUBLIC_API_KEY";
  expect(dry).toEqual({ code: 0, stdout: `many.csv: 1234 rewards, ${asked}\n`, stderr: "" });
  await expect(importFile("bad.csv", badCsv, "--dry-run")).rejects.toThrow("bad.csv:3: ");
  expect(proxy.requests).toEqual([]);
});
