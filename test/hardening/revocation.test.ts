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
  const [rounds, requests, callers] = [count(2, 10), count(200, 2000), 24];
  let sent = 0;
  for (let round = 0; round < rounds; round++) {
    const { id, api_key } = await company.makeKey();
    const revokeAt = randomInt(Math.floor(requests / 4), Math.floor(requests / 2));
    const counts = { begun: 0, passed: 0, refused: 0 };
    let isRevoked = false;
    let revoking: Promise<void> | undefined;
    const caller = async (lane: number): Promise<void> => {
      // On a busy machine all requests may be done before the revoke is. Then more are sent.
      while (counts.begun < requests || (counts.refused < callers && counts.begun < 50 * requests)) {
        if (counts.begun++ === revokeAt) {
          revoking = company.revoke(id).then(() => {
            isRevoked = true;
          });
        }
        const startedAfter = isRevoked;
        const passed = await send(lane, api_key);
        expect(passed && startedAfter, "passed after the revoke").toBe(false);
        counts[passed ? "passed" : "refused"]++;
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, lane) => caller(lane)));
    await revoking;
    // Otherwise the round has tested nothing.
    expect(Math.min(counts.passed, counts.refused)).toBeGreaterThan(0);
    sent += counts.begun;
  }
  tried(`revocation: ${rounds} revokes during ${sent} requests, none passed after`);
});
