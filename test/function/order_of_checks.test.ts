import { describe, expect, test, vi } from "vitest";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import {
  internalServerError,
  key,
  keyHash,
  missingScope,
  problem,
  refusedKey,
  startService,
  unauthorized,
} from "../support/service.ts";

const service = await startService();

/** Each endpoint with a request that has a second error besides the key, and a correct request. */
const badRequests = endpoints.map(({ method, path, scope }) => ({
  method,
  path,
  scope,
  bad: method === "POST" ? { path, body: "no JSON" } : { path: `${path}?no_such=parameter`, body: undefined },
  good: { path, body: method === "POST" ? '{"external_id":"a","name":"b","points_cost":1}' : undefined },
}));

type Sent = { path: string; body: string | undefined };

function send(method: string, { path, body }: Sent, headers: Record<string, string> = { "X-API-Key": key }) {
  return service.sendBare(path, { method, headers, ...(body === undefined ? {} : { body }) });
}

describe.each(badRequests)("$method $path", ({ method, scope, bad, good }) => {
  // Proves: service.4
  test("no key, or one that cannot be one: 401, and nobody is asked", async () => {
    for (const headers of [{}, { "X-API-Key": `${key}0` }]) {
      const response = await send(method, bad, headers);
      expect(response.status).toBe(401);
      expect(await response.json()).toEqual(unauthorized);
    }
    expect(service.calls).toEqual([]);
  });

  test("a revoked key: 401 after one question", async () => {
    service.answer("any", refusedKey);
    for (const what of [good, bad]) {
      service.calls.length = 0;
      const response = await send(method, what);
      expect([response.status, await response.json()]).toEqual([401, unauthorized]);
      expect(service.calls).toHaveLength(1);
    }
  });

  test("a good key: 400 after one question, which is whether the key may", async () => {
    const response = await send(method, bad);
    expect(response.status).toBe(400);
    expect(service.calls.map(({ rpc, args }) => [rpc, args])).toEqual([
      ["verify_api_key", { key_hash: keyHash, required_scope: scope }],
    ]);
  });

  test("a good key that cannot be verified: 500", async () => {
    service.answer("verify_api_key", { status: 500, body: '{"code":"57014"}' });
    const response = await send(method, bad);
    expect([response.status, await response.json()]).toEqual([500, internalServerError]);
    expect(service.calls).toHaveLength(1);
  });
});

describe.each(badRequests.filter(({ scope }) => scope !== null))("$method $path", ({ method, scope, bad, good }) => {
  test("a key without the scope: 403 after one question", async () => {
    service.answer("any", missingScope);
    for (const what of [good, bad]) {
      service.calls.length = 0;
      const response = await send(method, what);
      expect(await problem(response)).toEqual([403, `Forbidden: this key is missing the "${scope}" scope`]);
      expect(service.calls).toHaveLength(1);
    }
  });
});

describe("404 comes before everything else", () => {
  test.each([
    "/nothing",
    "/membersx",
    "/members/1",
    "/members//",
    "//members",
    "//",
    "/Members",
    "/%6dembers",
    "/members%2F",
    "/rest/v1/rpc/verify_api_key",
    "/public-api/members",
    "/__proto__",
    "/constructor",
    "/nothing/",
  ])("%s", async (path) => {
    for (const method of ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
      const response = await service.sendBare(`${path}?limit=0`, { method });
      expect(response.status).toBe(404);
      const text = await response.text();
      expect(text).toBe(method === "HEAD" ? "" : JSON.stringify({ error: `Not Found: ${path}` }));
    }
    expect(service.calls).toEqual([]);
  });

  // Proves: service.10
  test("a name that only begins like the function's is no base address", async () => {
    const response = await service.app(new Request("https://project.example/public-apix/members"));
    expect(await problem(response)).toEqual([404, "Not Found: /public-apix/members"]);
  });
});

describe("405 comes before the key, and says what is allowed", () => {
  test.each([
    ["/", "GET, HEAD, OPTIONS"],
    ["/members", "GET, HEAD, OPTIONS"],
    ["/users", "GET, HEAD, OPTIONS"],
    ["/activity", "GET, HEAD, OPTIONS"],
    ["/kudos", "GET, HEAD, OPTIONS"],
    ["/day-ratings", "GET, HEAD, OPTIONS"],
    ["/pulse-responses", "GET, HEAD, OPTIONS"],
    // Proves: requests.2
    ["/rewards", "GET, HEAD, POST, OPTIONS"],
  ])("%s", async (path, allowed) => {
    for (const method of ["PUT", "PATCH", "DELETE", "PURGE", ...(path === "/rewards" ? [] : ["POST"])]) {
      const response = await service.sendBare(`${path}?limit=0`, { method });
      expect(response.headers.get("Allow")).toBe(allowed);
      expect(await problem(response)).toEqual([405, `Method Not Allowed: ${path} accepts ${allowed}`]);
    }
    expect(service.calls).toEqual([]);
  });
});

describe("the body of an import", () => {
  /** A body, and a mock that is called when a byte of it is read. */
  function untouched(): { body: ReadableStream<Uint8Array>; pull: ReturnType<typeof vi.fn> } {
    const pull = vi.fn();
    return { body: new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 }), pull };
  }

  const post = (body: ReadableStream<Uint8Array>) => ({ method: "POST", body, duplex: "half" }) as RequestInit;

  // Proves: requests.6, requests.8
  test.each<[string, number, (init: RequestInit) => Promise<Response>]>([
    ["there is no key", 401, (init) => service.sendBare("/rewards", init)],
    ["the key is malformed", 401, (init) => service.sendBare("/rewards", { ...init, headers: { "X-API-Key": "x" } })],
    ["the key is refused", 401, (init) => service.send("/rewards", init)],
    ["the key lacks the scope", 403, (init) => service.send("/rewards", init)],
    ["the database is down", 500, (init) => service.send("/rewards", init)],
    ["a parameter is wrong", 400, (init) => service.send("/rewards?limit=1", init)],
  ])("is not asked for when %s", async (_why, status, send) => {
    if (status === 401) service.answer("verify_api_key", refusedKey);
    if (status === 403) service.answer("verify_api_key", missingScope);
    if (status === 500) service.answer("verify_api_key", { status: 500, body: "{}" });
    const { body, pull } = untouched();
    const response = await send(post(body));
    expect([response.status, response.headers.get("Connection")]).toEqual([status, "close"]);
    expect(pull).not.toHaveBeenCalled();
    expect(service.calls.map(({ rpc }) => rpc)).not.toContain("upsert_rewards");
  });

  // Proves: requests.6
  test("is not asked for before the database has said that the key may", async () => {
    const { body, pull } = untouched();
    let pullsWhenAsked: number | undefined;
    service.answer("verify_api_key", (response) => {
      pullsWhenAsked = pull.mock.calls.length;
      response.writeHead(401, { "Content-Type": "application/json" }).end('{"code":"PT401"}');
    });
    await service.send("/rewards", post(body));
    expect([pullsWhenAsked, pull.mock.calls.length]).toEqual([0, 0]);
  });

  // Proves: requests.67
  test("that is not complete after 10 seconds is a 408", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const cancel = vi.fn();
      let response: Promise<Response> | undefined;
      await new Promise<void>((waiting) => {
        const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
          controller.enqueue(new TextEncoder().encode("["));
          // No more data follows.
          return new Promise<void>(() => waiting());
        };
        response = service.send("/rewards", post(new ReadableStream({ pull, cancel }, { highWaterMark: 0 })));
      });
      await vi.advanceTimersByTimeAsync(9_999);
      expect(cancel).not.toHaveBeenCalled();
      await vi.advanceTimersByTimeAsync(1);
      if (!response) throw new Error("nothing was sent");
      expect((await response).headers.get("Connection")).toBe("close");
      expect(await problem(await response)).toEqual([408, "Request Timeout"]);
      expect(cancel).toHaveBeenCalledOnce();
      expect(service.calls.map(({ rpc }) => rpc)).toEqual(["verify_api_key"]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("that has been read leaves the connection open, also when it is wrong", async () => {
    for (const body of ["[]", '{"external_id":"a","name":"b","points_cost":1}'])
      expect((await service.import(body)).headers.get("Connection")).toBeNull();
  });

  test("that breaks off writes nothing", async () => {
    const broken = new ReadableStream<Uint8Array>({
      start: (controller) => controller.error(new Error("the caller is gone")),
    });
    const response = await service.import(broken);
    expect(response.status).toBe(499);
    expect(JSON.parse(service.lines.at(-1) ?? "").error).toBe("the caller went away");
    expect(service.calls.map(({ rpc }) => rpc)).toEqual(["verify_api_key"]);
  });
});
