// GET /rewards (docs/api.md, Rewards).
import { expect, test } from "vitest";
import { newCompany } from "../support/companies.ts";
import { type DemoCompany, dateTime, demo, expectRows, list, page, type Row, sql } from "../support/stack.ts";

/** The rows of the table, read without the views. */
async function rewards({ id }: Pick<DemoCompany, "id">): Promise<Row[]> {
  return [
    ...(await sql<Row[]>`
      select r.id::text, r.name, r.description, r.points_cost::float8, r.reward_type, r.stock_count, r.image_url, r.vendor_name,
        r.is_archived, ${dateTime("r.created_at")} as created_at
      from app.rewards r where r.company_id = ${id}
      order by r.created_at desc, r.id desc`),
  ];
}

test("GET /rewards leaves archived rewards out, newest first, ties by id descending", async () => {
  for (const company of demo) {
    const all = await rewards(company);
    const current = all.filter(({ is_archived }) => !is_archived);
    expect(current.length).toBeGreaterThan(0);
    expect(current.length).toBeLessThan(all.length);
    expectRows(await list("/rewards?limit=1000", company.key), current);
  }
});

test("include_archived=true adds the archived rewards, in their place", async () => {
  for (const company of demo) {
    const all = await rewards(company);
    expect(all.length).toBeGreaterThanOrEqual(60);
    expectRows(await list("/rewards?limit=1000&include_archived=true", company.key), all);
  }
});

test("a reward has its ten fields in this order and of these types", async () => {
  for (const { key } of demo) {
    const rows = await list("/rewards?include_archived=true", key);
    const textOrNull = (value: unknown) => (value === null ? null : expect.any(String));
    for (const row of rows) {
      expect(row).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        name: expect.any(String),
        description: textOrNull(row.description),
        points_cost: expect.any(Number),
        reward_type: expect.any(String),
        stock_count: row.stock_count === null ? null : expect.any(Number),
        image_url: textOrNull(row.image_url),
        vendor_name: textOrNull(row.vendor_name),
        is_archived: expect.any(Boolean),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      });
      const names =
        "id name description points_cost reward_type stock_count image_url vendor_name is_archived created_at";
      expect(Object.keys(row).join(" ")).toBe(names);
      expect(Number.isInteger(row.points_cost) && Number.isInteger(row.stock_count ?? 0)).toBe(true);
    }
    for (const name of ["description", "stock_count", "image_url", "vendor_name"]) {
      const nulls = rows.filter((row) => row[name] === null).length;
      expect(nulls, `${name} is null here and there`).toBeGreaterThan(0);
      expect(nulls, `${name} is not always null`).toBeLessThan(rows.length);
    }
  }
});

test("X-Has-More counts only the rewards that the list would show", async () => {
  for (const company of demo) {
    const all = await rewards(company);
    const current = all.filter(({ is_archived }) => !is_archived).length;
    const hasMore = async (query: string) => (await page(`/rewards?${query}`, company.key)).hasMore;
    expect(await hasMore(`limit=${current}`)).toBe(false);
    expect(await hasMore(`limit=${current - 1}`)).toBe(true);
    expect(await hasMore(`limit=${current}&include_archived=true`)).toBe(true);
    expect(await hasMore(`limit=${all.length}&include_archived=true`)).toBe(false);
  }
});

test("points_cost carries every integer up to 9007199254740991 exactly", async () => {
  const company = await newCompany("Points");
  try {
    const costs = ["9007199254740991", "9007199254740990", "2147483648", "0"];
    for (const cost of costs) {
      await sql`insert into app.rewards (company_id, name, points_cost) values (${company.id}, ${cost}, ${cost})`;
    }
    const { api_key } = await company.makeKey(["read:rewards"]);
    const rows = await list("/rewards", api_key);
    expectRows(rows, await rewards(company));
    for (const row of rows) expect(String(row.points_cost)).toBe(row.name);
  } finally {
    await company.remove();
  }
});
