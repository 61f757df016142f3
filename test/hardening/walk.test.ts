// Reading a list page by page by following Link, which has starting_after (docs/api.md, Lists), while rows are added and
// deleted: with every filter, with pages of any size, as JSON and as CSV.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { count, tried } from "../support/counts.ts";
import { met, rowAt } from "../support/list_requests.ts";
import { lists, modelOf, predict, readCsv } from "../support/model.ts";
import { type IsolationLevel, isolationLevels, sqlAt } from "../support/rpc.ts";
import { call, nextPage, sql } from "../support/stack.ts";
import { iso, worldOfFile } from "../support/world.ts";

const { world, key } = await worldOfFile(40);

/** Inserts a copy of a row, either with its time, so that equal times are common, or with a newer time. Returns its id. */
async function insert(level: IsolationLevel, path: string, index: number, isNewer: boolean): Promise<string> {
  const row = rowAt(world, path, index);
  const id = randomUUID();
  const created_at = iso(isNewer ? 1_900_000_000_000_000n + BigInt(index) : row.at);
  const values = JSON.stringify({ id, created_at, email: `${id}@walk.example`, external_id: null });
  const table = sql(modelOf(path).table);
  await sqlAt(level)`
    insert into app.${table} select (jsonb_populate_record(t, ${values}::text::jsonb)).* from app.${table} as t
    where company_id = ${world.company.id} and id = ${row.id as string}`;
  return id;
}

/** Deletes rows that {@link insert} has written. No other row refers to them. */
const remove = (level: IsolationLevel, path: string, ids: string[]) =>
  sqlAt(level)`
    delete from app.${sql(modelOf(path).table)} where company_id = ${world.company.id} and id = any(${ids}::uuid[])`;

const walks = fc.constantFrom(...Object.keys(lists)).chain((path) =>
  fc.record({
    path: fc.constant(path),
    level: fc.constantFrom(...isolationLevels),
    filters: fc.subarray(modelOf(path).filters),
    row: fc.nat(1000),
    limit: fc.integer({ min: 1, max: 9 }),
    format: fc.constantFrom("json", "csv"),
    // The changes between two pages.
    changes: fc.infiniteStream(fc.constantFrom("newer", "between", "delete", "nothing")),
  }),
);

/** Reads a list to its end, page by page, and awaits `between` after each page. */
async function walk(path: string, parameters: Record<string, string>, between: (walked: string[]) => Promise<void>) {
  const walked: string[] = [];
  for (let next: string | undefined = `${path}?${new URLSearchParams(parameters)}`; next !== undefined; ) {
    const response = await call(next, key);
    const body = await response.text();
    expect([response.status, response.status === 200 ? "" : body]).toEqual([200, ""]);
    const [, ...rows] = parameters.format === "csv" ? readCsv(body) : [[], ...JSON.parse(body).map(Object.values)];
    walked.push(...rows.map(([id]) => id));
    next = nextPage(response);
    if (next) expect(rows.length, "a page with more behind it is full").toBe(Number(parameters.limit));
    await between(walked);
  }
  return walked;
}

// Proves: reaching.1, copies.14
test("each row that was there all the time comes exactly once, in the order of the list, whatever comes and goes between two pages", async () => {
  let pages = 0;
  const property = fc.asyncProperty(walks, async ({ path, level, filters, row, limit, format, changes }) => {
    const values = Object.entries(met(path, rowAt(world, path, row), rowAt(world, path, row + 5)));
    const filter = Object.fromEntries(values.filter(([name]) => filters.includes(name)));
    const stays = predict(world, { path, parameters: { ...filter, limit: "1000" } })?.rows.map(({ id }) => id) ?? [];
    const added: string[] = [];
    const change = async (walked: string[]): Promise<void> => {
      const kind = changes.next().value;
      if (kind === "newer" || kind === "between")
        added.push(await insert(level, path, row + walked.length, kind === "newer"));
      // The row that the next page starts after, if possible: it starts after a time and an id.
      if (kind === "delete")
        await remove(level, path, [added.find((id) => id === walked.at(-1)) ?? added[0] ?? randomUUID()]);
      pages++;
    };
    try {
      const walked = await walk(path, { ...filter, limit: String(limit), format }, change);
      expect(new Set(walked).size, "no row comes twice").toBe(walked.length);
      expect(walked.filter((id) => !added.includes(id))).toEqual(stays);
    } finally {
      await remove(level, path, added);
    }
  });
  const numRuns = count(60, 1000);
  await fc.assert(property, { numRuns });
  tried(`walks: ${numRuns} lists walked in ${pages} pages, with changes between them`);
});
