// API keys (docs/api.md, Authentication): where a request can carry a key, what happens when a key is revoked or
// expires, and its scopes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { type ApiKey, dataOf, makeKey, newCompany, type TestCompany } from "../support/companies.ts";
import { send } from "../support/raw.ts";
import { allScopes, call, expectError, expectHeaders, hashOf, invalidKey, sql } from "../support/stack.ts";

let company: TestCompany;
let good: ApiKey;
beforeAll(async () => {
  company = await newCompany("Keys");
  good = await company.makeKey();
});
afterAll(() => company.remove());

/** The status of a request for the members with these headers. */
async function statusWith(headers: Record<string, string | string[]>): Promise<number> {
  return (await send("GET", "/members", headers)).status;
}

const basic = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** A different key with a valid checksum: the last random character is changed, and the checksum is computed again. */
function neverMade(key: string): string {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const body = `${key.slice(0, -7)}${key.at(-7) === "0" ? "1" : "0"}`;
  let crc = 0xffffffff;
  for (const byte of Buffer.from(body)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1;
  }
  let rest = (crc ^ 0xffffffff) >>> 0;
  let checksum = "";
  for (let digit = 0; digit < 6; digit++) {
    checksum = alphabet[rest % 62] + checksum;
    rest = Math.floor(rest / 62);
  }
  return body + checksum;
}

// Proves: authentication.4, requests.9
test("the key is taken from X-API-Key", async () => {
  expect(await statusWith({ "X-API-Key": good.api_key })).toBe(200);
  expect(await statusWith({ "x-api-key": good.api_key })).toBe(200);
});

// Proves: authentication.3, requests.10
test("the key is taken from Authorization: Bearer, the scheme in any case", async () => {
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    expect(await statusWith({ Authorization: `${scheme} ${good.api_key}` })).toBe(200);
  }
});

// Proves: requests.12
test("the key is taken from Authorization: Basic, as user name or as password, the scheme in any case", async () => {
  for (const pair of [
    basic(good.api_key, ""),
    basic("", good.api_key),
    basic("käthe", good.api_key),
    basic(good.api_key, "x:y"),
  ]) {
    expect(await statusWith({ Authorization: pair })).toBe(200);
    expect(await statusWith({ Authorization: pair.replace("Basic", "basic") })).toBe(200);
  }
});

// Proves: requests.11
test("X-API-Key counts when Authorization is sent too", async () => {
  const other = await company.makeKey(["read:rewards"]);
  const nobody = neverMade(good.api_key);
  expect(await statusWith({ "X-API-Key": good.api_key, Authorization: `Bearer ${nobody}` })).toBe(200);
  expect(await statusWith({ "X-API-Key": good.api_key, Authorization: `Bearer ${other.api_key}` })).toBe(200);
  expect(await statusWith({ "X-API-Key": good.api_key, Authorization: "Basic junk" })).toBe(200);
  expect(await statusWith({ "X-API-Key": nobody, Authorization: `Bearer ${good.api_key}` })).toBe(401);
  expect(await statusWith({ "X-API-Key": "", Authorization: `Bearer ${good.api_key}` })).toBe(401);
});

// Proves: requests.13, risk.2
test("a key in the query string is not read", async () => {
  for (const name of ["api_key", "apikey", "key", "X-API-Key", "access_token"]) {
    await expectError(await call(`/members?${name}=${good.api_key}`, null), 401, invalidKey);
  }
});

// Proves: authentication.14, errors.8, requests.14, requests.15, risk.2
test("a missing, malformed, unknown, revoked or expired key gets 401 with the one body and WWW-Authenticate", async () => {
  const revoked = await company.makeKey();
  await company.revoke(revoked.id);
  const expired = await company.makeKey();
  await expire(expired.id);
  const swapped = good.api_key.replace(/(.)(.)(.{6})$/, (_, a, b, check) => b + a + check);
  const bad: Record<string, string | string[]>[] = [
    {},
    { "X-API-Key": "" },
    { "X-API-Key": "sk_live_" },
    { "X-API-Key": good.api_key.slice(0, -1) },
    { "X-API-Key": `${good.api_key}x` },
    { "X-API-Key": `"${good.api_key}"` },
    { "X-API-Key": `Bearer ${good.api_key}` },
    { "X-API-Key": good.api_key.toLowerCase() },
    { "X-API-Key": good.api_key.replace("live", "test") },
    { "X-API-Key": swapped === good.api_key ? "" : swapped },
    { "X-API-Key": "k".repeat(7000) },
    { "X-API-Key": hashOf(good.api_key) },
    { "X-API-Key": "' or true --" },
    { "X-API-Key": [good.api_key, good.api_key] },
    { Authorization: good.api_key },
    { Authorization: "Bearer" },
    { Authorization: "Bearer " },
    { Authorization: `Bearer${good.api_key}` },
    { Authorization: `Token ${good.api_key}` },
    { Authorization: `Basic ${good.api_key}` },
    { Authorization: basic("user", "password") },
    { Authorization: "Basic !!!" },
    { Authorization: `Bearer ${good.api_key}, Bearer ${good.api_key}` },
    { Cookie: `X-API-Key=${good.api_key}` },
    { "X-API-Key": neverMade(good.api_key) },
    { Authorization: `Bearer ${neverMade(good.api_key)}` },
    { "X-API-Key": revoked.api_key },
    { Authorization: `Bearer ${revoked.api_key}` },
    { "X-API-Key": expired.api_key },
  ];
  for (const headers of bad) {
    const { status, body, headers: received } = await send("GET", "/members", headers);
    expect({ headers, status, body }).toEqual({ headers, status: 401, body: JSON.stringify({ error: invalidKey }) });
    expect(received.get("WWW-Authenticate")).toBe("Bearer");
    expectHeaders(received);
  }
});

/** Moves the expiry of a key into the past. No function can do this, so a superuser changes the row. */
async function expire(keyId: string): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_keys set expires_at = now() - interval '1 microsecond' where id = ${keyId}`;
  });
}

// Proves: keys.38
test("a key with an expiry works until then and gets 401 after it", async () => {
  const expiresAt = new Date(Date.now() + 1500);
  const { api_key } = await company.makeKey(allScopes, expiresAt.toISOString());
  expect((await call("/members", api_key)).status).toBe(200);
  await expect.poll(async () => (await call("/members", api_key)).status).toBe(401);
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
});

// Proves: states.4, authentication.7, keys.40
test("a revoke is immediate: the first request after it gets 401, on every endpoint", async () => {
  for (const { method, path } of [...scoped, { method: "GET", path: "/" }]) {
    const { id, api_key } = await company.makeKey();
    // Everything that can be cached is cached from here on.
    expect((await call("", api_key)).status).toBe(200);
    await company.revoke(id);
    await expectError(await request(method, path, api_key), 401, invalidKey);
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

// Proves: endpoints.12, authentication.9, authentication.10, authentication.11, authentication.12, authentication.13,
// authentication.15, errors.9, actor.2, risk.5
test("each scope opens its own endpoints and no other: everything else is a 403 that names the missing scope", async () => {
  for (const scope of allScopes) {
    const [alone, others] = [
      await company.makeKey([scope]),
      await company.makeKey(allScopes.filter((one) => one !== scope)),
    ];
    for (const { method, path, scope: needed } of scoped) {
      const forbidden = `Forbidden: this key is missing the "${needed}" scope`;
      const answer = await request(method, path, alone.api_key);
      if (needed === scope) expect([scope, method, path, answer.status]).toEqual([scope, method, path, 200]);
      else await expectError(answer, 403, forbidden);
      // The four other scopes do not add up to it.
      if (needed === scope) await expectError(await request(method, path, others.api_key), 403, forbidden);
    }
  }
});

async function replace(key_id: string, overlap: string): Promise<ApiKey> {
  return dataOf(await company.admin.rpc("replace_api_key", { key_id, overlap, expires_at: null }));
}

// Proves: lifecycle.2
test("a replaced key and its successor both work until the overlap is over", async () => {
  const old = await makeKey(company.admin, "Payroll");
  const successor = await replace(old.id, "1 hour");
  expect(successor.name).toBe("Payroll");
  for (const key of [old.api_key, successor.api_key]) expect((await call("/members", key)).status).toBe(200);

  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_keys set expires_at = expires_at - interval '1 hour' where id = ${old.id}`;
  });
  await expectError(await call("/members", old.api_key), 401, invalidKey);
  expect((await call("/members", successor.api_key)).status).toBe(200);
});

test("with no overlap the old key gets 401 at once", async () => {
  const old = await makeKey(company.admin, "Leaked");
  const successor = await replace(old.id, "0");
  await expectError(await call("/members", old.api_key), 401, invalidKey);
  expect((await call("/members", successor.api_key)).status).toBe(200);
});

test("of two replacements at once one is made, the other is told so", async () => {
  const old = await makeKey(company.admin, "Twice");
  const answers = await Promise.all(
    [1, 2].map(() => company.admin.rpc("replace_api_key", { key_id: old.id, overlap: "24 hours", expires_at: null })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await sql`select from app.api_keys where company_id = ${company.id} and name = 'Twice'`).toHaveLength(2);
});
