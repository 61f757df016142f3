// Revocation under load: after a revoke has committed, no request that starts later succeeds. A revoke does not wait
// for requests.
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { serviceRole, upsert } from "../support/rpc.ts";
import { call, hashOf, importRewards } from "../support/stack.ts";

let company: TestCompany;
beforeAll(async () => {
  company = await newCompany("Revocation");
});
afterAll(() => company.remove());

/**
 * One round: several lanes call `send` at the same time, and the key is revoked in between. Returns how many requests
 * passed and how many were refused.
 */
async function round(
  requests: number,
  lanes: number,
  send: (lane: number, key: string) => Promise<boolean>,
): Promise<[number, number]> {
  const { id, api_key } = await company.makeKey();
  const revokeAt = randomInt(Math.floor(requests / 4), Math.floor(requests / 2));
  const outcome = { begun: 0, passed: 0, refused: 0, late: 0 };
  let revoked = false;
  let revoking: Promise<void> | undefined;
  const lane = async (number: number): Promise<void> => {
    // On a busy machine all requests may be done before the revoke is. Then more are sent.
    while (outcome.begun < requests || (outcome.refused < lanes && outcome.begun < 50 * requests)) {
      if (outcome.begun++ === revokeAt) {
        revoking = company.revoke(id).then(() => {
          revoked = true;
        });
      }
      const startedAfter = revoked;
      const passed = await send(number, api_key);
      outcome[passed ? "passed" : "refused"]++;
      if (passed && startedAfter) outcome.late++;
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  await revoking;
  expect(await send(0, api_key)).toBe(false);
  expect(outcome.late).toBe(0);
  // Otherwise the round has tested nothing.
  expect(outcome.passed).toBeGreaterThan(0);
  expect(outcome.refused).toBeGreaterThan(0);
  return [outcome.passed, outcome.refused];
}

/** Several rounds. Notes the sums of their counts. */
async function rounds(
  name: string,
  times: number,
  requests: number,
  lanes: number,
  send: (lane: number, key: string) => Promise<boolean>,
): Promise<void> {
  let [passed, refused] = [0, 0];
  for (let turn = 0; turn < times; turn++) {
    const [more, less] = await round(requests, lanes, send);
    passed += more;
    refused += less;
  }
  tried(
    `revocation ${name}: ${times} revokes with ${requests} requests around each; ${passed} passed before, ${refused} were refused, none passed after`,
  );
}

// Proves: authentication.6, requests.69, keys.39, layer.10
test("over HTTP, reads and imports that start after a revoke are refused", async () => {
  const send = async (lane: number, key: string): Promise<boolean> => {
    const response = await (lane % 4 === 0
      ? importRewards(key, [{ external_id: `lane-${lane}`, name: "Lane", points_cost: lane }])
      : call(["/members?limit=1", "/activity?format=csv", ""][lane % 3] ?? "", key));
    await response.arrayBuffer();
    expect([200, 401]).toContain(response.status);
    return response.status === 200;
  };
  await rounds("over HTTP", count(2, 10), count(200, 2000), 24, send);
}, 600_000);

// Proves: keys.39, layer.10
test("in PostgreSQL, with as many requests at once as a company may have under way, the same", async () => {
  const connections = await Promise.all(Array.from({ length: 4 }, serviceRole));
  const send = (lane: number, key: string): Promise<boolean> => {
    const db = connections[lane];
    if (!db) throw new Error("more lanes than connections");
    return db`select public.list_members(${hashOf(key)}, 1)`.then(
      () => true,
      (error: { code: string }) => {
        expect(error.code).toBe("PT401");
        return false;
      },
    );
  };
  await rounds("in PostgreSQL", count(5, 50), 2000, connections.length, send);
  for (const db of connections) await db.end();
}, 600_000);

// Proves: keys.35, layer.10
test("a revoke does not wait for a slow request, which ends as it began", async () => {
  const db = await serviceRole();
  const { id, api_key } = await company.makeKey();
  await db.begin(async (slow) => {
    // The slow request has its result, has recorded the use of the key, and holds locks on the rows that it wrote. It
    // does not end yet.
    expect(await upsert(slow, api_key, [{ external_id: "slow", name: "Slow", points_cost: 1 }])).toBe(1);
    // If the revoke waited for the slow request, it would wait until the database cancels it: the slow request ends
    // only afterwards.
    await company.revoke(id);
    expect((await call("", api_key)).status).toBe(401);
  });
  await db.end();
});
