import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../functions/public-api/app.ts";
import { readSettings } from "../../functions/public-api/settings.ts";
import { key, list, problem, refusal, secretKey, startService, value, verifiedKey } from "../support/service.ts";

const service = await startService();
const { supabaseUrl } = service;
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const json = "application/json; charset=utf-8";
const reward = '{"external_id":"a","name":"b","points_cost":1}';

/** Expects a 500 that says nothing about the failure, and `error` in the log line of the request. */
async function expectFailure(response: Response, error: string | RegExp): Promise<void> {
  expect(await problem(response)).toEqual([500, "Internal Server Error"]);
  const line = JSON.parse(service.lines.at(-1) ?? "");
  const named = typeof error === "string" ? error : expect.stringMatching(error);
  expect(line).toMatchObject({ status: 500, request_id: response.headers.get("X-Request-Id"), error: named });
}

test.each([
  [401, "PT401", "Unauthorized: Invalid or missing API Key"],
  [403, "PT403", 'Forbidden: this key is missing the "read:members" scope'],
  [400, "PT400", "starting_after must be the id of a row of this list"],
  [410, "PT410", "Gone: this cursor is no longer known, begin again with after=start"],
])("a %i reaches the caller, also without details, as PostgREST 16 may answer", async (status, code, text) => {
  service.answer("list_members", refusal(status, code));
  expect(await problem(await service.send("/members"))).toEqual([status, text]);
});

test("a time zone that only the function knows is a 400 too", async () => {
  service.answer("count_activity", refusal(400, "22023"));
  const wrong = "time_zone must be UTC or the IANA name of a time zone, such as Europe/Berlin";
  expect(await problem(await service.send("/activity/counts?time_zone=Asia/Tokyo"))).toEqual([400, wrong]);
  service.answer("list_members", refusal(400, "22023"));
  expect(await problem(await service.send("/members"))).toEqual([500, "Internal Server Error"]);
});

describe("what the database may answer besides 200 is a 500, and the log has no more than status and code", () => {
  const older = ": the database is older than this function, push the migrations (docs/operate/upgrade.md)";
  const noRight =
    ": a right is missing, run npm run check-database (docs/operate/backup-and-restore.md, Check the database)";

  // With the secrets that such errors can contain.
  test.each<[what: string, status: number, code: string, remedy?: string]>([
    // Proves: errors.10, requests.54, requests.55
    ["a statement that took too long", 500, "57014"],
    ["data that a constraint refuses", 409, "23505"],
    ["a function that is not there", 404, "PGRST202", older],
    ["a function that it calls and that is not there", 404, "42883", older],
    ["a permission that is missing", 403, "42501", noRight],
    ["a secret key that has expired", 401, "PGRST303"],
    ["an argument that has another type", 400, "22P02"],
    ["a 429 of something else", 429, "PT410"],
    // Proves: risk.10
    ["a 401 that only looks like ours", 403, "PT401"],
  ])("%s", async (_what, status, code, remedy = "") => {
    service.answer("list_members", refusal(status, code, { details: "secret" }, "secret"));
    await expectFailure(await service.send("/members"), `list_members answered ${status} with ${code}${remedy}`);
    expect(service.lines.join()).not.toMatch(/secret/);
    expect(service.calls).toHaveLength(1);
  });

  // That these are asked for again: test/function/repeated_calls.test.ts.
  test.each<[what: string, status: number, headers: Record<string, string>, body?: string]>([
    ["an error that is no object", 500, { "Content-Type": json }, '"secret"'],
    ["a code in an error body of a megabyte", 401, { "Content-Type": json }, '{"code":"PT401"}'.padStart(1 << 20)],
    ["HTML of a proxy", 502, { "Content-Type": "text/html" }, "<html>secret</html>"],
    // Proves: risk.10
    ["HTML with status 200", 200, { "Content-Type": "text/html" }, "<html>secret</html>"],
    // Proves: risk.7
    ["a redirect", 307, { Location: "/rest/v1/rpc/secret" }],
  ])("%s", async (_what, status, headers, body = "") => {
    service.answer("upsert_rewards", { status, headers, body });
    await expectFailure(await service.import(reward), `upsert_rewards answered ${status} with no code`);
    expect(service.lines.join()).not.toMatch(/secret/);
  });

  test("an error body without end is not read to its end", async () => {
    let closed: Promise<unknown> | undefined;
    let kibibytes = 0;
    const withoutEnd = function* () {
      for (; ; kibibytes++) yield "x".repeat(1024);
    };
    service.answer("upsert_rewards", (response) => {
      closed = once(response.writeHead(500, { "Content-Type": json }), "close");
      Readable.from(withoutEnd()).pipe(response);
    });
    await expectFailure(await service.import(reward), "upsert_rewards answered 500 with no code");
    await closed;
    // No more than the buffers on the way hold: only the deadline would stop a function that read on.
    expect(kibibytes).toBeLessThan(32 * 1024);
  });

  test("a list without its headers", async () => {
    service.answer("list_members", { headers: { "Content-Type": json }, body: "[]" });
    await expectFailure(await service.send("/members"), /^Error at rows\.ts:\d+:\d+$/);
  });

  test("a verified key without its newest field", async () => {
    service.answer("any", value({ ...verifiedKey, company_id: undefined, scopes: ["secret"] }));
    await expectFailure(await service.send("/"), `verify_api_key answered without fields that are needed${older}`);
    expect(service.lines.join()).not.toMatch(/secret/);
  });
});

describe("an upstream that takes longer than 8 seconds", () => {
  const started = { "Content-Type": json, "X-Has-More": "false", "Content-Length": "2" };

  test.each<[what: string, path: string, upstream: (response: ServerResponse) => unknown]>([
    // Proves: requests.54
    ["to say anything", "/members", () => {}],
    ["to finish a CSV", "/members?format=csv", (response) => response.writeHead(200, started).write("[")],
    ["to finish an error", "/rewards", (response) => response.writeHead(500, started).write("{")],
  ])("%s", async (_what, path, upstream) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const called = new Promise((resolve) => {
      for (const rpc of ["list_members", "upsert_rewards"])
        service.answer(rpc, (response) => resolve(upstream(response)));
    });
    const response = path === "/rewards" ? service.import(reward) : service.send(path);
    await called;
    await vi.advanceTimersByTimeAsync(7_999);
    expect(service.lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const error = /^\w+ (gave no complete answer \(TimeoutError\)|answered 500 with no code)$/;
    await expectFailure(await response, error);
  });
});

// That one of which nothing more comes, or that nobody reads, breaks off: test/hardening/upstream.test.ts.
test("a large page that is read slowly comes whole", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const half = "x".repeat(1024 * 1024);
  const rest = Promise.withResolvers<void>();
  service.answer("list_members", (response) => {
    response.writeHead(200, { ...list("").headers, "Content-Length": String(2 * half.length) }).write(half);
    rest.promise.then(() => response.end(half));
  });
  const reader = (await service.send("/members")).body?.getReader();
  for (let late = 0; late < 3; late++) {
    await reader?.read();
    await vi.advanceTimersByTimeAsync(29_000);
  }
  rest.resolve();
  for (let read = await reader?.read(); !read?.done; ) read = await reader?.read();
});

// Proves: keys.15
test.each([
  ["a new one, stands in apikey alone", secretKey, undefined],
  ["a JWT, stands in both headers", "ey.legacy.key", "Bearer ey.legacy.key"],
])("the secret key, %s; and nothing that the caller sent goes along", async (_what, secretKey, authorization) => {
  const own = { Cookie: "a=b", Prefer: "tx=rollback", "Accept-Profile": "app", "X-Forwarded-For": "1.2.3.4" };
  const sent = { "X-API-Key": key, ...own };
  const app = createApp({ supabaseUrl, baseUrl: "https://api.example/v1", secretKey, readUrls: [] }, () => {});
  await app(new Request("http://host/public-api/members", { headers: sent }));
  const { method = "", headers = {} } = service.calls[0] ?? {};
  expect([method, headers.apikey, headers.authorization]).toEqual(["POST", secretKey, authorization]);
  for (const name of Object.keys(sent)) expect(headers).not.toHaveProperty(name.toLowerCase());
});

describe("settings", () => {
  const read = (env: Record<string, string>) => readSettings((name) => env[name]);
  const url = { SUPABASE_URL: "https://project.supabase.co" };
  const legacy = { SUPABASE_SERVICE_ROLE_KEY: "ey.a.b" };

  test.each<[string, object, Partial<ReturnType<typeof read>>]>([
    ["the key named default", { SUPABASE_SECRET_KEYS: '{"a":"sb_a","default":"sb_b"}' }, { secretKey: "sb_b" }],
    ["the one new key, before the legacy one", { SUPABASE_SECRET_KEYS: '{"a":"sb_c"}' }, { secretKey: "sb_c" }],
    ["the legacy key", {}, {}],
    ["the legacy key beside an empty setting", { SUPABASE_SECRET_KEYS: "" }, {}],
    ["the address without its slash", { SUPABASE_URL: "http://a:1/" }, { supabaseUrl: "http://a:1" }],
    ["no replicas", { PUBLIC_API_READ_URL: "" }, {}],
    ["another base address", { PUBLIC_API_URL: "https://api.b/v1" }, { baseUrl: "https://api.b/v1" }],
    ["replicas", { PUBLIC_API_READ_URL: "http://a:1/,https://b" }, { readUrls: ["http://a:1", "https://b"] }],
  ])("take %s", (_what, env, taken) => {
    const { supabaseUrl = "https://project.supabase.co", ...others } = taken;
    const baseUrl = `${supabaseUrl}/functions/v1/public-api`;
    const usual = { supabaseUrl, baseUrl, secretKey: "ey.a.b", readUrls: [] };
    expect(read({ ...url, ...legacy, ...env })).toEqual({ ...usual, ...others });
  });

  const noProject = "SUPABASE_URL must be the address of the project";
  const noReplicas = "PUBLIC_API_READ_URL must be the addresses of read replicas, separated by commas";
  const noAddress = "PUBLIC_API_URL must be an address without a query and without a slash at the end";
  const noKey = "SUPABASE_SECRET_KEYS or SUPABASE_SERVICE_ROLE_KEY must hold a secret key";
  const noKeys = 'SUPABASE_SECRET_KEYS must be a JSON object such as {"default":"…"}';
  test.each<[Record<string, string>, string]>([
    [legacy, noProject],
    [{ ...legacy, SUPABASE_URL: "postgres://u:pw@h/db" }, noProject],
    [url, noKey],
    [{ ...url, SUPABASE_SERVICE_ROLE_KEY: "ey.a\nb" }, noKey],
    [{ ...url, SUPABASE_SECRET_KEYS: '{"default":"sb_secret_é"}' }, noKey],
    [{ ...url, ...legacy, PUBLIC_API_URL: "https://api.b/v1/" }, noAddress],
    ...["PUBLIC_API_DASHBOARD_URL", "PUBLIC_API_MCP_URL"].map((name): [Record<string, string>, string] => [
      { ...url, ...legacy, [name]: "https://keys.b/?a" },
      noAddress.replace("PUBLIC_API_URL", name),
    ]),
    [{ ...url, ...legacy, PUBLIC_API_READ_URL: "postgres://u:pw@h/db" }, noReplicas],
    [{ ...url, ...legacy, PUBLIC_API_READ_URL: "https://a, https://b" }, noReplicas],
    [{ ...url, ...legacy, PUBLIC_API_READ_URL: "https://a," }, noReplicas],
    [{ ...url, SUPABASE_SECRET_KEYS: "sb_secret_x" }, noKeys],
    [{ ...url, SUPABASE_SECRET_KEYS: "null" }, noKeys],
    [{ ...url, SUPABASE_SECRET_KEYS: '{"default":"sb_secret_x"' }, noKeys],
  ])("that are wrong are named and not shown: %o", (env, message) => {
    expect(() => read(env)).toThrow(new Error(message));
  });
});
