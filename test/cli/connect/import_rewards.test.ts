// docs/connect/import-rewards.md: what a person sees in the sheet after each click, and what is in the catalogue then.
import { expect, test } from "vitest";
import { companyOfTest } from "../../support/companies.ts";
import { importRewards, list, sql } from "../../support/stack.ts";
import { appsScript } from "./apps_script.ts";

const [tries, imports] = ["Try, write nothing", "Import"];

async function makeShop() {
  const { company, key } = await companyOfTest("Shop", ["read:rewards", "write:rewards"]);
  const stored = () => sql<{ external_id: string; name: string; points_cost: number }[]>`
    select external_id, name, points_cost::int from app.rewards where company_id = ${company.id} order by external_id`;
  return { key, stored };
}

/** A column of a sheet, from the heading to the last of these rows. */
const columnOf = (cells: string[][], column: number, rows: number) => cells.slice(0, rows).map((row) => row[column]);

test("the sheet says what is wrong in each row, then what is new and what changes; a try writes nothing", async () => {
  const { key, stored } = await makeShop();
  await importRewards(key, [
    { external_id: "00124", name: "Day off", points_cost: 5000, stock_count: 2 },
    { external_id: "00125", name: "Lunch", points_cost: 120 },
  ]);
  const before = await stored();
  const google = appsScript("import-rewards.gs", `${key}\n`);
  google.open([
    ["external_id", "name", "points_cost", "stock_count", "is_archived", ""],
    ["00123", new Date(0), "250", "", false, ""],
    [124, "Day off", "1.000", "", true, ""],
    ["00125", "Lunch ", "-3", "many", "", ""],
    ["00125", "#N/A", 120, "", false, ""],
    ["", "", "", "", false, ""],
    ["nan", "2027", 10, "", "yes", ""],
  ]);
  google.click(tries);
  const cells = google.cells("Sheet1");
  expect(columnOf(cells, 5, 7)).toEqual([
    "Result: nothing was imported. Correct 5, then try again",
    "name is a date: format the column as plain text, and enter the value again",
    "external_id may have lost zeros: format the column as plain text, and enter the ID again",
    "name must not begin or end with a blank or an invisible character",
    "name must not be the error of a formula; external_id must be unique, row 4 has it too",
    "",
    "external_id must be an ID, not a word for a missing value",
  ]);
  google.open([
    ["external_id", "name", "points_cost", "stock_count", "is_archived"],
    ["00123", "Mug, 0.4 l", "250"],
    ["00124", "Day off", "1.000"],
    ["00125", "Lunch", "-3", "many"],
    ["00127", "A book", 99.5],
    [],
    ["00126"],
  ]);
  google.click(imports);
  expect(columnOf(cells, 5, 7)).toEqual([
    "Result: nothing was imported. Correct 3, then try again",
    "",
    "points_cost must be a number of 0 or more",
    "points_cost must be a number of 0 or more; stock_count must be an integer of 0 or more, or null",
    ...["", "", "is_archived must be true or false"],
  ]);
  expect(await stored()).toEqual(before);

  google.open([
    [],
    [],
    ["00124", "Day off", "4000"],
    ["00125", "Lunch", 120, ""],
    [],
    [],
    ["00126", "2027", 10, "", "TRUE"],
  ]);
  for (const row of cells) row[6] = "mine";
  const seen = ["new", "changed: points_cost 5000 → 4000, is_archived false → true", "unchanged", "new", "", "new"];
  google.click(tries);
  expect(columnOf(cells, 5, 7)).toEqual(["Result: nothing was imported yet. 3 new, 1 changed, 1 unchanged", ...seen]);
  expect(await stored()).toEqual(before);
  google.hooks.whileFetching = () => expect(() => google.click(tries)).toThrow("Another run holds the lock");
  google.click(imports);
  expect(columnOf(cells, 5, 7)).toEqual(["Result: 5 of 5 imported. 3 new, 1 changed, 1 unchanged", ...seen]);
  expect(await stored()).toEqual([
    { external_id: "00123", name: "Mug, 0.4 l", points_cost: 250 },
    { external_id: "00124", name: "Day off", points_cost: 4000 },
    { external_id: "00125", name: "Lunch", points_cost: 120 },
    { external_id: "00126", name: "2027", points_cost: 10 },
    { external_id: "00127", name: "A book", points_cost: 100 },
  ]);
  const [dayOff] = await list("/rewards?include_archived=true&external_id=00124", key);
  expect(dayOff).toMatchObject({ stock_count: 2, is_archived: true });
  google.click(imports);
  expect(columnOf(cells, 5, 7)).toEqual([
    "Result: 5 of 5 imported. 0 new, 0 changed, 5 unchanged",
    ...["unchanged", "unchanged", "unchanged", "unchanged", "", "unchanged"],
  ]);
  expect(new Set(columnOf(cells, 6, cells.length))).toEqual(new Set(["mine"]));
});

test("the sheet reads what the command line reads", async () => {
  const { key, stored } = await makeShop();
  const read = appsScript("import-rewards.gs", key);
  read.open([
    ["external_id", "name", "points_cost", "is_archived"],
    ["1", "NULL", "4999,5", "FALSCH"],
    ["2", "Mug", "0.4", "vrai"],
  ]);
  read.click(imports);
  expect(columnOf(read.cells("Sheet1"), 4, 3)).toEqual([
    "Result: 2 of 2 imported. 2 new, 0 changed, 0 unchanged",
    "new; check name: it looks like a missing value",
    "new; points_cost becomes 0",
  ]);
  expect(await stored()).toMatchObject([{ points_cost: 5000 }, { points_cost: 0 }]);
});

test.each([
  ["sorted", (cells: string[][]) => cells.splice(1, 2, ...cells.slice(1, 3).reverse())],
  ["given a column", (cells: string[][]) => cells.map((row, n) => row.splice(1, 0, n === 0 ? "description" : "Nice"))],
])("a sheet that was %s during a run gets no result beside another row, and keeps its cells", async (_how, change) => {
  const { key, stored } = await makeShop();
  const google = appsScript("import-rewards.gs", key);
  const { cells } = google.open([
    ["external_id", "name", "points_cost"],
    ["1", "Mug", 250],
    ["2", "Cup", 3],
  ]);
  google.hooks.whileFetching = () => void change(cells);
  google.click(imports);
  const column = cells[0]?.findIndex((heading) => heading.startsWith("Result")) ?? 0;
  const heading = "Result: 2 of 2 imported. 2 new, 0 changed, 0 unchanged. The rows have changed meanwhile";
  expect(columnOf(cells, column, 3)).toEqual([expect.stringContaining(heading), "", ""]);
  expect(cells.slice(1, 3).flatMap((row) => row.slice(0, column))).not.toContain("");
  expect(await stored()).toHaveLength(2);
});

test("an import that breaks off says how far it came, and the next one completes it", async () => {
  const { key, stored } = await makeShop();
  const busy = { status: 429, headers: { "Retry-After": "7" }, text: "Not now" };
  const gone = { status: 401, headers: {}, text: "Unauthorized" };
  const rewards = Array.from({ length: 501 }, (_, index) => [`R-${1000 + index}`, `Reward ${index}`, index]);
  // Two requests try it, one reads the catalogue, two import it.
  const google = appsScript("import-rewards.gs", key, [busy, null, null, null, null, gone]);
  google.open([["external_id", "name", "points_cost"], ...rewards]);
  expect(() => google.click(imports)).toThrow("401: Unauthorized");
  expect(google.slept).toEqual([7000]);
  const results = () => columnOf(google.cells("Sheet1"), 3, 502);
  const counts = "500 new, 0 changed, 0 unchanged";
  expect(results()).toEqual([`Result: 500 of 501 imported. ${counts}`, ...Array(500).fill("new"), ""]);
  expect(await stored()).toHaveLength(500);
  google.click(imports);
  expect(results()[0]).toBe("Result: 501 of 501 imported. 1 new, 0 changed, 500 unchanged");
  expect(results().slice(-2)).toEqual(["unchanged", "new"]);
  expect(await stored()).toHaveLength(501);
});

test("without rewards, without a key, and with a refused key, the script says so, and old results are gone", () => {
  const rows = [
    ["external_id", "name", "points_cost", "Result"],
    ["1", "Mug", 1, "new"],
  ];
  for (const [key, said] of [
    ["", "Add the script property PUBLIC_API_KEY under Project Settings"],
    ["sk_live_none", "401: "],
  ] as const) {
    const google = appsScript("import-rewards.gs", key);
    google.open([["external_id", "Result"]]);
    expect(() => google.click(tries)).toThrow("The sheet has no rewards");
    google.open(rows);
    expect(() => google.click(tries)).toThrow(said);
    expect(columnOf(google.cells("Sheet1"), 3, 2)).toEqual(["Result", ""]);
  }
});
