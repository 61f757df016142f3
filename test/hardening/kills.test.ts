// kill -9 of the function during imports. That of PostgreSQL stands in outages.test.ts, with the stack that survives it.
import { randomInt, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../api/companies.ts";
import { importRewards, sql } from "../api/stack.ts";
import { count, tried } from "./counts.ts";
import { startFunction } from "./function_process.ts";

let company: TestCompany;
let key: string;
beforeAll(async () => {
  company = await newCompany("Kills");
  key = (await company.makeKey()).api_key;
});
afterAll(() => company.remove());

const rows = 200;
const batch = (id: string) =>
  Array.from({ length: rows }, (_, index) => ({ external_id: `${id}-${index}`, name: id, points_cost: index }));
const stored = async (id: string) =>
  (await sql`select from app.rewards where company_id = ${company.id} and name = ${id}`).length;

/** Waits until the database works on nobody's import any more: what is decided then stays so. */
async function settled(): Promise<void> {
  const busy = () =>
    sql`select from pg_stat_activity where state <> 'idle' and query ~ 'upsert_rewards' and pid <> pg_backend_pid()`;
  await expect.poll(async () => (await busy()).length, { interval: 5 }).toBe(0);
}

test("each import is there whole or not at all, what was acknowledged is there, and sending it again is safe", async () => {
  const kills = count(4, 50);
  const tally = { acknowledged: 0, whole: 0, absent: 0 };
  for (let kill = 0; kill < kills; kill++) {
    const running = await startFunction();
    const batches: { id: string; acknowledged: boolean }[] = [];
    let alive = true;
    const writer = async (): Promise<void> => {
      while (alive) {
        const sent = { id: randomUUID(), acknowledged: false };
        batches.push(sent);
        const body = JSON.stringify(batch(sent.id));
        const response = await fetch(`${running.url}/rewards`, {
          method: "POST",
          headers: { "X-API-Key": key },
          body,
        }).catch(() => null);
        sent.acknowledged = response?.status === 200;
        if (response) expect(response.status).toBe(200);
        await response?.body?.cancel().catch(() => {});
      }
    };
    const writing = Promise.all([writer(), writer(), writer()]);
    const killAt = randomInt(4, 20);
    await expect.poll(() => batches.length, { interval: 1 }).toBeGreaterThan(killAt);
    await running.kill();
    alive = false;
    await writing;
    await settled();
    for (const { id, acknowledged } of batches) {
      const found = await stored(id);
      expect(acknowledged ? [rows] : [0, rows]).toContain(found);
      tally[acknowledged ? "acknowledged" : found === 0 ? "absent" : "whole"]++;
      if (acknowledged) continue;
      expect((await importRewards(key, batch(id))).status).toBe(200);
      expect(await stored(id)).toBe(rows);
    }
  }
  expect(tally.acknowledged).toBeGreaterThan(0);
  expect(tally.whole + tally.absent).toBeGreaterThan(0);
  tried(
    `kill -9 of the function during imports, ${kills} times: ${tally.acknowledged} acknowledged and there, ${tally.whole} not acknowledged and whole, ${tally.absent} absent`,
  );
}, 900_000);
