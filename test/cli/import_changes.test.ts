// What public-data-api import changes in a catalogue (docs/connect/import-rewards.md): what a dry run says of it, an export
// that comes back, and the rewards that a file no longer has.
import { readFileSync } from "node:fs";
import papaparse from "papaparse";
import { expect, test } from "vitest";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { environment, main, runOnTerminal, runProgram } from "../support/command_line.ts";
import { sql } from "../support/stack.ts";
import { runHere } from "./faulty_proxy.ts";
import { importer, many } from "./importer.ts";

const { company, folder, proxy, key, id, stored, versions, write, send } = await importer();

const exportTo = (file: string, ...args: string[]) =>
  runHere(exportCommand, ["rewards", ...args, "--out", `${folder}/${file}`], proxy.url, key);
const read = (file: string): string => readFileSync(`${folder}/${file}`, "utf8");
const writeKey = async (): Promise<string> => (await company.makeKey(["write:rewards"])).api_key;

test.each(["rewards.csv.gz", "rewards.json"])("%s that was exported is imported as it is", async (file) => {
  await sql`
    insert into app.rewards (company_id, external_id, name, description, points_cost, reward_type, stock_count, is_archived)
    select ${id}, case when n > 3 then 'sku-' || n end, 'No. ' || n || ', "quoted"', case when n % 2 = 0 then E'two\r\nlines' end,
      n, 'gift', nullif(n, 7), n % 5 = 0
    from generate_series(1, 1200) as n`;
  const before = { versions: await versions(), rows: await stored() };
  await exportTo(file, "--include_archived");
  expect((await send(file)).lines).toEqual([`${file}: 3 rewards left out for lack of an external_id`]);
  expect(await versions(), "not even a new version of a row").toEqual(before.versions);

  await sql`delete from app.rewards where company_id = ${id}`;
  await send(file, ["--as-new"]);
  expect(await stored()).toEqual(before.rows.filter(({ external_id }) => external_id !== null));
});

test("--dry-run says what would be new, and what would change, field by field; --report writes all of it to a file", async () => {
  write("many.csv", papaparse.unparse(many.filter((_, n) => n % 100 !== 7)));
  await send("many.csv");
  const before = await stored();
  const changed = many.map((reward, n) =>
    n % 40 === 0 ? { ...reward, name: "=Other", description: reward.description && "", points_cost: n + 1 } : reward,
  );
  write("many.csv", papaparse.unparse(changed.toReversed()));
  const dry = (...more: string[]) => send("many.csv", ["--dry-run", ...more]);
  const counts = "many.csv: 1234 rewards, nothing was written: 13 new, 31 changed, 1190 unchanged";
  const lines = (await dry()).done.split("\n");
  const first = '  "sku-1207" name: "No. 1207, \\"quoted\\"", points_cost: 1207, reward_type: "perk"';
  expect(lines.slice(0, 3)).toEqual([counts, "New:", first]);
  expect(lines.slice(15, 18)).toEqual([
    "Changed:",
    '  "sku-1200" name: "No. 1200, \\"quoted\\"" → "=Other"',
    '  "sku-1200" points_cost: 1200 → 1201',
  ]);
  expect([lines.length, lines.at(-1)]).toEqual([37, "  and 42 more"]);
  expect((await dry("--all")).done.split("\n")).toHaveLength(78);
  await dry("--report", `${folder}/report.csv`);
  const report = papaparse.parse<string[]>(read("report.csv"), { skipEmptyLines: true }).data;
  expect(report.slice(0, 2)).toEqual([
    ["change", "line", "external_id", "field", "old", "new"],
    ["new", "37", "sku-1207", "external_id", "", "sku-1207"],
  ]);
  expect(report).toContainEqual(["changed", expect.any(String), "sku-1200", "name", 'No. 1200, "quoted"', "'=Other"]);
  expect(report.filter(([kind]) => kind === "changed")).toHaveLength(62);
  expect(await stored()).toEqual(before);

  const poor = await send("many.csv", ["--dry-run"], await writeKey());
  expect(poor.done).toBe(`${counts}\nTo see which ones, and how, use a key that also has read:rewards`);
  await expect(send("many.csv", ["--dry-run", "--report", "a.txt"])).rejects.toMatchObject({ exitCode: 2 });
});

test("--dry-run warns of a new id that looks like what a spreadsheet makes of one", async () => {
  const writeIds = (...ids: string[]) =>
    write("a.csv", papaparse.unparse(ids.map((external_id) => ({ external_id, name: "Reward", points_cost: 1 }))));
  const damaged = [
    "00123 123, 1234567890123456 1234567890123450, ab-1 AB_1, 90.750 90.75, 1.10 1.1, 1E5 100000, 9:30 09:30:00",
    "3-12 12-Mar, SEPT2 02-Sep, 1/2 01-Feb, 4-11 2026-11-04T00:00:00, 5.6. 06.05.2026, MRZ7 07.-Mrz, 2-75 Feb-75",
  ].flatMap((pairs) => pairs.split(", ").map((pair) => pair.split(" ")));
  const kept = ["11-4", "11", "2.1", "sku-9", "Set-02", "7-Mugs"];
  writeIds(...damaged.map(([known = ""]) => known));
  await send("a.csv");
  writeIds(...damaged.map(([, id = ""]) => id), "30-Dec", "ab-1", ...kept);
  expect((await send("a.csv", ["--dry-run"])).lines).toEqual([
    ...damaged.map(([known, id], n) => `a.csv:${n + 2}: external_id "${id}" is new, but looks like "${known}"`),
    'a.csv:16: external_id "30-Dec" is new, but looks like a date that a spreadsheet made of an ID',
  ]);
});

test("--dry-run shows all fields of new rewards; a text that looks like a missing value is warned of in each import", async () => {
  const rows = ["1,None,2,nan,Lind", "2,Mug,1,null and void,NULL"];
  write("a.csv", ["external_id,name,points_cost,description,vendor_name", ...rows].join("\n"));
  const missing = ['2: name "None"', '2: description "nan"', '3: vendor_name "NULL"'];
  const warned = missing.map((text) => `a.csv:${text} looks like a missing value: if it is one, remove it`);
  const dry = await send("a.csv", ["--dry-run"]);
  expect(dry.lines).toEqual(warned);
  expect(dry.done.split("\n").slice(1)).toEqual([
    "New:",
    '  "1" name: "None", description: "nan", points_cost: 2, vendor_name: "Lind"',
    '  "2" name: "Mug", description: "null and void", points_cost: 1, vendor_name: "NULL"',
  ]);
  expect((await send("a.csv")).lines).toEqual(warned);
});

type Cells = Record<string, string>;

/** Fills the catalogue, and writes an export of it to rewards.csv, with some rows edited. Returns the rows as they were. */
async function exported(edit: (rows: Cells[]) => Cells[]) {
  await sql`
    insert into app.rewards (company_id, external_id, name, description, points_cost, stock_count, vendor_name)
    select ${id}, id, name, nullif(description, '-'), 100, 5, 'Potter'
    from (values ('00123', 'Mug', 'Old'), ('1234567890123456', 'Day off', ''), ('sku-3', 'Tea', '-'), (null, 'By hand', '-'))
      as reward (id, name, description)`;
  await exportTo("rewards.csv", "--include_archived");
  const { data, meta } = papaparse.parse<Cells>(read("rewards.csv"), { header: true, skipEmptyLines: true });
  write("rewards.csv", papaparse.unparse(edit(data), { columns: meta.fields ?? [] }));
  return await versions();
}

/** Changes the rows with these names. */
const change = (values: Record<string, Cells>) => (rows: Cells[]) =>
  rows.map((row) => ({ ...row, ...values[row.name ?? ""] }));

/** The lines of the error with which the import of rewards.csv ends, without the places. */
const refusal = async (...args: string[]): Promise<string[]> => {
  const { exitCode, message } = await send("rewards.csv", args).catch((error) => error);
  expect(exitCode).toBe(1);
  return message.split("\n").map((line: string) => line.replace(/^rewards\.csv:\d: /, ""));
};

test("an export of another company is refused; --as-new takes rewards of which neither id is known, and nothing else", async () => {
  const before = await exported((rows) =>
    rows.map((row, n) => ({
      ...row,
      id: `587cdee8-0000-4000-8000-00000000000${n}`,
      external_id: row.name === "Mug" ? (row.external_id ?? "") : (row.external_id && `their-${n}`) || "",
    })),
  );
  for (const [wrong, ...args] of [[4], [4, "--dry-run"], [1, "--as-new"]] as [number, ...string[]][]) {
    const lines = await refusal(...args);
    const unknown = lines.filter((line) => /^id must be one of this catalogue, or empty: "587cdee8/.test(line));
    expect(unknown).toHaveLength(wrong);
    const hint = /another company than Import files.*: check PUBLIC_API_KEY; --as-new imports /;
    expect(lines.slice(-2)).toEqual([expect.stringMatching(hint), "Nothing was sent"]);
    expect(await versions()).toEqual(before);
  }
  write("rewards.csv", read("rewards.csv").replace(/^.*Mug.*(\r\n)?/m, ""));
  const { done } = await send("rewards.csv", ["--as-new"]);
  expect(done).toBe("rewards.csv: 2 rewards imported: 2 new, 0 changed, 0 unchanged");
});

test("an export that was edited changes what was edited, and nothing else; an empty cell clears", async () => {
  const edits = { description: "", points_cost: "120", stock_count: "0", vendor_name: "", is_archived: "TRUE" };
  const before = await exported(change({ Mug: edits }));
  const { done } = await send("rewards.csv");
  expect(done).toBe("rewards.csv: 3 rewards imported: 0 new, 1 changed, 2 unchanged");
  const written = { description: null, points_cost: "120", stock_count: 0, vendor_name: null, is_archived: true };
  const after = before.map((row) =>
    row.name === "Mug" ? { ...row, ...written, changed_in: expect.anything(), xmin: expect.any(String) } : row,
  );
  expect(await versions()).toEqual(after);
});

test("an export in which an id is another than the catalogue has is refused, in a dry run too", async () => {
  // A spreadsheet has taken zeros, a reward without an id gets one, and a copied row has the id of another reward.
  const before = await exported((rows) => [
    ...change({ Mug: { external_id: "123" }, "By hand": { external_id: "hand-1" } })(rows),
    ...rows.filter(({ name }) => name === "Tea").map((row) => ({ ...row, external_id: "sku-4" })),
    { external_id: "sku-5", name: "New", points_cost: "1" },
  ]);
  const place = read("rewards.csv")
    .split("\r\n")
    .findIndex((text) => text.includes("Mug"));
  await expect(send("rewards.csv")).rejects.toThrow(`rewards.csv:${place + 1}: external_id must be "00123"`);
  for (const args of [[], ["--dry-run"]])
    expect((await refusal(...args)).sort()).toEqual([
      "A spreadsheet may have changed the column external_id: take the file from before and format that column as text; a new reward has no id and no created_at",
      "Nothing was sent",
      'external_id must be "00123", as the reward with this id has it',
      'external_id must be "sku-3", as the reward with this id has it',
      "external_id must be empty, as the reward with this id has it",
    ]);
  expect(await versions()).toEqual(before);
});

test("what an export has that an import does not write is said, if it differs from the catalogue", async () => {
  const tea = { created_at: "21.11.2026", reward_type: "", is_archived: "" };
  const before = await exported(change({ "By hand": { points_cost: "7" }, Tea: tea }));
  const { lines, done } = await send("rewards.csv");
  expect(lines.map((line) => line.replace("rewards.csv: ", ""))).toEqual([
    "1 reward left out for lack of an external_id",
    "reward_type is left as it is in the catalogue, and differs in 1 row",
    "is_archived is left as it is in the catalogue, and differs in 1 row",
    "created_at is left as it is in the catalogue, and differs in 1 row",
    "Rewards that are left out, and differ from the catalogue: 1",
  ]);
  expect(done).toContain("0 new, 0 changed, 3 unchanged");
  expect(await versions()).toEqual(before);
});

test("an export needs a key that reads the catalogue too, and an is_archived that is true or false", async () => {
  await exported((rows) => rows.map((row) => ({ ...row, is_archived: "nein" })));
  const problem = 'is_archived is true or false: not "nein"; if nothing in that column has changed, delete it';
  expect(await refusal()).toContain(problem);
  await exportTo("rewards.csv", "--include_archived");
  const message =
    "rewards.csv is an export: comparing it with the catalogue needs a key with the scope read:rewards too";
  const poor = send("rewards.csv", ["--dry-run"], await writeKey());
  await expect(poor).rejects.toMatchObject({ exitCode: 3, message });
});

/** Fills the catalogue with six imported rewards, one that was not imported, and one that is archived. */
const fillCatalogue = () => sql`
  insert into app.rewards (company_id, external_id, name, points_cost, description, is_archived)
  select ${id}, case when n > 0 then 'sku-' || n end, 'No. ' || n, n, 'kept', n > 6 from generate_series(0, 7) as n`;

const archived = async () =>
  (await versions()).filter(({ is_archived }) => is_archived).map(({ external_id }) => external_id);

/** A file with these rewards of the catalogue. */
const fileOf = (...numbers: number[]): string =>
  papaparse.unparse(numbers.map((n) => ({ external_id: `sku-${n}`, name: `No. ${n}`, points_cost: n })));

test("--archive-missing archives what was imported once and is not in the file, after showing it and asking", async () => {
  await fillCatalogue();
  write("a.csv", fileOf(3, 4, 5, 6));
  const shown = ['  "sku-1" No. 1', '  "sku-2" No. 2', "Not in a.csv, to be archived: 2"];
  const dry = await send("a.csv", ["--archive-missing", "--dry-run"]);
  const would = shown.map((line) => line.replace("to be", "would be"));
  expect(dry.outcomes[0]?.split("\n").toSorted()).toEqual(would);
  expect(await archived()).toEqual(["sku-7"]);
  const { outcomes, lines } = await send("a.csv", ["--archive-missing"]);
  expect(outcomes[0]?.split("\n").toSorted()).toEqual(shown);
  expect(lines).toEqual(["Archive these 2?"]);
  expect(outcomes[1]).toBe("a.csv: 4 rewards imported: 0 new, 0 changed, 4 unchanged, 2 archived");
  const row = (await versions()).find(({ external_id }) => external_id === "sku-2");
  expect(row, "nothing else of it is changed").toMatchObject({ name: "No. 2", points_cost: "2", description: "kept" });
});

test.each([
  ["Ctrl-C", "\u0003", 1, ["sku-7"]],
  ["Ctrl-D", "\u0004", 1, ["sku-7"]],
  ["nothing", "\n", 1, ["sku-7"]],
  ["y", "y\n", 0, ["sku-1", "sku-2", "sku-7"]],
])("on a terminal --archive-missing asks, and the answer %s counts", async (_name, typed, code, after) => {
  await fillCatalogue();
  write("a.csv", fileOf(3, 4, 5, 6));
  const ran = await runOnTerminal(["import", "a.csv", "--archive-missing"], folder, environment(key), typed);
  expect([ran.code, ran.stdout]).toEqual([code, expect.stringContaining("Archive these 2? [y/N]")]);
  if (code !== 0) expect(ran.stdout).toMatch(/Nothing was sent[^\n]*\s*$/);
  expect(await archived()).toEqual(after);
});

test("--archive-missing archives more than half of the catalogue with --yes only, and nothing when a row is wrong", async () => {
  await fillCatalogue();
  const archive = (text: string, ...more: string[]) => {
    write("few.csv", text);
    return send("few.csv", ["--archive-missing", ...more]);
  };
  const few = fileOf(5, 6);
  const message = "4 of 6 rewards are not in few.csv: add --yes to archive them. Nothing was sent";
  await expect(archive(few)).rejects.toMatchObject({ exitCode: 1, message });
  await expect(archive(`${few}\r\nsku-9,,1`, "--yes")).rejects.toThrow("few.csv:4: name");
  expect(await archived()).toEqual(["sku-7"]);
  const { lines, done } = await archive(few, "--yes");
  expect([lines, done]).toEqual([[], expect.stringMatching(/4 archived$/)]);
  expect(await archived()).toEqual(["sku-1", "sku-2", "sku-3", "sku-4", "sku-7"]);
  expect((await archive(few)).outcomes).toHaveLength(1);
  const poor = send("few.csv", ["--archive-missing"], await writeKey());
  await expect(poor).rejects.toMatchObject({ exitCode: 3, message: expect.stringContaining("read:rewards") });
});

test("an output that takes nothing, as on a full disk, ends no import", async () => {
  await fillCatalogue();
  write("a.csv", fileOf(3, 4, 5, 6));
  const script = '"$0" "$1" import a.csv --archive-missing > /dev/full';
  const ran = await runProgram("bash", ["-c", script, process.execPath, main], folder, environment(key));
  const named = expect.stringMatching(/^The output cannot be written \(.*no space left on device.*\)$/m);
  expect(ran).toMatchObject({ code: 1, stderr: named });
  expect(await archived()).toEqual(["sku-1", "sku-2", "sku-7"]);
});
