// Imports at the same time: no deadlock, no row lost or doubled, every batch written as a whole, and the result is that
// of some serial order.
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { companyOfFile } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { besideNeighbour } from "../support/neighbour.ts";
import { importRewards, list, sql } from "../support/stack.ts";

// As many as an instance of the function lets one company call the database at once, so that they meet there.
const writers = 3;
const externalIds = Array.from({ length: 500 }, (_, index) => `sku-${index}`);
const { company, key } = await companyOfFile("Imports at the same time");

type Reward = Record<string, unknown>;

/** The rewards of an import in random order. Each value names the batch. Optional fields are there at random. */
function makeBatch(id: number, ids: readonly string[]): Reward[] {
  const optional = (field: string) => randomInt(2) === 0 && { [field]: `batch ${id}` };
  return ids
    .map((external_id) => ({
      ...{ external_id, name: `batch ${id}`, points_cost: id },
      ...{ ...optional("description"), ...optional("reward_type") },
    }))
    .sort(() => randomInt(3) - 1);
}

const byId = (rewards: Reward[]) => Object.fromEntries(rewards.map((reward) => [reward.external_id, { ...reward }]));

/** The rewards after these batches have run one after the other. */
function after(batches: Reward[][]): Record<string, Reward> {
  const all: Record<string, Reward> = {};
  for (const reward of batches.flat()) {
    const id = String(reward.external_id);
    all[id] = { description: null, reward_type: "perk", ...all[id], ...reward };
  }
  return all;
}

/** Every order of these. */
const orders = <T>(all: T[]): T[][] =>
  all.length < 2 ? [all] : all.flatMap((one, at) => orders(all.toSpliced(at, 1)).map((rest) => [one, ...rest]));

const imported = async (rewards: Reward[]) => {
  const answer = await importRewards(key, rewards);
  expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ imported: rewards.length })]);
};

// Proves: import.4, limits.3, layer.11
test("writers of the same 500 rewards: no deadlock, whole pages, and a serial order", async () => {
  const rounds = count(4, 20);
  let watched = 0;
  for (let round = 0; round < rounds; round++) {
    await sql`delete from app.rewards where company_id = ${company.id}`;
    // The rewards of the first batch are updated by the others, the rest is created.
    const first = makeBatch(0, externalIds.slice(0, 250));
    await imported(first);
    const others = Array.from({ length: writers }, (_, writer) => makeBatch(writer + 1, externalIds));
    const expectWhole = (rows: Reward[]) => {
      const batches = new Set(rows.map((row) => `${row.name} ${row.points_cost}`));
      expect([batches.size, rows.length]).toEqual([1, batches.has("batch 0 0") ? 250 : 500]);
    };
    let writing = true;
    const reading = (async () => {
      for (; writing; watched++) expectWhole(await list("/rewards?limit=1000", key));
    })();
    await besideNeighbour(() => Promise.all(others.map(imported))).finally(() => {
      writing = false;
    });
    await reading;
    const rows = await sql<Reward[]>`
      select external_id, name, points_cost::float8, description, reward_type from app.rewards where company_id = ${company.id}`;
    expectWhole(rows);
    expect(orders(others).map((order) => after([first, ...order]))).toContainEqual(byId(rows));
  }
  tried(`imports: ${rounds} rounds of ${writers} writers, each in a serial order, ${watched} reads`);
});
