// API keys (docs/api.md, Authentication): which are refused, when a revoke or an expiry takes effect, and what each scope
// opens. What a replacement and a use of a key do is in test/dashboard.
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/table/endpoints.ts";
import { companyOfFile, makeKey } from "../support/companies.ts";
import { madeUpKey } from "../support/made_up_key.ts";
import { send } from "../support/raw.ts";
import { allScopes, call, expectError, invalidKey, sql } from "../support/stack.ts";

const { company } = await companyOfFile("Keys");

// Where a key may stand in a request is in test/function/credentials.test.ts.
// Proves: authentication.14, errors.8, keys.38, requests.14, requests.15, risk.2
test("a missing, malformed, repeated, unknown, revoked or expired key gets 401 with the one body and WWW-Authenticate", async () => {
  const [good, revoked] = [await company.makeKey(), await company.makeKey()];
  const expiresAt = Date.now() + 2000;
  const expired = await company.makeKey(allScopes, new Date(expiresAt).toISOString());
  expect((await call("/members", expired.api_key)).status).toBe(200);
  await expect.poll(async () => (await call("/members", expired.api_key)).status).toBe(401);
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt);
  await company.revoke(revoked.id);
  const bad: Record<string, string | string[]>[] = [
    {},
    { "X-API-Key": good.api_key.slice(0, -1) },
    { "X-API-Key": madeUpKey(2), Authorization: `Bearer ${good.api_key}` },
    { "X-API-Key": [good.api_key, good.api_key] },
    { Authorization: `Bearer ${revoked.api_key}` },
    { "X-API-Key": expired.api_key },
  ];
  for (const headers of bad) {
    const { status, body, headers: received } = await send("GET", "/members", headers);
    expect({ headers, status, body }).toEqual({ headers, status: 401, body: JSON.stringify({ error: invalidKey }) });
    expect(received.get("WWW-Authenticate")).toBe("Bearer");
  }
});

/** Every endpoint that needs a scope, and its aliases. */
const scoped = endpoints
  .flatMap(({ aliases, path, ...endpoint }) => [path, ...aliases].map((one) => ({ ...endpoint, path: one })))
  .filter(({ scope }) => scope !== null);

function request(method: string, path: string, key: string | null): Promise<Response> {
  const body = JSON.stringify({ external_id: "key-test", name: "Any", points_cost: 1 });
  return call(path, key, method === "POST" ? { method, body } : { method });
}

// Proves: service.4, states.4, authentication.7, keys.40
test("every endpoint answers 401 without a key, and to the first request after the key was revoked", async () => {
  for (const { method, path } of [...scoped, { method: "GET", path: "/" }]) {
    const { id, api_key } = await company.makeKey();
    // Everything that can be cached is cached from here on.
    expect((await call("", api_key)).status).toBe(200);
    await company.revoke(id);
    for (const key of [null, api_key]) await expectError(await request(method, path, key), 401, invalidKey);
  }
});

// What waits for what in PostgreSQL is in test/serial/locks.test.ts.
// Proves: authentication.6, requests.69, keys.39, layer.10
test("requests as fast as they go get 200 until their key is revoked, and none that starts afterwards", async () => {
  const { id, api_key } = await company.makeKey();
  let passed = 0;
  let [isRevoking, isRevoked] = [false, false];
  const caller = async (lane: number): Promise<void> => {
    for (let isIn = true; isIn; passed += Number(isIn)) {
      const startedAfter = isRevoked;
      const path = ["/members?limit=1", "/activity?format=csv", "", "/rewards"][lane % 4] ?? "";
      const response = await request(path === "/rewards" ? "POST" : "GET", path, api_key);
      await response.arrayBuffer();
      isIn = response.status === 200;
      expect([isIn || response.status, isIn && startedAfter, isIn || isRevoking]).toEqual([isIn || 401, false, true]);
    }
  };
  // Each goes on until it is refused.
  const callers = Promise.all(Array.from({ length: 24 }, (_, lane) => caller(lane)));
  await expect.poll(() => passed, { interval: 1 }).toBeGreaterThan(randomInt(50, 100));
  isRevoking = true;
  await company.revoke(id);
  isRevoked = true;
  await callers;
});

// Proves: endpoints.12, authentication.9, authentication.10, authentication.11, authentication.12, authentication.13,
// authentication.15, errors.9, actor.2, risk.5
test("each scope opens its own endpoints and no other: everything else is a 403 that names the missing scope", async () => {
  for (const scope of allScopes) {
    const alone = await company.makeKey([scope]);
    const others = await company.makeKey(allScopes.filter((one) => one !== scope));
    for (const { method, path, scope: needed } of scoped) {
      const forbidden = `Forbidden: this key is missing the "${needed}" scope`;
      const answer = await request(method, path, alone.api_key);
      if (needed === scope) {
        expect([scope, method, path, answer.status]).toEqual([scope, method, path, 200]);
        // The four other scopes do not add up to it.
        await expectError(await request(method, path, others.api_key), 403, forbidden);
      } else await expectError(answer, 403, forbidden);
    }
  }
});

test("of two replacements at once one is made, the other is a 409", async () => {
  const old = await makeKey(company.admin, "Twice");
  const args = { key_id: old.id, overlap: "24 hours", expires_at: null };
  const answers = await Promise.all([1, 2].map(() => company.admin.rpc("replace_api_key", args)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await sql`select from app.api_keys where company_id = ${company.id} and name = 'Twice'`).toHaveLength(2);
});
