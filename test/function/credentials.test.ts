import { describe, expect, test } from "vitest";
import { isWellFormedKey } from "../../functions/public-api/request/key.ts";
import { key, keyHash, startService, unauthorized } from "../support/service.ts";
import vectors from "../vectors/api_keys.json" with { type: "json" };

const service = await startService();
const basic = (credentials: string) => ({ Authorization: `Basic ${Buffer.from(credentials).toString("base64")}` });

describe("a key", () => {
  test.each(Object.entries(vectors.valid))("%s is sent to the database as its SHA-256 only", async (key, sha256) => {
    await service.sendBare("/members", { headers: { "X-API-Key": key } });
    expect(new Set(service.calls.map(({ args }) => args.key_hash))).toEqual(new Set([sha256]));
    expect(JSON.stringify(service.calls)).not.toContain(key);
  });

  test.each(Object.entries(vectors.invalid))("that is malformed is refused: %s", (_why, key) => {
    expect(isWellFormedKey(key)).toBe(false);
  });

  // Proves: keys.5
  test("that differs from a good one in any one character is refused", () => {
    for (const [place, was] of Array.from(key).entries())
      for (const other of "09AZaz".replace(was, ""))
        expect(isWellFormedKey(key.slice(0, place) + other + key.slice(place + 1)), `${place} ${other}`).toBe(false);
  });
});

describe("a key is found", () => {
  test.each<[string, Record<string, string>]>([
    // Proves: authentication.4, keys.6, requests.9
    ["in X-API-Key", { "X-API-Key": key }],
    // Proves: authentication.3, requests.10
    ["as a bearer token, scheme in any case", { Authorization: `bEARER ${key}` }],
    ["after several spaces", { Authorization: `Bearer   ${key}` }],
    // Proves: requests.12
    ["as the user name of Basic", basic(`${key}:`)],
    ["as the user name of Basic, with any password", basic(`${key}:x:ü`)],
    // Proves: requests.12
    ["in Basic with blanks and a line break around it", basic(` ${key}\r\n: `)],
    ["as the password of Basic, after any user name", basic(`Größe😀:${key}`)],
    ["as all there is in Basic, scheme in any case", { Authorization: basic(key).Authorization.replace("B", "b") }],
    // Proves: requests.11
    ["as a bearer token beside an empty X-API-Key", { "X-API-Key": " ", Authorization: `Bearer ${key}` }],
    ["in X-API-Key, when a bearer token is sent too", { "X-API-Key": key, Authorization: "Bearer x" }],
  ])("%s", async (_where, headers) => {
    expect((await service.sendBare("/members", { headers })).status).toBe(200);
    expect(service.calls.map(({ args }) => args.key_hash)).toEqual([keyHash]);
  });
});

describe("401 without a call to the database", () => {
  const wrong = vectors.invalid["last digit of the checksum is wrong"];
  test.each<[string, Record<string, string>, string?]>([
    // Proves: keys.4
    ["no key", {}],
    ["an empty X-API-Key", { "X-API-Key": "" }],
    ["a word in X-API-Key, though there is a good bearer token", { "X-API-Key": "x", Authorization: `Bearer ${key}` }],
    ["two empty headers", { "X-API-Key": "", Authorization: "" }],
    ["a wrong X-API-Key, though there is a good bearer token", { "X-API-Key": wrong, Authorization: `Bearer ${key}` }],
    ["a wrong checksum in a bearer token", { Authorization: `Bearer ${wrong}` }],
    ["a wrong checksum in Basic", basic(`${wrong}:${wrong}`)],
    ["two keys", { "X-API-Key": `${key}, ${key}` }],
    ["a bearer token with something after it", { Authorization: `Bearer ${key} x` }],
    ["another scheme", { Authorization: `Token ${key}` }],
    ["no scheme", { Authorization: key }],
    ["Basic with something after the key", basic(`:${key}:x`)],
    ["Basic that is not base64", { Authorization: "Basic %%%" }],
    ["Basic with a bare key", { Authorization: `Basic ${key}` }],
    ["a key in a cookie", { Cookie: `X-API-Key=${key}` }],
    // Proves: requests.13, risk.2
    ["a key in the query string", {}, `?api_key=${key}&key=${key}&X-API-Key=${key}&access_token=${key}`],
  ])("%s", async (_what, headers, query = "") => {
    const response = await service.sendBare(`/members${query}`, { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get("WWW-Authenticate")).toBe("Bearer");
    expect(await response.json()).toEqual(unauthorized);
    expect(service.calls).toEqual([]);
  });
});
