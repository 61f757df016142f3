// POST /rewards over HTTP (docs/api.md, Import): what it writes, and what it leaves alone. What is refused is in
// test/support/bad_imports.ts.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { call, expectError, importRewards, list, type Row, sql } from "../support/stack.ts";

let company: TestCompany;
let key: string;
beforeAll(async () => {
  company = await newCompany("Import");
  key = (await company.makeKey()).api_key;
});
afterAll(() => company.remove());
beforeEach(async () => {
  await sql`delete from app.rewards where company_id = ${company.id}`;
});

/** The company's rewards, ordered by external_id, with every column that an import could change, and their versions. */
async function stored(): Promise<Row[]> {
  const rows = await sql<Row[]>`
    select external_id, name, description, points_cost::float8, reward_type, stock_count, image_url, vendor_name, is_archived,
      created_at::text, id::text, xmin::text as version
    from app.rewards where company_id = ${company.id} order by external_id collate "C", name`;
  return [...rows];
}

/** Imports rows, and expects success. Returns how many were created, updated, unchanged. */
async function imported(...rows: object[]): Promise<[number, number, number]> {
  const response = await importRewards(key, rows);
  const text = await response.text();
  expect([response.status, text]).toEqual([
    200,
    expect.stringMatching(/^\{"imported":\d+,"created":\d+,"updated":\d+,"unchanged":\d+\}$/),
  ]);
  const { imported: all, created, updated, unchanged } = JSON.parse(text);
  expect([all, created + updated + unchanged]).toEqual([rows.length, rows.length]);
  return [created, updated, unchanged];
}

/** What a dry run says. */
async function tried(...rows: object[]): Promise<unknown> {
  const response = await call("/rewards?dry_run=true", key, { method: "POST", body: JSON.stringify(rows) });
  expect(response.status).toBe(200);
  return await response.json();
}

const mug = { external_id: "mug-1", name: "Coffee mug", points_cost: 250 };

// Proves: import.1, reward.3, rows.2
test("a new reward is created, with description null and reward_type perk when they are absent, and listed at once", async () => {
  await imported(mug);
  await imported({ ...mug, external_id: "day-1", description: "A day off", reward_type: "time" });
  const untouched = { stock_count: null, image_url: null, vendor_name: null, is_archived: false };
  expect(await stored()).toMatchObject([
    { ...mug, external_id: "day-1", description: "A day off", reward_type: "time", ...untouched },
    { ...mug, description: null, reward_type: "perk", ...untouched },
  ]);
  const listed = await list("/rewards", key);
  expect(listed.map(({ reward_type }) => reward_type)).toEqual(["time", "perk"]);
});

// Proves: service.3, import.1, rows.36
test("an external_id that exists updates that reward, and leaves created_at and what the row does not name alone", async () => {
  await imported(mug);
  const kept = { is_archived: true, stock_count: 7, image_url: "https://example.com/mug.png", vendor_name: "Potter" };
  await sql`update app.rewards set ${sql(kept)}, created_at = '2020-02-02T02:02:02.020202Z' where company_id = ${company.id}`;
  const [before] = await stored();
  const change = { name: "Big mug", points_cost: 300, description: "Half a litre", reward_type: "merch" };
  await imported({ external_id: "mug-1", ...change });
  expect(await stored()).toEqual([{ ...before, ...kept, ...change, version: expect.any(String) }]);
});

// Proves: import.6
test("external_id matches exactly: case and blanks count", async () => {
  const externalIds = ["SKU", "sku", " sku", "sku ", "SKÜ", "SKU\u0308"];
  await imported(...externalIds.map((external_id) => ({ ...mug, external_id })));
  expect(new Set((await stored()).map(({ external_id }) => external_id))).toEqual(new Set(externalIds));
});

// Proves: rows.2, rows.41
test("a reward is imported with stock, picture and vendor, is retired, and comes back; null clears, what is absent stays", async () => {
  const details = { stock_count: 7, image_url: "https://example.com/mug.png", vendor_name: "Potter" };
  expect(await imported({ ...mug, ...details, is_archived: true }, { ...mug, external_id: "plain" })).toEqual([
    2, 0, 0,
  ]);
  const plain = { is_archived: false, stock_count: null, image_url: null, vendor_name: null };
  expect(await stored()).toMatchObject([
    { ...mug, ...details, is_archived: true },
    { external_id: "plain", ...plain },
  ]);
  expect(await list("/rewards", key)).toMatchObject([{ ...plain }]);
  for (const [change, after] of [
    [{}, { ...details, is_archived: true }],
    [{ is_archived: false }, { ...details, is_archived: false }],
    [
      { stock_count: 0, vendor_name: null },
      { ...details, is_archived: false, stock_count: 0, vendor_name: null },
    ],
    [{ image_url: null, stock_count: null }, plain],
  ])
    expect([await imported({ ...mug, ...change }), (await stored())[0]]).toMatchObject([expect.anything(), after]);
});

// Proves: rows.42
test("an import says how many rewards were new, changed and as they were; fields that were not sent are no difference", async () => {
  const rows = Array.from({ length: 10 }, (_, n) => ({ ...mug, external_id: `mug-${n}`, description: "old" }));
  expect(await imported(...rows)).toEqual([10, 0, 0]);
  expect(await imported(...rows)).toEqual([0, 0, 10]);
  const { description: _, ...bare } = rows[3] ?? {};
  const changed = rows.map((row, n) => (n < 3 ? { ...row, description: null } : n === 3 ? bare : row));
  expect(await imported(...changed, { ...mug, external_id: "new" })).toEqual([1, 3, 7]);
});

// Proves: rows.43
test("a dry run checks and counts, and writes nothing, not even a version of a row", async () => {
  await imported(mug, { ...mug, external_id: "same" });
  const before = await stored();
  const rows = [
    { ...mug, name: "Big mug", is_archived: true },
    { ...mug, external_id: "same" },
    { ...mug, external_id: "new" },
  ];
  expect(await tried(...rows)).toEqual({ imported: 0, created: 1, updated: 1, unchanged: 1 });
  expect(await stored()).toEqual(before);
  expect(await imported(...rows), "as it said").toEqual([1, 1, 1]);
  for (const [query = "", error = ""] of [
    ["dry_run=false", "dry_run must be true"],
    ["dry_run=", "dry_run must be true"],
    ["dryrun=true", "dryrun is not a parameter of POST /rewards, which accepts dry_run"],
  ])
    await expectError(await call(`/rewards?${query}`, key, { method: "POST", body: JSON.stringify(mug) }), 400, error);
});

// Proves: rows.3, rows.4
test("on update an absent optional field keeps its value, and description null clears it", async () => {
  const old = ["a", "b", "c", "d"].map((id) => ({ ...mug, external_id: id, description: "old", reward_type: "old" }));
  await imported(...old);
  // Absent and present fields may be mixed in one request.
  const changes = [{ name: "Cup" }, { description: null }, { reward_type: "new" }, { description: "" }];
  await imported(...changes.map((change, n) => ({ ...mug, external_id: old[n]?.external_id, ...change })));
  expect(await stored()).toMatchObject(changes.map((change, n) => ({ ...old[n], ...change })));
});

// Proves: service.3, import.2, import.12, rows.35, rows.37, rows.38, rows.39
test("a whole catalogue can be sent again: only rewards that change get a new version, and those it does not name are left alone", async () => {
  await sql`insert into app.rewards (company_id, name, points_cost) values (${company.id}, 'Coffee mug', 250)`;
  await imported(mug);
  const catalogue = Array.from({ length: 100 }, (_, n) => ({ ...mug, external_id: `sku-${n}`, description: "same" }));
  await imported(...catalogue);
  const before = await stored();
  await imported(...catalogue);
  await imported(...catalogue.map(({ description: _, ...row }) => row));
  expect(await stored()).toEqual(before);
  await imported(...catalogue.with(50, { ...mug, external_id: "sku-50", description: "other" }));
  const changed = (await stored()).filter(({ version }, n) => version !== before[n]?.version);
  expect(changed.map(({ external_id }) => external_id)).toEqual(["sku-50"]);
});

// Proves: rows.5, rows.6, rows.7, rows.8, rows.12
test("texts keep any Unicode, and lengths count characters, not bytes or UTF-16 units", async () => {
  const names = ["漢字 العربية e\u0301 👩‍👩‍👧 \ufeff \uffff \u2028", "😀".repeat(255), '"\\\u202e\t\r\n\u0001\u007f'];
  const others = { description: "😀".repeat(2000), reward_type: "é".repeat(50) };
  await imported(...names.map((name, n) => ({ ...mug, ...others, external_id: `${n}${"🦔".repeat(254)}`, name })));
  expect((await stored()).map(({ name }) => name)).toEqual(names);
});

// Proves: import.4, import.5, import.13, errors.7, limits.3, rows.14
test("500 rewards are taken, and nothing is written when one of them is wrong or when they are 501", async () => {
  const rows = Array.from({ length: 500 }, (_, n) => ({ ...mug, external_id: `mug-${n}` }));
  await imported(...rows);
  const before = await stored();
  expect(before).toHaveLength(500);
  const other = rows.map((row) => ({ ...row, name: "Cup" }));
  const refused = await importRewards(key, other.with(499, { ...mug, external_id: "last", points_cost: -1 }));
  await expectError(refused, 400, "rewards[499]: points_cost must be a number of 0 or more");
  const tooMany = await importRewards(key, { rewards: [...other, { ...mug, external_id: "last" }] });
  await expectError(tooMany, 400, "body must hold at most 500 rewards");
  expect(await stored()).toEqual(before);
});
