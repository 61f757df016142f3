// Moving a company between two whole stacks, over HTTP, with active writers and a kill at a random moment. The single
// states are tested in test/database/moving.test.ts.
import { randomInt, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type postgres from "postgres";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { type OwnStack, startOwnStack } from "../support/own_stack.ts";
import { list, sql, stack } from "../support/stack.ts";
import { moveCompany } from "../support/two_projects.ts";

let other: OwnStack;
let there: postgres.Sql;
let neighbour: TestCompany;
let neighbourKey: string;
beforeAll(async () => {
  other = await startOwnStack("throwaway");
  there = other.connect();
  neighbour = await newCompany("Neighbour");
  neighbourKey = (await neighbour.makeKey()).api_key;
}, 300_000);
afterAll(async () => {
  await neighbour.remove();
  await there.end();
  await other.stop();
});

/** Imports one reward after the other as an integration does: it goes on after a 429, and at the new address after a 401. */
async function integration(key: string, sent: string[], going: () => boolean): Promise<void> {
  let api = stack.api_url;
  while (going()) {
    const external_id = randomUUID();
    const body = JSON.stringify({ external_id, name: external_id, points_cost: 1 });
    const response = await fetch(`${api}/rewards`, { method: "POST", headers: { "X-API-Key": key }, body });
    await response.arrayBuffer();
    if (response.status === 200) sent.push(external_id);
    else if (response.status === 401 && api === stack.api_url) api = other.api_url;
    else expect(response.status, "what an integration may be answered").toBe(429);
  }
}

// Proves: moving.7, layer.19
test("writers, a kill, and the command again: nothing acknowledged is lost or doubled, keys go on at the new address, others notice nothing", async () => {
  const [from, to] = [stack, other].map(({ database_url }) => ({ url: database_url, sql })) as [never, never];
  const rounds = count(2, 20);
  let total = 0;
  for (let round = 0; round < rounds; round++) {
    const company = await newCompany(`Moving ${round}`);
    const { api_key } = await company.makeKey();
    const sent: string[] = [];
    const bystander: string[] = [];
    let going = true;
    const writing = Promise.all([
      ...[1, 2].map(() => integration(api_key, sent, () => going)),
      integration(neighbourKey, bystander, () => going),
    ]);
    try {
      await expect.poll(() => sent.length, { interval: 5 }).toBeGreaterThan(5);
      const killed = moveCompany(from, to, company.id, "--leave", "closed");
      await pause(randomInt(100, 1200));
      killed.process.kill("SIGKILL");
      await killed.ended;
      // A statement that the killed command sent before may still be running.
      await expect
        .poll(async () => (await there`select from pg_stat_activity where application_name = 'move-company'`).length)
        .toBe(0);
      const { code, output } = await moveCompany(from, to, company.id, "--leave", "closed").ended;
      expect(code, output).toBe(0);
      const before = sent.length;
      await expect.poll(() => sent.length, { interval: 5 }).toBeGreaterThan(before + 5);
    } finally {
      going = false;
      await writing;
    }
    const arrived = await there`select external_id from app.rewards where company_id = ${company.id}`;
    expect(arrived.map(({ external_id }) => external_id).sort()).toEqual(sent.sort());
    const answer = await fetch(`${other.api_url}/rewards?limit=1000`, { headers: { "X-API-Key": api_key } });
    expect([answer.status, ((await answer.json()) as unknown[]).length]).toEqual([200, Math.min(sent.length, 1000)]);
    expect(bystander.length).toBeGreaterThan(0);
    total += sent.length;
    await company.remove();
  }
  expect((await list("/rewards?limit=1000", neighbourKey)).length).toBeGreaterThan(0);
  tried(`moving a company: ${rounds} times killed and run again, ${total} imports acknowledged and there`);
});
