import { once } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../functions/public-api/app.ts";
import { readSettings } from "../../functions/public-api/database.ts";
import { internalServerError, key, secretKey, startService, type Upstream, value } from "../support/service.ts";

const service = await startService();
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const json = "application/json; charset=utf-8";

/** Expects a 500 that tells the caller nothing about the failure, and `error` in the log line of the request. */
async function expectFailure(response: Response, error: string | RegExp): Promise<void> {
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual(internalServerError);
  const line = JSON.parse(service.lines.at(-1) ?? "");
  expect(line).toMatchObject({ status: 500, request_id: response.headers.get("X-Request-Id") });
  expect(line.error).toMatch(error);
}

test.each([
  [401, "PT401", "Unauthorized: Invalid or missing API Key"],
  [403, "PT403", 'Forbidden: this key is missing the "read:members" scope'],
  [400, "PT400", "starting_after must be the id of a row of this list"],
  [410, "PT410", "Gone: this cursor is no longer known, begin again with changed_after=start"],
])(
  "a %i is told to the caller, also one without details (PostgREST 16, client-error-verbosity = minimal)",
  async (status, code, told) => {
    service.answer("list_members", { status, body: JSON.stringify({ code, message: "" }) });
    const response = await service.send("/members");
    expect([response.status, await response.json()]).toEqual([status, { error: told }]);
  },
);

describe("what the database may answer besides 200 is a 500, and the log has no more than status and code", () => {
  async function expectNoMore(upstream: Upstream, statusAndCode: string): Promise<void> {
    service.answer("list_members", upstream);
    await expectFailure(await service.send("/members"), `list_members answered ${statusAndCode}`);
    expect(service.lines.join()).not.toMatch(/secret/);
    expect(service.calls).toHaveLength(1);
  }

  // Errors as PostgREST 12 to 16 sends them, with the secrets that they can contain.
  test.each<[what: string, status: number, code: string, message?: string]>([
    // Proves: errors.10, requests.54, requests.55
    ["a statement that took too long", 500, "57014", "canceling statement due to statement timeout"],
    // PostgREST 12 to 14 tries it again without end; no function of this service raises it.
    ["a conflict of transactions", 500, "40001", "could not serialize access due to concurrent update"],
    ["a deadlock", 500, "40P01", "deadlock detected: Process 1 waits for … secret"],
    ["data that a constraint refuses", 409, "23505", "Key (email)=(secret@example.org) already exists."],
    ["no free connection", 504, "PGRST003", "Timed out acquiring connection from connection pool."],
    ["a function that is not there", 404, "PGRST202", "secret"],
    ["a permission that is missing", 403, "42501", "permission denied for function list_members"],
    ["a secret key that has expired", 401, "PGRST303", "JWT expired"],
    ["Supabase Lite's failures", 500, "SUP", "secret"],
    ["an argument that is none", 400, "22P02", 'invalid input syntax for type uuid: "secret"'],
    ["a 400 that only looks like ours", 500, "PT400"],
    ["a 410 that only looks like ours", 404, "PT410"],
    // Proves: risk.10
    ["a 401 that only looks like ours", 403, "PT401"],
    ["a 403 that only looks like ours", 500, "PT403"],
  ])("%s", async (_what, status, code, message = "") => {
    const body = JSON.stringify({ code, message, details: message, hint: null });
    await expectNoMore({ status, body }, `${status} with ${code}`);
  });

  test.each<[what: string, status: number, headers: Record<string, string>, body?: string]>([
    ["a secret key that the gateway refuses", 401, { "Content-Type": json }, '{"message":"Invalid API key: secret"}'],
    ["a code that is none", 500, { "Content-Type": json }, '{"code":"secret text; with anything","message":""}'],
    ["an error that is no object", 500, { "Content-Type": json }, '"secret"'],
    ["an error that is empty", 500, { "Content-Type": json }],
    ["too many requests", 429, { "Content-Type": json }, "{}"],
    ["the platform's own status", 546, { "Content-Type": json }, "WORKER_LIMIT"],
    ["HTML of a proxy", 502, { "Content-Type": "text/html" }, "<html>secret</html>"],
    // Proves: risk.10
    ["HTML with status 200", 200, { "Content-Type": "text/html" }, "<html>secret</html>"],
    // Proves: risk.7
    ["a redirect", 307, { Location: "/rest/v1/rpc/secret" }],
    ["nothing", 204, {}],
  ])("%s", async (_what, status, headers, body = "") => {
    await expectNoMore({ status, headers, body }, `${status} with no code`);
  });

  test("an error body without end is not read to its end", async () => {
    let closed: Promise<unknown> | undefined;
    let kibibytes = 0;
    service.answer("list_members", (response) => {
      closed = once(response, "close");
      response.writeHead(500, { "Content-Type": json });
      const more = () => {
        do kibibytes++;
        while (response.write("x".repeat(1024)));
        response.once("drain", more);
      };
      more();
    });
    await expectFailure(await service.send("/members"), "list_members answered 500 with no code");
    await closed;
    // No more than the buffers on the way hold. If the function read on, only the deadline or the maximum length of a
    // string would stop it, after a hundred times as much.
    expect(kibibytes).toBeLessThan(32 * 1024);
  });

  test("a list without its headers", async () => {
    service.answer("list_members", { headers: { "Content-Type": json }, body: "[]" });
    await expectFailure(await service.send("/members"), /^Error at app\.ts:\d+:\d+$/);
  });

  test("a verified key without its fields", async () => {
    service.answer("verify_api_key", { headers: { "Content-Type": json }, body: '{"scopes":"secret"}' });
    await expectFailure(await service.send("/"), /^ZodError at app\.ts:\d+:\d+$/);
  });
});

describe("an upstream that is not there", () => {
  test("refuses the connection", async () => {
    const app = createApp({ supabaseUrl: "http://127.0.0.1:1", secretKey, readUrls: [] }, (line) =>
      service.lines.push(line),
    );
    const response = await app(new Request("http://host/public-api/members", { headers: { "X-API-Key": key } }));
    await expectFailure(response, /^list_members gave no complete answer \(\w+\)$/);
    expect(service.lines.join()).not.toMatch(/127\.0\.0\.1/);
  });

  // Proves: requests.58
  test.each(["/members?format=csv", "/"])("breaks off while a body is read whole: %s", async (path) => {
    service.answer("any", (response) => {
      response.writeHead(200, { "Content-Type": json, "X-Has-More": "false", "Content-Length": "1000" });
      response.write("[]", () => response.destroy());
    });
    await expectFailure(await service.send(path), /gave no complete answer/);
  });
});

describe("an upstream that takes longer than 8 seconds", () => {
  test.each<[string, string, Upstream]>([
    // Proves: requests.54
    ["to say anything", "/members", () => {}],
    [
      "to finish a CSV",
      "/members?format=csv",
      (response) =>
        void response.writeHead(200, { "Content-Type": json, "X-Has-More": "false", "Content-Length": "2" }).write("["),
    ],
    ["to finish an error", "/members", (response) => void response.writeHead(500, { "Content-Type": json }).write("{")],
  ])("%s", async (_what, path, upstream) => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const called = new Promise<void>((resolve) => {
      service.answer("list_members", (response) => {
        if (typeof upstream === "function") upstream(response);
        resolve();
      });
    });
    const response = service.send(path);
    await called;
    await vi.advanceTimersByTimeAsync(7_999);
    expect(service.lines).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await expectFailure(
      await response,
      /^list_members (gave no complete answer \(TimeoutError\)|answered 500 with no code)$/,
    );
  });
});

test("no timer is left behind by an answer that came in time", async () => {
  const set = vi.spyOn(globalThis, "setTimeout");
  const cleared = vi.spyOn(globalThis, "clearTimeout");
  await (await service.send("/members")).text();
  await service.send("/members?format=csv");
  service.answer("upsert_rewards", value({ imported: 1 }));
  await service.import('{"external_id":"a","name":"b","points_cost":1}');
  await service.import("");
  // Only the timers of the deadline: fetch has its own timers.
  const deadlines = set.mock.results.filter((_, call) => set.mock.calls[call]?.[1] === 8000).map(({ value }) => value);
  expect(deadlines).toHaveLength(5);
  for (const timer of deadlines) expect(cleared).toHaveBeenCalledWith(timer);
});

describe("the secret key", () => {
  test.each([
    ["a new one, stands in apikey alone", secretKey, undefined],
    ["a JWT, stands in both headers", "ey.legacy.key", "Bearer ey.legacy.key"],
  ])("%s", async (_what, secretKey, authorization) => {
    const app = createApp({ supabaseUrl: service.supabaseUrl, secretKey, readUrls: [] }, () => {});
    await app(new Request("http://host/public-api/members", { headers: { "X-API-Key": key } }));
    expect(service.calls[0]?.method).toBe("POST");
    expect(service.calls[0]?.headers).toMatchObject({ apikey: secretKey });
    expect(service.calls[0]?.headers.authorization).toBe(authorization);
  });

  // Proves: keys.15
  test("goes along with nothing that the caller sent", async () => {
    const sent = { Cookie: "a=b", Prefer: "tx=rollback", "Accept-Profile": "app", "X-Forwarded-For": "1.2.3.4" };
    await service.send("/members", { headers: { ...sent, "X-API-Key": key } });
    for (const name of ["X-API-Key", ...Object.keys(sent)])
      expect(service.calls[0]?.headers).not.toHaveProperty(name.toLowerCase());
  });
});

describe("settings", () => {
  const read = (env: Record<string, string>) => readSettings((name) => env[name]);
  const url = { SUPABASE_URL: "https://project.supabase.co" };
  const legacy = { SUPABASE_SERVICE_ROLE_KEY: "ey.a.b" };

  test.each<[string, Record<string, string>, string]>([
    ["the key named default", { SUPABASE_SECRET_KEYS: '{"a":"sb_secret_a","default":"sb_secret_b"}' }, "sb_secret_b"],
    ["the one key there is", { SUPABASE_SECRET_KEYS: '{"next":"sb_secret_c"}' }, "sb_secret_c"],
    [
      "the new key before the legacy one",
      { ...legacy, SUPABASE_SECRET_KEYS: '{"default":"sb_secret_d"}' },
      "sb_secret_d",
    ],
    ["the legacy key", legacy, "ey.a.b"],
    ["the legacy key beside an empty setting", { ...legacy, SUPABASE_SECRET_KEYS: "" }, "ey.a.b"],
  ])("take %s", (_what, env, secretKey) => {
    expect(read({ ...url, ...env })).toEqual({ supabaseUrl: "https://project.supabase.co", secretKey, readUrls: [] });
  });

  test("take the addresses with or without a slash", () => {
    const env = { ...legacy, SUPABASE_URL: "http://127.0.0.1:54321/" };
    expect(read({ ...env, PUBLIC_API_READ_URL: "" })).toMatchObject({
      supabaseUrl: "http://127.0.0.1:54321",
      readUrls: [],
    });
    expect(read({ ...env, PUBLIC_API_READ_URL: "http://a:1/,https://b" }).readUrls).toEqual([
      "http://a:1",
      "https://b",
    ]);
  });

  const noProject = "SUPABASE_URL must be the address of the project";
  const noReplicas = "PUBLIC_API_READ_URL must be the addresses of read replicas, separated by commas";
  const noKeys = 'SUPABASE_SECRET_KEYS must be a JSON object such as {"default":"…"}';
  test.each<[Record<string, string>, string]>([
    [legacy, noProject],
    [{ ...legacy, SUPABASE_URL: "postgres://u:pw@h/db" }, noProject],
    [url, "SUPABASE_SECRET_KEYS or SUPABASE_SERVICE_ROLE_KEY must hold a secret key"],
    ...["postgres://u:pw@h/db", "https://a, https://b", "https://a,"].map((text): [Record<string, string>, string] => [
      { ...url, ...legacy, PUBLIC_API_READ_URL: text },
      noReplicas,
    ]),
    ...["sb_secret_x", "[]", "{}", "null", '{"default":5}', '{"default":"sb_secret_x"'].map(
      (text): [Record<string, string>, string] => [{ ...url, SUPABASE_SECRET_KEYS: text }, noKeys],
    ),
  ])("that are wrong are named and not shown: %o", (env, message) => {
    expect(() => read(env)).toThrow(new Error(message));
  });
});
