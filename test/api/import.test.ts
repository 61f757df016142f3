// POST /rewards (docs/api.md, Import): what it writes, and what it leaves unchanged. Refused imports are in
// import_limits.test.ts and in bad_requests/.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { expectError, importRewards, list, type Row, sql } from "../support/stack.ts";

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

/** The rewards of a company, ordered by external_id, with every column that an import could change. */
async function stored(of = company): Promise<Row[]> {
  return [
    ...(await sql<Row[]>`
      select external_id, name, description, points_cost::float8, reward_type, stock_count, image_url, vendor_name, is_archived,
        created_at::text, id::text, xmin::text as version
      from app.rewards where company_id = ${of.id} order by external_id collate "C", name`),
  ];
}

/** Imports, and expects success. */
async function imported(body: unknown, count: number): Promise<void> {
  const response = await importRewards(key, body);
  expect({ status: response.status, body: await response.text() }).toEqual({
    status: 200,
    body: `{"imported":${count}}`,
  });
  expect(response.headers.get("Content-Type")).toBe("application/json");
}

const mug = { external_id: "mug-1", name: "Coffee mug", points_cost: 250 };

// Proves: import.1, rows.2
test("a reward that is new is created, with description null and reward_type perk when they are absent", async () => {
  await imported([mug, { ...mug, external_id: "day-1", description: "A day off", reward_type: "time" }], 2);
  const untouched = { stock_count: null, image_url: null, vendor_name: null, is_archived: false };
  expect(await stored()).toEqual([
    expect.objectContaining({
      ...mug,
      external_id: "day-1",
      description: "A day off",
      reward_type: "time",
      ...untouched,
    }),
    expect.objectContaining({ ...mug, description: null, reward_type: "perk", ...untouched }),
  ]);
});

// Proves: service.3, import.1
test("an external_id that exists updates that reward: no duplicate, the same id", async () => {
  await imported(mug, 1);
  const [before] = await stored();
  await imported(
    { external_id: "mug-1", name: "Big mug", points_cost: 300, description: "Half a litre", reward_type: "merch" },
    1,
  );
  const after = await stored();
  expect(after).toHaveLength(1);
  expect(after[0]).toMatchObject({
    id: before?.id,
    name: "Big mug",
    points_cost: 300,
    description: "Half a litre",
    reward_type: "merch",
  });
});

// Proves: import.6
test("external_id matches exactly: case and blanks count", async () => {
  const externalIds = ["SKU", "sku", " sku", "sku ", "SKÜ", "SKU\u0308"];
  await imported(
    externalIds.map((external_id) => ({ ...mug, external_id })),
    6,
  );
  expect(new Set((await stored()).map(({ external_id }) => external_id))).toEqual(new Set(externalIds));
});

// Proves: rows.3, rows.4
test("on update an absent optional field keeps its value, and description null clears it", async () => {
  const ids = ["a", "b", "c", "d"];
  await imported(
    ids.map((external_id) => ({ ...mug, external_id, description: "old", reward_type: "old" })),
    4,
  );
  // Absent and present fields may be mixed in one request.
  await imported(
    [
      { ...mug, external_id: "a", name: "Cup" },
      { ...mug, external_id: "b", description: null },
      { ...mug, external_id: "c", reward_type: "new" },
      { ...mug, external_id: "d", description: "" },
    ],
    4,
  );
  expect((await stored()).map(({ name, description, reward_type }) => [name, description, reward_type])).toEqual([
    ["Cup", "old", "old"],
    [mug.name, null, "old"],
    [mug.name, "old", "new"],
    [mug.name, "", "old"],
  ]);
});

// Proves: service.3, rows.35, rows.39
test("a whole catalogue can be sent again: rows that change nothing count as imported, and get no new version", async () => {
  const catalogue = Array.from({ length: 100 }, (_, n) => ({ ...mug, external_id: `sku-${n}`, description: "same" }));
  await imported(catalogue, 100);
  const before = await stored();
  await imported(catalogue, 100);
  await imported(
    catalogue.map(({ description: _, ...row }) => row),
    100,
  );
  expect(await stored()).toEqual(before);
  // If one reward changes, only this one is written.
  await imported(catalogue.with(50, { ...mug, external_id: "sku-50", description: "other" }), 100);
  const changed = (await stored()).filter(({ version }, n) => version !== before[n]?.version);
  expect(changed.map(({ external_id }) => external_id)).toEqual(["sku-50"]);
});

// Proves: rows.36
test("an import leaves is_archived, stock_count, image_url, vendor_name and created_at alone", async () => {
  await imported(mug, 1);
  await sql`
    update app.rewards set is_archived = true, stock_count = 7, image_url = 'https://example.com/mug.png', vendor_name = 'Potter',
      created_at = '2020-02-02T02:02:02.020202Z'
    where company_id = ${company.id}`;
  await imported({ ...mug, name: "Cup", description: "new", points_cost: 1, reward_type: "merch" }, 1);
  expect((await stored())[0]).toMatchObject({
    name: "Cup",
    is_archived: true,
    stock_count: 7,
    image_url: "https://example.com/mug.png",
    vendor_name: "Potter",
    created_at: "2020-02-02 02:02:02.020202+00",
  });
});

// Proves: rows.37
test("an import leaves rewards alone that it does not name, and rewards without an external_id", async () => {
  await sql`insert into app.rewards (company_id, name, points_cost) values (${company.id}, 'Coffee mug', 250)`;
  await imported([mug, { ...mug, external_id: "mug-2" }], 2);
  const before = await stored();
  await imported({ ...mug, name: "Cup" }, 1);
  const after = await stored();
  expect(after).toHaveLength(3);
  expect(after.filter(({ external_id }) => external_id !== "mug-1")).toEqual(
    before.filter(({ external_id }) => external_id !== "mug-1"),
  );
});

// Proves: reward.3
test("imported rewards appear in GET /rewards at once, newest first", async () => {
  await imported(mug, 1);
  await imported({ ...mug, external_id: "mug-2", name: "Second mug", reward_type: "merch" }, 1);
  const rows = await list("/rewards", key);
  expect(rows.map(({ name, reward_type }) => [name, reward_type])).toEqual([
    ["Second mug", "merch"],
    ["Coffee mug", "perk"],
  ]);
  expect(rows[0]).not.toHaveProperty("external_id");
});

// Proves: rows.5, rows.6, rows.7, rows.8, rows.12
test("texts keep any Unicode, and lengths count characters, not bytes or UTF-16 units", async () => {
  const texts = [
    "漢字 العربية e\u0301 👩‍👩‍👧 \ufeff \uffff \u2028",
    "😀".repeat(255),
    "\t\r\n\u0001\u007f",
    '"\\\u202e',
  ];
  await imported(
    texts.map((name, n) => ({
      ...mug,
      external_id: `${n}`,
      name,
      description: "😀".repeat(2000),
      reward_type: "é".repeat(50),
    })),
    4,
  );
  expect((await stored()).map(({ name }) => name)).toEqual(texts);
  await imported({ ...mug, external_id: "🦔".repeat(255) }, 1);
  expect((await importRewards(key, { ...mug, external_id: "🦔".repeat(256) })).status).toBe(400);
});

// Proves: import.5, import.13, errors.7, rows.14
test("nothing is written when one row of many is wrong: no new reward, no update", async () => {
  await imported(mug, 1);
  const before = await stored();
  const rows = Array.from({ length: 500 }, (_, n) => ({ ...mug, external_id: `mug-${n}`, name: "Cup" }));
  const response = await importRewards(key, rows.with(499, { ...mug, external_id: "last", points_cost: -1 }));
  await expectError(response, 400, "rewards[499]: points_cost must be a number of 0 or more");
  expect(await stored()).toEqual(before);
});
