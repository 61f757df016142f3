// POST /rewards over HTTP (docs/api.md, Import): what it writes, and what it leaves alone. What is refused is in
// test/support/bad_imports.ts.
import { beforeEach, expect, test } from "vitest";
import { companyOfFile } from "../support/companies.ts";
import { call, expectError, importRewards, list, type Row, sql } from "../support/stack.ts";

const { company, key } = await companyOfFile("Import");
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
  expect(text).toMatch(/^\{"imported":\d+,"created":\d+,"updated":\d+,"unchanged":\d+\}$/);
  expect(response.status).toBe(200);
  const { imported: all, created, updated, unchanged } = JSON.parse(text);
  expect([all, created + updated + unchanged]).toEqual([rows.length, rows.length]);
  return [created, updated, unchanged];
}

const mug = { external_id: "mug-1", name: "Coffee mug", points_cost: 250 };

const details = {
  // Any Unicode, at its longest, counted in characters.
  ...{ description: "😀".repeat(2000), reward_type: "é".repeat(50), stock_count: 2147483647 },
  vendor_name: "漢字 العربية e\u0301 👩‍👩‍👧 \ufeff \uffff \u2028".padEnd(258, "ü"),
  image_url: `HTTPS://example.com/${"a".repeat(1980)}`,
};

// Proves: import.1, reward.3, rows.2, rows.5, rows.6, rows.7, rows.8, rows.12
test("a new reward has what was sent, else perk, null and not archived; it is listed at once, unless it is archived", async () => {
  const odd = { external_id: "🦔".repeat(255), name: '"\\\u202e\t\r\n\u0001\u007f'.padEnd(255, "é"), points_cost: 1 };
  const archived = { ...mug, external_id: "name", name: "name", is_archived: true };
  expect(await imported({ ...odd, ...details }, mug, archived)).toEqual([3, 0, 0]);
  const bare = { description: null, reward_type: "perk", stock_count: null, image_url: null, vendor_name: null };
  expect(await stored()).toMatchObject([
    { ...bare, ...mug, is_archived: false },
    { ...bare, ...archived },
    { ...odd, ...details, is_archived: false },
  ]);
  const listed = await list("/rewards", key);
  expect(listed.map(({ reward_type }) => reward_type).sort()).toEqual(["perk", details.reward_type]);
});

// Proves: service.3, import.1, rows.3, rows.4, rows.36, rows.41
test("an external_id that exists updates that reward: null clears, and what is absent stays, as id and created_at do", async () => {
  await imported({ ...mug, ...details, is_archived: true });
  await sql`update app.rewards set created_at = '2020-02-02T02:02:02.020202Z' where company_id = ${company.id}`;
  let [expected] = await stored();
  for (const change of [
    {},
    { name: "Big mug", points_cost: 300 },
    { is_archived: false },
    { description: "", stock_count: 0, vendor_name: null },
    { description: null, stock_count: null, image_url: null, reward_type: "gift" },
  ]) {
    expected = { ...expected, ...change, version: expect.any(String) };
    const { external_id, name, points_cost } = expected;
    await imported({ external_id, name, points_cost, ...change });
    expect(await stored()).toEqual([expected]);
  }
});

// Proves: import.6
test("external_id matches exactly: case and blanks count", async () => {
  const externalIds = ["SKU", "sku", " sku", "sku ", "SKÜ", "SKU\u0308"];
  await imported(...externalIds.map((external_id) => ({ ...mug, external_id })));
  expect(new Set((await stored()).map(({ external_id }) => external_id))).toEqual(new Set(externalIds));
});

// Proves: rows.43
test("a dry run checks and counts, and writes nothing, not even a version of a row", async () => {
  const [same, another] = ["same", "new"].map((external_id) => ({ ...mug, external_id })) as [object, object];
  await imported(mug, same);
  const before = await stored();
  const rows = [{ ...mug, name: "Big mug", is_archived: true }, same, another];
  const tried = await call("/rewards?dry_run=true", key, { method: "POST", body: JSON.stringify(rows) });
  expect(await tried.json()).toEqual({ imported: 0, created: 1, updated: 1, unchanged: 1 });
  expect(await stored()).toEqual(before);
  expect(await imported(...rows), "as it said").toEqual([1, 1, 1]);
  for (const value of ["false", ""]) {
    const wrong = await call(`/rewards?dry_run=${value}`, key, { method: "POST", body: JSON.stringify(mug) });
    await expectError(wrong, 400, "dry_run must be true");
  }
});

// Proves: service.3, import.2, import.12, rows.35, rows.37, rows.38, rows.39, rows.42
test("a whole catalogue can be sent again: it says how many rewards were new, changed and as they were, and only what changes gets a new version", async () => {
  await sql`insert into app.rewards (company_id, name, points_cost) values (${company.id}, 'Coffee mug', 250)`;
  await imported(mug);
  const catalogue = Array.from({ length: 100 }, (_, n) => ({ ...mug, external_id: `sku-${n}`, description: "same" }));
  expect(await imported(...catalogue)).toEqual([100, 0, 0]);
  const before = await stored();
  expect(await imported(...catalogue)).toEqual([0, 0, 100]);
  // Fields that are not sent are no difference, also beside rows that have them.
  const bare = catalogue.map(({ description: _, ...row }) => row);
  expect(await imported(...bare)).toEqual([0, 0, 100]);
  expect(await stored()).toEqual(before);
  const others = ["new", "sku-99"].map((external_id) => ({ ...mug, external_id, description: "other" }));
  const mixed = [...bare.slice(0, 50), ...catalogue.slice(50, 99), ...others];
  expect(await imported(...mixed)).toEqual([1, 1, 99]);
  const versions = new Set(before.map(({ version }) => version));
  const written = (await stored()).filter(({ version }) => !versions.has(version));
  expect(written.map(({ external_id }) => external_id)).toEqual(["new", "sku-99"]);
});
