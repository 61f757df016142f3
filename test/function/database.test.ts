import { once } from "node:events";
import { afterEach, describe, expect, test, vi } from "vitest";
import { createApp } from "../../functions/public-api/app.ts";
import { readSettings } from "../../functions/public-api/database.ts";
import {
  internalServerError,
  key,
  list,
  secretKey,
  startService,
  type Upstream,
  unauthorized,
  value,
} from "../support/service.ts";

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
])(
  "a %i of PostgREST 16 with client-error-verbosity = minimal, which has no details, is told as one that has them",
  async (status, code, told) => {
    service.answer("list_members", {
      status,
      headers: { "Content-Type": json },
      body: JSON.stringify({ code, message: told }),
    });
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
  test.each<[what: string, status: number, code: string, message: string, details?: string]>([
    // Proves: requests.54
    ["a statement that took too long", 500, "57014", "canceling statement due to statement timeout"],
    // PostgREST 12 to 14 tries it again without end; no function of this service raises it.
    ["a conflict of transactions", 500, "40001", "could not serialize access due to concurrent update"],
    ["a deadlock", 500, "40P01", "deadlock detected", "Process 1 waits for … secret"],
    ["a lock that was not to be had", 500, "55P03", "canceling statement due to lock timeout"],
    ["data that a constraint refuses", 409, "23505", "duplicate", "Key (email)=(secret@example.org) already exists."],
    ["no free connection", 504, "PGRST003", "Timed out acquiring connection from connection pool."],
    ["a function that is not there", 404, "PGRST202", "secret", "Searched for the function public.list_members …"],
    ["a permission that is missing", 403, "42501", "permission denied for function list_members"],
    ["a secret key that has expired", 401, "PGRST303", "JWT expired"],
    ["Supabase Lite's failures", 500, "SUP", "secret"],
    ["an argument that is none", 400, "22P02", "invalid input syntax for type uuid", "secret"],
    ["a body that PostgREST cannot read", 400, "PGRST102", "Empty or invalid json"],
    ["a 400 that only looks like ours", 500, "PT400", ""],
    // Proves: risk.10
    ["a 401 that only looks like ours", 403, "PT401", ""],
    ["a 403 that only looks like ours", 500, "PT403", ""],
  ])("%s", async (_what, status, code, message, details) => {
    const body = JSON.stringify({ code, details: details ?? null, hint: null, message });
    await expectNoMore({ status, headers: { "Content-Type": json }, body }, `${status} with ${code}`);
  });

  test.each<[what: string, status: number, type: string | undefined, body?: string]>([
    ["a secret key that the gateway refuses", 401, json, '{"message":"Invalid API key","hint":"Double check secret"}'],
    ["a code that is none", 500, json, '{"code":"secret text; with anything","message":""}'],
    ["an error that is no object", 500, json, '"secret"'],
    ["an error that is empty", 500, json],
    ["too many requests", 429, json, "{}"],
    ["the platform's own status", 546, json, "WORKER_LIMIT"],
    ["HTML of a proxy", 502, "text/html", "<html>secret</html>"],
    // Proves: risk.10
    ["HTML with status 200", 200, "text/html", "<html>secret</html>"],
    ["nothing", 204, undefined],
  ])("%s", async (_what, status, type, body) => {
    const headers: Record<string, string> = type ? { "Content-Type": type } : {};
    await expectNoMore({ status, headers, ...(body && { body }) }, `${status} with no code`);
  });

  // Proves: risk.7
  test("a redirect", () =>
    expectNoMore({ status: 307, headers: { Location: "/rest/v1/rpc/secret" }, body: "" }, "307 with no code"));

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
  // Proves: requests.54
  test("closes the connection", async () => {
    service.answer("list_members", (response) => void response.destroy());
    await expectFailure(await service.send("/members"), /^list_members gave no complete answer \(\w+\)$/);
  });

  test("refuses the connection", async () => {
    const app = createApp({ supabaseUrl: "http://127.0.0.1:1", secretKey, readUrls: [] }, (line) =>
      service.lines.push(line),
    );
    const response = await app(new Request("http://host/public-api/members", { headers: { "X-API-Key": key } }));
    await expectFailure(response, /^list_members gave no complete answer \(\w+\)$/);
    expect(service.lines.join()).not.toMatch(/127\.0\.0\.1/);
  });

  test("is forgotten when it is back", async () => {
    service.answer("list_members", (response) => void response.destroy());
    expect((await service.send("/members")).status).toBe(500);
    service.answer("list_members", list("[]"));
    expect((await service.send("/members")).status).toBe(200);
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
      (response) => {
        response.writeHead(200, { "Content-Type": json, "X-Has-More": "false", "Content-Length": "2" });
        response.write("[");
      },
    ],
    [
      "to finish an error",
      "/members",
      (response) => {
        response.writeHead(500, { "Content-Type": json });
        response.write("{");
      },
    ],
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
  test("stands in apikey alone when it is a new one", async () => {
    await service.send("/members");
    expect(service.calls[0]?.method).toBe("POST");
    expect(service.calls[0]?.headers.apikey).toBe(secretKey);
    expect(service.calls[0]?.headers.authorization).toBeUndefined();
  });

  test("stands in both headers when it is a JWT", async () => {
    const app = createApp({ supabaseUrl: service.supabaseUrl, secretKey: "ey.legacy.key", readUrls: [] }, () => {});
    await app(new Request("http://host/public-api/members", { headers: { "X-API-Key": key } }));
    expect(service.calls[0]?.headers.apikey).toBe("ey.legacy.key");
    expect(service.calls[0]?.headers.authorization).toBe("Bearer ey.legacy.key");
  });

  // Proves: keys.15
  test("goes along with nothing that the caller sent", async () => {
    const headers = {
      "X-API-Key": key,
      Cookie: "a=b",
      Prefer: "tx=rollback",
      "Accept-Profile": "app",
      "X-Forwarded-For": "1.2.3.4",
    };
    await service.send("/members", { headers });
    for (const name of ["x-api-key", "cookie", "prefer", "accept-profile", "x-forwarded-for"]) {
      expect(service.calls[0]?.headers[name]).toBeUndefined();
    }
  });

  test("refused by the database is no 401 to the caller", async () => {
    service.answer("list_members", { status: 401, body: "{}" });
    expect(await (await service.send("/members")).json()).not.toEqual(unauthorized);
  });
});

describe("settings", () => {
  const read = (env: Record<string, string>) => readSettings((name) => env[name]);
  const url = { SUPABASE_URL: "https://project.supabase.co" };

  test.each<[string, Record<string, string>, string]>([
    ["the key named default", { SUPABASE_SECRET_KEYS: '{"a":"sb_secret_a","default":"sb_secret_b"}' }, "sb_secret_b"],
    ["the one key there is", { SUPABASE_SECRET_KEYS: '{"next":"sb_secret_c"}' }, "sb_secret_c"],
    [
      "the new key before the legacy one",
      { SUPABASE_SECRET_KEYS: '{"default":"sb_secret_d"}', SUPABASE_SERVICE_ROLE_KEY: "ey" },
      "sb_secret_d",
    ],
    ["the legacy key", { SUPABASE_SERVICE_ROLE_KEY: "ey.a.b" }, "ey.a.b"],
    [
      "the legacy key beside an empty setting",
      { SUPABASE_SECRET_KEYS: "", SUPABASE_SERVICE_ROLE_KEY: "ey.a.b" },
      "ey.a.b",
    ],
  ])("take %s", (_what, env, secretKey) => {
    expect(read({ ...url, ...env })).toEqual({ supabaseUrl: "https://project.supabase.co", secretKey, readUrls: [] });
  });

  test("take the addresses with or without a slash", () => {
    const env = { SUPABASE_URL: "http://127.0.0.1:54321/", SUPABASE_SERVICE_ROLE_KEY: "ey" };
    expect(read({ ...env, PUBLIC_API_READ_URL: "" })).toMatchObject({
      supabaseUrl: "http://127.0.0.1:54321",
      readUrls: [],
    });
    expect(read({ ...env, PUBLIC_API_READ_URL: "http://a:1/,https://b" }).readUrls).toEqual([
      "http://a:1",
      "https://b",
    ]);
  });

  test.each<[string, Record<string, string>, string]>([
    ["no address", { SUPABASE_SERVICE_ROLE_KEY: "ey" }, "SUPABASE_URL must be the address of the project"],
    ["another address", { SUPABASE_URL: "postgres://u:pw@h/db" }, "SUPABASE_URL must be the address of the project"],
    ...["postgres://u:pw@h/db", "https://a, https://b", "https://a,"].map(
      (text): [string, Record<string, string>, string] => [
        text,
        { ...url, SUPABASE_SERVICE_ROLE_KEY: "ey", PUBLIC_API_READ_URL: text },
        "PUBLIC_API_READ_URL must be the addresses of read replicas, separated by commas",
      ],
    ),
    ["no key", url, "SUPABASE_SECRET_KEYS or SUPABASE_SERVICE_ROLE_KEY must hold a secret key"],
    ...["sb_secret_x", "[]", "{}", "null", '{"default":5}', '{"default":"sb_secret_x"'].map(
      (text): [string, Record<string, string>, string] => [
        text,
        { ...url, SUPABASE_SECRET_KEYS: text },
        'SUPABASE_SECRET_KEYS must be a JSON object such as {"default":"…"}',
      ],
    ),
  ])("that are wrong are named and not shown: %s", (_what, env, message) => {
    expect(() => read(env)).toThrow(new Error(message));
  });
});
