// Reading a list page by page with starting_after (docs/api.md, Lists) while rows are added and deleted. Each row that
// was there all the time comes exactly once, in the order of the list, with every filter, with pages of any size, as
// JSON and as CSV.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { count, tried } from "../support/counts.ts";
import { lists, predict, readCsv } from "../support/model.ts";
import { call, sql } from "../support/stack.ts";
import { iso, newWorld, type World } from "../support/world.ts";

let world: World;
let key: string;
beforeAll(async () => {
  world = await newWorld(40);
  key = (await world.company.makeKey()).api_key;
});
afterAll(() => world.company.remove());

const listAt = (path: string) => lists[path] as (typeof lists)[string];

/**
 * Inserts a row, either with the time of another row, so that equal times are common, or with a newer time. Returns its
 * id.
 */
async function insert(path: string, index: number, isNewer: boolean): Promise<string> {
  const { table, newRow, rows: rowsOf } = listAt(path);
  const rows = rowsOf(world);
  const at = isNewer ? 1_900_000_000_000_000n + BigInt(index) : (rows[index % rows.length]?.at ?? 0n);
  const id = randomUUID();
  const values = { company_id: world.company.id, id, ...newRow(world, index), created_at: iso(at) };
  const columns = sql(Object.keys(values));
  await sql`
    insert into app.${sql(table)} (${columns})
    select ${columns} from jsonb_populate_record(null::app.${sql(table)}, ${JSON.stringify(values)}::text::jsonb)`;
  return id;
}

/** Deletes rows that {@link insert} has written. No other row refers to them. */
const remove = (path: string, ids: string[]) =>
  sql`delete from app.${sql(listAt(path).table)} where company_id = ${world.company.id} and id = any(${ids}::uuid[])`;

/** One page: the ids of its rows, and whether there are more. */
async function page(path: string, parameters: Record<string, string>): Promise<{ ids: string[]; hasMore: boolean }> {
  const response = await call(`${path}?${new URLSearchParams(parameters)}`, key);
  const body = await response.text();
  expect([response.status, response.status === 200 ? "" : body]).toEqual([200, ""]);
  const rows: { id: string }[] =
    parameters.format === "csv"
      ? readCsv(body)
          .slice(1)
          .map(([id = ""]) => ({ id }))
      : JSON.parse(body);
  const ids = rows.map(({ id }) => id);
  return { ids, hasMore: response.headers.get("X-Has-More") === "true" };
}

/** The values of the wanted filters, taken from an existing row. */
function filtersOf(path: string, wanted: string[], index: number): Record<string, string> {
  const rows = listAt(path).rows(world);
  const row = rows[index % rows.length];
  const times = [row, rows[(index + 5) % rows.length]].map((row) => iso(row?.at ?? 0n)).sort();
  const values: Record<string, string | null | undefined> = {
    ...row?.filters,
    since: times[0],
    until: times[1],
    include_archived: "true",
  };
  return Object.fromEntries(wanted.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
}

const walks = fc.constantFrom(...Object.keys(lists)).chain((path) =>
  fc.record({
    path: fc.constant(path),
    filters: fc.subarray(listAt(path).filters),
    row: fc.nat(1000),
    limit: fc.integer({ min: 1, max: 9 }),
    format: fc.constantFrom("json", "csv"),
    // The changes between two pages.
    changes: fc.infiniteStream(fc.constantFrom("newer", "between", "delete", "nothing")),
  }),
);

/** Reads a list to its end, page by page, and awaits `between` after each page. */
async function walk(
  path: string,
  parameters: Record<string, string>,
  between: (walked: string[]) => Promise<void>,
): Promise<string[]> {
  const walked: string[] = [];
  for (let hasMore = true; hasMore; ) {
    const last = walked.at(-1);
    const next = await page(path, { ...parameters, ...(last && { starting_after: last }) });
    walked.push(...next.ids);
    hasMore = next.hasMore;
    if (hasMore) expect(next.ids.length, "a page with more behind it is full").toBe(Number(parameters.limit));
    await between(walked);
  }
  return walked;
}

// Proves: reaching.1
test("each row that was there all the time comes exactly once, whatever comes and goes between two pages", async () => {
  const seen = { pages: 0, rows: 0, changes: 0 };
  const property = fc.asyncProperty(walks, async ({ path, filters, row, limit, format, changes }) => {
    const filter = filtersOf(path, filters, row);
    const stays = predict(world, { path, parameters: { ...filter, limit: "1000" } })?.rows.map(({ id }) => id) ?? [];
    const added: string[] = [];
    const change = async (walked: string[]): Promise<void> => {
      const kind = changes.next().value;
      if (kind === "newer" || kind === "between") added.push(await insert(path, row + walked.length, kind === "newer"));
      // The row that the next page starts after is kept: without it the answer is a 400.
      if (kind === "delete") await remove(path, added.filter((id) => id !== walked.at(-1)).slice(0, 1));
      seen.pages++;
      if (kind !== "nothing") seen.changes++;
    };
    try {
      const walked = await walk(path, { ...filter, limit: String(limit), format }, change);
      expect(new Set(walked).size, "no row comes twice").toBe(walked.length);
      expect(walked.filter((id) => !added.includes(id))).toEqual(stays);
      seen.rows += walked.length;
    } finally {
      await remove(path, added);
    }
  });
  const numRuns = count(60, 1000);
  await fc.assert(property, { numRuns });
  tried(
    `walks: ${numRuns} lists walked in ${seen.pages} pages, ${seen.rows} rows, ${seen.changes} changes between pages`,
  );
}, 600_000);
