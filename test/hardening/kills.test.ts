// kill -9 of the function during imports. The same for PostgreSQL is in outages.test.ts, which has a stack that
// survives it.
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { count } from "../support/counts.ts";
import { startFunction } from "../support/function_process.ts";
import { importRewards, sql } from "../support/stack.ts";
import { KilledImports } from "./killed_imports.ts";

let company: TestCompany;
let key: string;
beforeAll(async () => {
  company = await newCompany("Kills");
  key = (await company.makeKey()).api_key;
});
afterAll(() => company.remove());

const stored = async (id: string) =>
  (await sql`select from app.rewards where company_id = ${company.id} and name = ${id}`).length;

/** Waits until the database runs no import any more. After that nothing changes. */
async function settled(): Promise<void> {
  const busy = () =>
    sql`select from pg_stat_activity where state <> 'idle' and query ~ 'upsert_rewards' and pid <> pg_backend_pid()`;
  await expect.poll(async () => (await busy()).length, { interval: 5 }).toBe(0);
}

// Proves: layer.11
test("each import is there whole or not at all, what was acknowledged is there, and sending it again is safe", async () => {
  const kills = count(4, 50);
  const imports = new KilledImports();
  for (let kill = 0; kill < kills; kill++) {
    const running = await startFunction();
    const init = { method: "POST", headers: { "X-API-Key": key } };
    const all = await imports.until(running.kill, async (rewards) => {
      const url = `${running.url}/rewards`;
      const response = await fetch(url, { ...init, body: JSON.stringify(rewards) }).catch(() => null);
      if (response) expect(response.status).toBe(200);
      await response?.body?.cancel().catch(() => {});
      return response?.status ?? null;
    });
    await settled();
    await imports.expectWhole(all, stored, async (rewards) =>
      expect((await importRewards(key, rewards)).status).toBe(200),
    );
  }
  imports.expectHit(`kill -9 of the function during imports, ${kills} times`);
}, 900_000);
