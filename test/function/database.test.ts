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
} from "./service.ts";

const service = await startService();
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const json = "application/json; charset=utf-8";
const postgrest = (status: number, body: object): Upstream => ({
  status,
  headers: { "Content-Type": json },
  body: JSON.stringify(body),
});

/** Asserts that a request ended as a failure of the service, telling nothing of what happened, with `error` in its log line. */
async function expectFailure(response: Response, error: string | RegExp): Promise<void> {
  expect(response.status).toBe(500);
  expect(await response.json()).toEqual(internalServerError);
  const line = JSON.parse(service.lines.at(-1) ?? "");
  expect(line).toMatchObject({ status: 500, request_id: response.headers.get("X-Request-Id") });
  expect(line.error).toMatch(error);
}

describe("what the database may answer besides 200 is a 500, and the log has no more than status and code", () => {
  // Bodies as PostgREST 12 to 14 sends them, with the secrets that they can hold.
  test.each<[string, Upstream, string]>([
    [
      "a statement that took too long",
      postgrest(500, {
        code: "57014",
        details: null,
        hint: null,
        message: "canceling statement due to statement timeout",
      }),
      "list_members answered 500 with 57014",
    ],
    [
      "a deadlock",
      postgrest(500, {
        code: "40P01",
        details: "Process 1 waits for … secret",
        hint: null,
        message: "deadlock detected",
      }),
      "list_members answered 500 with 40P01",
    ],
    [
      "a lock that was not to be had",
      postgrest(500, { code: "55P03", details: null, hint: null, message: "canceling statement due to lock timeout" }),
      "list_members answered 500 with 55P03",
    ],
    [
      "data that a constraint refuses",
      postgrest(409, {
        code: "23505",
        details: "Key (email)=(secret@example.org) already exists.",
        hint: null,
        message: "duplicate",
      }),
      "list_members answered 409 with 23505",
    ],
    [
      "a database that is down",
      postgrest(503, {
        code: "PGRST000",
        details: 'connection to server at "db.secret.example" (10.0.0.3), port 5432 failed',
        hint: null,
        message: "Database connection error.",
      }),
      "list_members answered 503 with PGRST000",
    ],
    [
      "no free connection",
      postgrest(504, {
        code: "PGRST003",
        details: null,
        hint: null,
        message: "Timed out acquiring connection from connection pool.",
      }),
      "list_members answered 504 with PGRST003",
    ],
    [
      "a function that is not there",
      postgrest(404, {
        code: "PGRST202",
        details: "Searched for the function public.list_members …",
        hint: null,
        message: "secret",
      }),
      "list_members answered 404 with PGRST202",
    ],
    [
      "a permission that is missing",
      postgrest(403, {
        code: "42501",
        details: null,
        hint: null,
        message: "permission denied for function list_members",
      }),
      "list_members answered 403 with 42501",
    ],
    [
      "a database that restarts",
      postgrest(503, {
        code: "PGRST001",
        details: null,
        hint: null,
        message: "Database client error. Retrying the connection.",
      }),
      "list_members answered 503 with PGRST001",
    ],
    [
      "a schema that is being read again",
      postgrest(503, {
        code: "PGRST002",
        details: null,
        hint: null,
        message: "Could not query the database for the schema cache. Retrying.",
      }),
      "list_members answered 503 with PGRST002",
    ],
    [
      "a connection that the restart ended",
      postgrest(503, {
        code: "57P01",
        details: null,
        hint: null,
        message: "terminating connection due to administrator command",
      }),
      "list_members answered 503 with 57P01",
    ],
    [
      "a secret key that has expired",
      postgrest(401, { code: "PGRST303", details: null, hint: null, message: "JWT expired" }),
      "list_members answered 401 with PGRST303",
    ],
    [
      "a secret key that the gateway refuses",
      {
        status: 401,
        headers: { "Content-Type": json },
        body: '{"message":"Invalid API key","hint":"Double check secret"}',
      },
      "list_members answered 401 with no code",
    ],
    [
      "Supabase Lite's failures",
      postgrest(500, { code: "SUP", message: "secret" }),
      "list_members answered 500 with SUP",
    ],
    [
      "a code that is none",
      postgrest(500, { code: "secret text; with anything", message: "" }),
      "list_members answered 500 with no code",
    ],
    [
      "a 401 that only looks like ours",
      postgrest(403, { code: "PT401", details: null, hint: null, message: "" }),
      "list_members answered 403 with PT401",
    ],
    [
      "a 403 that only looks like ours",
      postgrest(500, { code: "PT403", details: null, hint: null, message: "" }),
      "list_members answered 500 with PT403",
    ],
    [
      "HTML of a proxy",
      { status: 502, headers: { "Content-Type": "text/html" }, body: "<html>secret</html>" },
      "list_members answered 502 with no code",
    ],
    ["the platform's own status", { status: 546, body: "WORKER_LIMIT" }, "list_members answered 546 with no code"],
    ["too many requests", { status: 429, body: "{}" }, "list_members answered 429 with no code"],
    [
      "HTML with status 200",
      { status: 200, headers: { "Content-Type": "text/html" }, body: "<html>secret</html>" },
      "list_members answered 200 with no code",
    ],
    ["nothing", { status: 204, headers: {} }, "list_members answered 204 with no code"],
    [
      "a redirect",
      { status: 307, headers: { Location: "/rest/v1/rpc/secret" }, body: "" },
      "list_members answered 307 with no code",
    ],
    ["an error that is no object", { status: 500, body: '"secret"' }, "list_members answered 500 with no code"],
    ["an error that is empty", { status: 500 }, "list_members answered 500 with no code"],
  ])("%s", async (_what, upstream, error) => {
    service.answer("list_members", upstream);
    await expectFailure(await service.send("/members"), error);
    expect(service.lines.join()).not.toMatch(/secret/);
    expect(service.calls).toHaveLength(1);
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
    // What the buffers on the way hold. The deadline would end it too, and the longest string that there can be, a hundred times later.
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
  test("closes the connection", async () => {
    service.answer("list_members", (response) => void response.destroy());
    await expectFailure(await service.send("/members"), /^list_members gave no complete answer \(\w+\)$/);
  });

  test("refuses the connection", async () => {
    const app = createApp({ supabaseUrl: "http://127.0.0.1:1", secretKey }, (line) => service.lines.push(line));
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
    ["to say anything", "/members", () => {}],
    [
      "to finish a CSV",
      "/members?format=csv",
      (response) => {
        response.writeHead(200, { "Content-Type": json, "X-Has-More": "false" });
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
  // Those of the deadline: fetch has timers of its own.
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
    const app = createApp({ supabaseUrl: service.supabaseUrl, secretKey: "ey.legacy.key" }, () => {});
    await app(new Request("http://host/public-api/members", { headers: { "X-API-Key": key } }));
    expect(service.calls[0]?.headers.apikey).toBe("ey.legacy.key");
    expect(service.calls[0]?.headers.authorization).toBe("Bearer ey.legacy.key");
  });

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
    expect(read({ ...url, ...env })).toEqual({ supabaseUrl: "https://project.supabase.co", secretKey });
  });

  test("take the address with or without a slash", () => {
    const env = { SUPABASE_URL: "http://127.0.0.1:54321/", SUPABASE_SERVICE_ROLE_KEY: "ey" };
    expect(read(env).supabaseUrl).toBe("http://127.0.0.1:54321");
  });

  test.each<[string, Record<string, string>, string]>([
    ["no address", { SUPABASE_SERVICE_ROLE_KEY: "ey" }, "SUPABASE_URL must be the address of the project"],
    ["another address", { SUPABASE_URL: "postgres://u:pw@h/db" }, "SUPABASE_URL must be the address of the project"],
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
