// API keys (docs/api.md, Authentication): which are refused, when a revoke, an expiry or a replacement takes effect, and
// what each scope opens.
import { afterAll, beforeAll, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { dataOf, makeKey, newCompany, type TestCompany } from "../support/companies.ts";
import { madeUpKey } from "../support/made_up_key.ts";
import { send } from "../support/raw.ts";
import { allScopes, call, expectError, invalidKey, sql } from "../support/stack.ts";

let company: TestCompany;
beforeAll(async () => {
  company = await newCompany("Keys");
});
afterAll(() => company.remove());

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

const replace = (key_id: string, overlap: string) =>
  company.admin.rpc("replace_api_key", { key_id, overlap, expires_at: null });

// Proves: lifecycle.2
test.each([
  ["1 hour", 200],
  ["0", 401],
])(
  "after a replacement with an overlap of %s the old key gets a %i, and its successor works",
  async (overlap, status) => {
    const old = await makeKey(company.admin, "Payroll");
    const successor = dataOf(await replace(old.id, overlap));
    expect((await call("/members", old.api_key)).status).toBe(status);
    expect((await call("/members", successor.api_key)).status).toBe(200);
  },
);

test("of two replacements at once one is made, the other is a 409", async () => {
  const old = await makeKey(company.admin, "Twice");
  const answers = await Promise.all([replace(old.id, "24 hours"), replace(old.id, "24 hours")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await sql`select from app.api_keys where company_id = ${company.id} and name = 'Twice'`).toHaveLength(2);
});

type Use = {
  id: string;
  last_used_at: string | null;
  last_endpoint: string | null;
  last_client: string | null;
  used_on: string[];
  refused_at: string | null;
  refused_endpoint: string | null;
  refused_client: string | null;
};
async function listed(id: string): Promise<Use | undefined> {
  const keys: Use[] = dataOf(await company.admin.rpc("list_api_keys"));
  return keys.find((key) => key.id === id);
}
const by = (program: string) => ({ headers: { "User-Agent": program } });

test("admins see where, with what and on which day a key was used, and who still calls with a revoked one", async () => {
  const { id, api_key } = await company.makeKey();
  const unused = { last_used_at: null, last_endpoint: null, last_client: null, used_on: [] };
  const notRefused = { refused_at: null, refused_endpoint: null, refused_client: null };
  const quickCheck = { headers: { "X-Client-Info": "public-api-quick-check" } };
  expect((await call("", api_key, quickCheck)).status).toBe(200);
  expect(await listed(id)).toMatchObject({ ...unused, ...notRefused });

  const today = new Date().toISOString().slice(0, 10);
  expect((await call("/kudos?limit=1", api_key, by("Microsoft.Data.Mashup (https://go.microsoft.com)"))).status).toBe(
    200,
  );
  const used = await listed(id);
  expect(used).toMatchObject({ last_endpoint: "GET /activity", last_client: "Microsoft.Data.Mashup", ...notRefused });
  expect([today, new Date().toISOString().slice(0, 10)]).toContain(used?.used_on.join());

  await company.revoke(id);
  const refusedAt = async () => (await listed(id))?.refused_endpoint;
  await expectError(await call("", api_key, quickCheck), 401, invalidKey);
  await expect.poll(refusedAt).toBe("GET /");
  await expectError(await call("/teams", api_key, by("python-requests/2.32.3")), 401, invalidKey);
  await expect.poll(refusedAt).toBe("GET /teams");
  const refused = { refused_endpoint: "GET /teams", refused_client: "python-requests/2.32.3" };
  expect(await listed(id)).toEqual({ ...used, ...(await listed(id)), ...refused, last_used_at: used?.last_used_at });
});
