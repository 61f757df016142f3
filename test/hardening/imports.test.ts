// Imports at the same time: no deadlock, no row lost or doubled, every batch written as a whole, and the result is that
// of some serial order.
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { serviceRole, upsert } from "../support/rpc.ts";
import { importRewards, list, sql } from "../support/stack.ts";

// With the reader, this is as many as one company may have at once (app.requests_at_once).
const writers = 3;
const externalIds = Array.from({ length: 500 }, (_, index) => `sku-${index}`);
let company: TestCompany;
let key: string;
let connections: Awaited<ReturnType<typeof serviceRole>>[];
beforeAll(async () => {
  company = await newCompany("Imports at the same time");
  key = (await company.makeKey()).api_key;
  connections = await Promise.all(Array.from({ length: writers }, serviceRole));
});
afterAll(async () => {
  for (const db of connections) await db.end();
  await company.remove();
});
const shuffled = <T>(values: readonly T[]): T[] => values.toSorted(() => randomInt(3) - 1);

/** An acknowledged import: the fields that it sent for each external id. */
type Batch = { id: number; rows: Map<string, Record<string, unknown>> };

/** A field of a stored row. */
type Cell = { external_id: string; field: string; value: unknown };

/** The rows of a batch in random order. Each value names its batch. Optional fields are there at random. */
function makeBatch(id: number, ids: readonly string[]): Batch {
  const optional = (field: string) => randomInt(2) === 0 && { [field]: `batch ${id}` };
  const row = (external_id: string) => ({
    ...{ external_id, name: `batch ${id}`, points_cost: id },
    ...{ ...optional("description"), ...optional("reward_type") },
  });
  return { id, rows: new Map(shuffled(ids).map((external_id) => [external_id, row(external_id)])) };
}

const stored = () => sql<Record<string, unknown>[]>`
  select external_id, name, points_cost::float8 as points_cost, description, reward_type from app.rewards where company_id = ${company.id}`;

/** The cells that a batch wrote. A null in description and perk in reward_type are defaults, which no batch wrote. */
function cellsOf(rows: Record<string, unknown>[]): Cell[] {
  const fields = ["name", "points_cost", "description", "reward_type"];
  return rows
    .flatMap((row) => fields.map((field) => ({ external_id: String(row.external_id), field, value: row[field] })))
    .filter(({ value }) => value !== null && value !== "perk");
}

/**
 * Throws unless these cells are the result of some serial order of the batches, in which they run one after the other:
 * the last batch that wrote a cell comes after all others that wrote it. Such an order exists if these conditions form no
 * cycle.
 */
function explain(batches: Batch[], cells: Cell[]): void {
  const after = new Map<number, Set<number>>(batches.map(({ id }) => [id, new Set()]));
  for (const { external_id, field, value } of cells) {
    const writers = batches.filter(({ rows }) => rows.get(external_id)?.[field] !== undefined);
    const [last, ...more] = writers.filter(({ rows }) => rows.get(external_id)?.[field] === value);
    if (!last || more.length > 0) throw new Error(`${external_id}.${field} is ${value}, which no single batch wrote`);
    for (const { id } of writers) if (id !== last.id) after.get(last.id)?.add(id);
  }
  // Removes each batch that has to come after no remaining one, until none is left.
  while (after.size > 0) {
    const free = [...after].filter(([, before]) => [...before].every((id) => !after.has(id))).map(([id]) => id);
    if (free.length === 0) throw new Error(`no serial order explains the batches ${[...after.keys()].join(", ")}`);
    for (const id of free) after.delete(id);
  }
}

const ways: [name: string, send: (writer: number, rows: object[]) => Promise<number>][] = [
  ["straight to PostgreSQL", (writer, rows) => upsert(connections[writer] ?? sql, key, rows)],
  ["over HTTP", async (_, rows) => (await (await importRewards(key, rows)).json()).imported],
];

// Proves: layer.11
test.each(ways)(
  "writers of the same 500 rewards %s: no deadlock, whole pages, and a serial order",
  async (name, send) => {
    const rounds = count(name === "over HTTP" ? 2 : 5, 30);
    let watched = 0;
    for (let round = 0; round < rounds; round++) {
      await sql`delete from app.rewards where company_id = ${company.id}`;
      // The rewards of the first batch are updated by the others, the rest is created.
      const first = makeBatch(0, externalIds.slice(0, 250));
      await send(0, [...first.rows.values()]);
      const others = Array.from({ length: writers }, (_, writer) => makeBatch(writer + 1, externalIds));
      const expectWhole = (rows: Record<string, unknown>[]) => {
        const batches = new Set(rows.map((row) => `${row.name} ${row.points_cost}`));
        expect([batches.size, rows.length]).toEqual([1, batches.has("batch 0 0") ? 250 : 500]);
      };
      let writing = true;
      const reader = async (): Promise<void> => {
        for (; writing; watched++) expectWhole(await list("/rewards?limit=1000", key));
      };
      const reading = reader();
      const sent = others.map(async ({ rows }, writer) => expect(await send(writer, [...rows.values()])).toBe(500));
      await Promise.all(sent).finally(() => {
        writing = false;
      });
      await reading;
      const rows = await stored();
      expectWhole(rows);
      const torn = rows.with(0, { ...rows[0], name: first.rows.values().next().value?.name });
      expect(() => explain([first, ...others], cellsOf(torn)), "the check finds a torn batch").toThrow();
      explain([first, ...others], cellsOf(rows));
    }
    tried(
      `imports ${name}: ${rounds} rounds of ${writers} writers, each explained by a serial order, ${watched} reads meanwhile`,
    );
  },
);
