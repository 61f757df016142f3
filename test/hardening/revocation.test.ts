// Revocation under load: after a revoke has committed, no request that starts later succeeds. What waits for what in
// PostgreSQL is in test/serial/locks.test.ts.
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { companyOfFile } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { call, importRewards } from "../support/stack.ts";

const { company } = await companyOfFile("Revocation");

/** A read or an import of one of several callers. Returns whether its key was let in. */
async function send(lane: number, key: string): Promise<boolean> {
  const response = await (lane % 4 === 0
    ? importRewards(key, [{ external_id: `lane-${lane}`, name: "Lane", points_cost: lane }])
    : call(["/members?limit=1", "/activity?format=csv", ""][lane % 3] ?? "", key));
  await response.arrayBuffer();
  expect([200, 401]).toContain(response.status);
  return response.status === 200;
}

// Proves: authentication.6, requests.69, keys.39, layer.10
test("requests that start after a revoke are refused, however many are running", async () => {
  const rounds = count(2, 10);
  let passed = 0;
  for (let round = 0; round < rounds; round++) {
    const { id, api_key } = await company.makeKey();
    let [isRevoking, isRevoked] = [false, false];
    const caller = async (lane: number): Promise<void> => {
      for (let isIn = true; isIn; passed += Number(isIn)) {
        const startedAfter = isRevoked;
        isIn = await send(lane, api_key);
        expect(isIn && startedAfter, "let in after the revoke").toBe(false);
        expect(isIn || isRevoking, "refused before the revoke").toBe(true);
      }
    };
    // Each goes on until it is refused.
    const callers = Promise.all(Array.from({ length: 24 }, (_, lane) => caller(lane)));
    const many = passed + randomInt(50, 100);
    await expect.poll(() => passed, { interval: 1 }).toBeGreaterThan(many);
    isRevoking = true;
    await company.revoke(id);
    isRevoked = true;
    await callers;
  }
  tried(`revocation: ${rounds} revokes during ${passed} requests, none passed after`);
});
