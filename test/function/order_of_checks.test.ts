// The order of checks (docs/api.md, Requests), and the calls to the database before each answer. Wrong paths, methods,
// parameters and bodies are in test/support/bad_requests.ts and bad_imports.ts.
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import {
  internalServerError,
  key,
  keyHash,
  missingScope,
  problem,
  refusal,
  refusedKey,
  startService,
  type Upstream,
  unauthorized,
} from "../support/service.ts";

const service = await startService();
const failure = refusal(500, "57014");
const row = '{"external_id":"a","name":"b","points_cost":1}';

// Proves: service.4
test.each(endpoints)(
  "$method $path: key 401, scope 403, parameters and body 400, after one call at most",
  async (endpoint) => {
    const { kind, method, path, scope } = endpoint;
    const good = { path, init: kind === "import" ? { method, body: row } : {} };
    const bad = kind === "import" ? { path, init: { method, body: "no JSON" } } : { path: `${path}?no=1`, init: {} };
    const forbidden = { error: `Forbidden: this key is missing the "${scope}" scope` };
    const sent = async ({ path, init }: typeof good, headers: Record<string, string>, answer: Upstream) => {
      service.calls.length = 0;
      service.answer("any", answer);
      const response = await service.sendBare(path, { ...init, headers });
      return [response.status, await response.json(), service.calls.length];
    };
    for (const request of [good, bad]) {
      for (const headers of [{}, { "X-API-Key": `${key}0` }])
        expect(await sent(request, headers as Record<string, string>, failure)).toEqual([401, unauthorized, 0]);
      expect(await sent(request, { "X-API-Key": key }, refusedKey)).toEqual([401, unauthorized, 1]);
      if (scope) expect(await sent(request, { "X-API-Key": key }, missingScope)).toEqual([403, forbidden, 1]);
      expect(await sent(request, { "X-API-Key": key }, failure)).toEqual([500, internalServerError, 1]);
    }
    const verified = { headers: { "Content-Type": "application/json" }, body: "{}" };
    expect(await sent(bad, { "X-API-Key": key }, verified)).toEqual([400, { error: expect.any(String) }, 1]);
    expect(service.calls).toMatchObject([
      { rpc: "verify_api_key", args: { key_hash: keyHash, required_scope: scope } },
    ]);
  },
);

describe("the body of an import", () => {
  /** A request with a body, and a mock that is called when a byte of it is read. */
  function untouched() {
    const pull = vi.fn();
    const body = new ReadableStream<Uint8Array>({ pull }, { highWaterMark: 0 });
    return { init: { method: "POST", body, duplex: "half" } as RequestInit, pull };
  }

  // Proves: requests.6, requests.8
  test.each<[string, number, (init: RequestInit) => Promise<Response>, Upstream?]>([
    ["there is no key", 401, (init) => service.sendBare("/rewards", init)],
    ["the key is malformed", 401, (init) => service.send("/rewards", { ...init, headers: { "X-API-Key": "x" } })],
    ["the key is refused", 401, (init) => service.send("/rewards", init), refusedKey],
    ["the key lacks the scope", 403, (init) => service.send("/rewards", init), missingScope],
    ["the database is down", 500, (init) => service.send("/rewards", init), failure],
    ["a parameter is wrong", 400, (init) => service.send("/rewards?limit=1", init)],
  ])("is not read when %s", async (_why, status, send, answer) => {
    if (answer) service.answer("verify_api_key", answer);
    const { init, pull } = untouched();
    const response = await send(init);
    expect([response.status, response.headers.get("Connection")]).toEqual([status, "close"]);
    expect(pull).not.toHaveBeenCalled();
    expect(service.calls.map(({ rpc }) => rpc)).not.toContain("upsert_rewards");
  });

  // Proves: requests.67
  test("that is not complete after 10 seconds is a 408", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const begun = Promise.withResolvers<void>();
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(new TextEncoder().encode("["));
      begun.resolve();
      // No more data follows.
      return new Promise<void>(() => {});
    };
    const cancel = vi.fn();
    const sent = service.import(new ReadableStream({ pull, cancel }, { highWaterMark: 0 }));
    await begun.promise;
    await vi.advanceTimersByTimeAsync(9_999);
    expect(cancel).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    const response = await sent;
    expect(response.headers.get("Connection")).toBe("close");
    expect(await problem(response)).toEqual([408, "Request Timeout"]);
    expect(cancel).toHaveBeenCalledOnce();
    expect(service.calls.map(({ rpc }) => rpc)).toEqual(["verify_api_key"]);
  });

  test("that has been read leaves the connection open, also when it is wrong", async () => {
    for (const body of ["[]", row]) expect((await service.import(body)).headers.get("Connection")).toBeNull();
  });

  test("that breaks off writes nothing", async () => {
    const start = (controller: ReadableStreamDefaultController) => controller.error(new Error("the caller is gone"));
    const response = await service.import(new ReadableStream<Uint8Array>({ start }));
    expect(response.status).toBe(499);
    expect(JSON.parse(service.lines.at(-1) ?? "").error).toBe("the caller went away");
    expect(service.calls.map(({ rpc }) => rpc)).toEqual(["verify_api_key"]);
  });
});
