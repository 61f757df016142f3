// API keys (docs/api.md, Authentication): where a request can carry a key, what happens when a key is revoked or
// expires, and its scopes.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ApiKey, dataOf, newCompany, type TestCompany } from "../support/companies.ts";
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

test("a key is sk_live_, 32 characters of 0-9A-Za-z and 6 that check them, and is answered once, at creation", async () => {
  expect(good.api_key).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
  expect(good.hint).toBe(`sk_live_…${good.api_key.slice(-4)}`);
  const listed = JSON.stringify(dataOf(await company.admin.rpc("list_api_keys")));
  expect(listed).toContain(good.id);
  expect(listed).not.toContain(good.api_key);
});

test("the database holds a key's SHA-256 and never the key", async () => {
  const hash = hashOf(good.api_key);
  const [row] =
    await sql`select encode(key_hash, 'hex') as hash, k::text as whole from app.api_keys k where id = ${good.id}`;
  expect(row?.hash).toBe(hash);
  expect(row?.whole).not.toContain(good.api_key.slice(8, -4));
});

test("new keys get read:members and read:activity by default", async () => {
  const made: ApiKey = dataOf(await company.admin.rpc("create_api_key", { name: "default" }));
  expect(made.scopes).toEqual(["read:members", "read:activity"]);
  expect(made.expires_at).toBeNull();
});

test("the key is taken from X-API-Key", async () => {
  expect(await statusWith({ "X-API-Key": good.api_key })).toBe(200);
  expect(await statusWith({ "x-api-key": good.api_key })).toBe(200);
});

test("the key is taken from Authorization: Bearer, the scheme in any case", async () => {
  for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR"]) {
    expect(await statusWith({ Authorization: `${scheme} ${good.api_key}` })).toBe(200);
  }
});

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

test("X-API-Key counts when Authorization is sent too", async () => {
  const other = await company.makeKey(["read:rewards"]);
  const nobody = neverMade(good.api_key);
  expect(await statusWith({ "X-API-Key": good.api_key, Authorization: `Bearer ${nobody}` })).toBe(200);
  expect(await statusWith({ "X-API-Key": good.api_key, Authorization: `Bearer ${other.api_key}` })).toBe(200);
  expect(await statusWith({ "X-API-Key": good.api_key, Authorization: "Basic junk" })).toBe(200);
  expect(await statusWith({ "X-API-Key": nobody, Authorization: `Bearer ${good.api_key}` })).toBe(401);
  expect(await statusWith({ "X-API-Key": "", Authorization: `Bearer ${good.api_key}` })).toBe(401);
});

test("a key in the query string is not read", async () => {
  for (const name of ["api_key", "apikey", "key", "X-API-Key", "access_token"]) {
    await expectError(await call(`/members?${name}=${good.api_key}`, null), 401, invalidKey);
  }
});

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

test("a key with an expiry works until then and gets 401 after it", async () => {
  const expiresAt = new Date(Date.now() + 1500);
  const { api_key } = await company.makeKey(allScopes, expiresAt.toISOString());
  expect((await call("/members", api_key)).status).toBe(200);
  await expect.poll(async () => (await call("/members", api_key)).status).toBe(401);
  expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime());
});

test("a revoke is immediate: the first request after it gets 401, on every endpoint", async () => {
  for (const [method, path] of [...Object.values(endpointOf).flat(), ["GET", "/"] as const]) {
    const { id, api_key } = await company.makeKey();
    // Everything that can be cached is cached from here on.
    expect((await call("", api_key)).status).toBe(200);
    await company.revoke(id);
    await expectError(await request(method, path, api_key), 401, invalidKey);
  }
});

test("while a key is revoked under load, no request that is sent after the revoke succeeds", async () => {
  const { id, api_key } = await company.makeKey();
  let revoked = false;
  const statuses = await Promise.all([
    ...Array.from({ length: 4 }, async () => {
      const seen: [sentAfterRevoke: boolean, status: number][] = [];
      for (let n = 0; n < 200 && !seen.at(-1)?.[0]; n++) {
        const after = revoked;
        seen.push([after, (await call("/members?limit=1", api_key)).status]);
      }
      return seen;
    }),
    company.revoke(id).then(() => {
      revoked = true;
      return [];
    }),
  ]);
  const after = statuses.flat().filter(([sentAfterRevoke]) => sentAfterRevoke);
  expect(after).toEqual(Array(4).fill([true, 401]));
});

test("revoking again changes nothing, and a revoked key stays listed with when and by whom", async () => {
  const { id } = await company.makeKey();
  const once = dataOf(await company.admin.rpc("revoke_api_key", { key_id: id }));
  const twice = dataOf(await company.admin.rpc("revoke_api_key", { key_id: id }));
  expect(twice).toEqual(once);
  const listed = dataOf(await company.admin.rpc("list_api_keys")).find((key: ApiKey) => key.id === id);
  expect(listed).toMatchObject({ status: "revoked", revoked_at: once.revoked_at, revoked_by: "First Admin" });
});

const endpointOf: Record<string, (readonly [method: string, path: string])[]> = {
  "read:members": [
    ["GET", "/members"],
    ["GET", "/users"],
  ],
  "read:activity": [
    ["GET", "/activity"],
    ["GET", "/kudos"],
  ],
  "read:rewards": [["GET", "/rewards"]],
  "read:analytics": [
    ["GET", "/day-ratings"],
    ["GET", "/pulse-responses"],
  ],
  "write:rewards": [["POST", "/rewards"]],
};

function request(method: string, path: string, key: string | null): Promise<Response> {
  const body = JSON.stringify({ external_id: "key-test", name: "Any", points_cost: 1 });
  return call(path, key, method === "POST" ? { method, body } : { method });
}

test("each scope opens its own endpoints and no other: everything else is a 403 that names the missing scope", async () => {
  for (const scope of allScopes) {
    const { api_key } = await company.makeKey([scope]);
    for (const [needed, endpoints] of Object.entries(endpointOf)) {
      for (const [method, path] of endpoints) {
        const response = await request(method, path, api_key);
        if (needed === scope) expect([scope, method, path, response.status]).toEqual([scope, method, path, 200]);
        else await expectError(response, 403, `Forbidden: this key is missing the "${needed}" scope`);
      }
    }
  }
});

test("four scopes out of five do not add up to the fifth", async () => {
  for (const [missing, endpoints] of Object.entries(endpointOf)) {
    const { api_key } = await company.makeKey(allScopes.filter((scope) => scope !== missing));
    for (const [method, path] of endpoints) {
      await expectError(
        await request(method, path, api_key),
        403,
        `Forbidden: this key is missing the "${missing}" scope`,
      );
    }
  }
});

const lastUsed = async (keyId: string): Promise<string | null> => {
  const [row] = await sql`select last_used_at::text from app.api_key_uses where key_id = ${keyId}`;
  return row?.last_used_at ?? null;
};

test("a key's last use is recorded, at most once a minute", async () => {
  const { id, api_key } = await company.makeKey();
  expect(await lastUsed(id)).toBeNull();
  await call("/members", api_key);
  const recorded = await lastUsed(id);
  expect(Math.abs(Date.parse(String(recorded)) - Date.now())).toBeLessThan(60_000);
  await call("/members", api_key);
  await call("/rewards", api_key);
  expect(await lastUsed(id)).toBe(recorded);

  await sql`update app.api_key_uses set last_used_at = now() - interval '59 seconds' where key_id = ${id}`;
  const almost = await lastUsed(id);
  await call("/members", api_key);
  expect(await lastUsed(id)).toBe(almost);
  await sql`update app.api_key_uses set last_used_at = now() - interval '61 seconds' where key_id = ${id}`;
  const longAgo = await lastUsed(id);
  await call("", api_key);
  expect(await lastUsed(id)).not.toBe(longAgo);

  const listed = dataOf(await company.admin.rpc("list_api_keys")).find((key: ApiKey) => key.id === id);
  expect(listed.last_used_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
});

test("a request that gets 401 or 403 is not recorded as use", async () => {
  const underScoped = await company.makeKey(["read:rewards"]);
  await expectError(
    await call("/members", underScoped.api_key),
    403,
    'Forbidden: this key is missing the "read:members" scope',
  );
  expect(await lastUsed(underScoped.id)).toBeNull();
  const revoked = await company.makeKey();
  await company.revoke(revoked.id);
  await expectError(await call("/members", revoked.api_key), 401, invalidKey);
  expect(await lastUsed(revoked.id)).toBeNull();
});

test("a request does not wait for another one that is recording the same key's use", async () => {
  const { id, api_key } = await company.makeKey();
  await sql.begin(async (tx) => {
    await tx`select from app.api_key_uses where key_id = ${id} for update`;
    expect((await call("/members", api_key)).status).toBe(200);
  });
  expect(await lastUsed(id)).toBeNull();
});
