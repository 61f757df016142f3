// Revocation under load: after a revoke has committed, no request that starts later succeeds.
import { randomInt } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { serviceRole } from "../support/rpc.ts";
import { call, hashOf, importRewards } from "../support/stack.ts";

let company: TestCompany;
let connections: Awaited<ReturnType<typeof serviceRole>>[];
beforeAll(async () => {
  company = await newCompany("Revocation");
  connections = await Promise.all(Array.from({ length: 4 }, serviceRole));
});
afterAll(() => Promise.all([company.remove(), ...connections.map((db) => db.end())]));

/** A read or an import of one of several callers. Returns whether its key was let in. */
async function overHttp(lane: number, key: string): Promise<boolean> {
  const response = await (lane % 4 === 0
    ? importRewards(key, [{ external_id: `lane-${lane}`, name: "Lane", points_cost: lane }])
    : call(["/members?limit=1", "/activity?format=csv", ""][lane % 3] ?? "", key));
  await response.arrayBuffer();
  expect([200, 401]).toContain(response.status);
  return response.status === 200;
}

/** The same in PostgreSQL, because the local Data API has only one connection. */
async function inPostgres(lane: number, key: string): Promise<boolean> {
  const db = connections[lane] as (typeof connections)[number];
  const code = await db`select public.list_members(${hashOf(key)}, 1)`.then(
    () => "",
    (error: { code: string }) => error.code,
  );
  expect(["", "PT401"]).toContain(code);
  return code === "";
}

type Send = (lane: number, key: string) => Promise<boolean>;

/** Several callers use a key at once, which is revoked meanwhile. Returns how many requests passed, and how many were refused. */
async function round(send: Send, requests: number, callers: number): Promise<[number, number]> {
  const { id, api_key } = await company.makeKey();
  const revokeAt = randomInt(Math.floor(requests / 4), Math.floor(requests / 2));
  const counts = { begun: 0, passed: 0, refused: 0, late: 0 };
  let revoked = false;
  let revoking: Promise<void> | undefined;
  const caller = async (lane: number): Promise<void> => {
    // On a busy machine all requests may be done before the revoke is. Then more are sent.
    while (counts.begun < requests || (counts.refused < callers && counts.begun < 50 * requests)) {
      if (counts.begun++ === revokeAt) {
        revoking = company.revoke(id).then(() => {
          revoked = true;
        });
      }
      const startedAfter = revoked;
      const passed = await send(lane, api_key);
      counts[passed ? "passed" : "refused"]++;
      if (passed && startedAfter) counts.late++;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, lane) => caller(lane)));
  await revoking;
  expect(counts.late).toBe(0);
  // Otherwise the round has tested nothing.
  expect(Math.min(counts.passed, counts.refused)).toBeGreaterThan(0);
  return [counts.passed, counts.refused];
}

// Proves: authentication.6, requests.69, keys.39, layer.10
test.each([
  ["over HTTP", overHttp, count(2, 10), count(200, 2000), 24],
  ["in PostgreSQL", inPostgres, count(5, 50), 2000, 4],
])(
  "%s, requests that start after a revoke are refused, however many are under way",
  async (name, send, rounds, requests, callers) => {
    const results: [number, number][] = [];
    for (let turn = 0; turn < rounds; turn++) results.push(await round(send, requests, callers));
    const [passed, refused] = [0, 1].map((place) => results.reduce((sum, result) => sum + (result[place] ?? 0), 0));
    tried(
      `revocation ${name}: ${rounds} revokes, ${passed} requests passed before, ${refused} were refused, none passed after`,
    );
  },
  600_000,
);
