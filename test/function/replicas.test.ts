// Lists that are read at a replica (docs/operate/read-replicas.md). Primary and replica are the same upstream here:
// only a replica is called for read_page. test/serial/replicas.test.ts has a real one.
import type { ServerResponse } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { createApp } from "../../functions/public-api/app.ts";
import { key, keyHash, list, refusal, refusedKey, secretKey, startService, type Upstream } from "../support/service.ts";

const service = await startService();
const { supabaseUrl } = service;
const page = (name: string) => list(`[{"name":"${name}"}]`, { rows: 1 });

/** The page of a replica, which is 12 ms behind. */
const { headers, body } = page("replica");
const fromReplica = { headers: { ...headers, "X-Replica-Lag": "12" }, body };

const { "X-Has-More": _, ...owned } = fromReplica.headers;
const ofOther = { body, headers: { ...fromReplica.headers, "X-Company-Id": "another" } };

/** A function with these replicas, which knows the key: sends a GET, and returns the answer, its log line and the calls. */
async function withReplicas(...readUrls: string[]) {
  const log = (line: string) => service.lines.push(line);
  const app = createApp({ supabaseUrl, baseUrl: "https://api.example/v1", secretKey, readUrls }, log);
  const send = (path: string) => app(new Request(`https://host/public-api${path}`, { headers: { "X-API-Key": key } }));
  await send("/");
  return async (path = "/members") => {
    service.calls.length = 0;
    const response = await send(path);
    const body = await response.text();
    const line = JSON.parse(service.lines.at(-1) ?? "");
    return { status: response.status, body, line, calls: service.calls.map(({ rpc }) => rpc).sort() };
  };
}

test("a list is the replica's, with the parameters of the request, when the primary has verified the key", async () => {
  service.answer("read_page", fromReplica);
  const { calls, ...answer } = await (await withReplicas(supabaseUrl))("/members?limit=7&role=admin");
  expect(answer).toMatchObject({ status: 200, body: '[{"name":"replica"}]' });
  expect(answer.line).toMatchObject({ rows: 1, served_by: "replica", replica_lag_milliseconds: 12 });
  expect(calls).toEqual(["read_page", "verify_api_key"]);
  const args = Object.fromEntries(service.calls.map(({ rpc, args }) => [rpc, args]));
  expect(args).toMatchObject({
    verify_api_key: { key_hash: keyHash, required_scope: "read:members" },
    read_page: { rpc: "list_members", key_hash: keyHash, max_rows: 7, role: "admin" },
  });
});

test("nothing but a list is read there", async () => {
  const ask = await withReplicas(supabaseUrl);
  expect((await ask("/")).calls).toEqual(["verify_api_key"]);
  expect((await ask("/members?limit=0")).calls).toEqual(["verify_api_key"]);
  expect((await ask("/rewards/changes")).calls).toEqual(["read_page", "verify_api_key"]);
});

test.each<[what: string, answer: Upstream, error: string]>([
  ["does not know the function yet", refusal(404, "PGRST202"), "read_page answered 404 with PGRST202"],
  ["does not know the key yet", refusedKey, "key refused"],
  ["does not know of a scope yet", refusal(403, "PT403"), "answered 403"],
  ["does not know the row of starting_after yet", refusal(400, "PT400"), "answered 400"],
  ["no longer knows the cursor", refusal(410, "PT410"), "answered 410"],
  ["serves the company already", refusal(429, "PT429"), "refused by the database"],
  ["is too far behind", refusal(503, "PT503"), "read_page answered 503 with PT503"],
  ["breaks off", (response) => response.destroy(), "read_page gave no complete answer (TypeError)"],
  ["has lost the connection to its database", refusal(400, ""), "read_page answered 400 with no code"],
  ["answers for another company", ofOther, "answered for another company"],
  ["does not say whether there is more", { headers: owned, body: "[]" }, "answered no list"],
])("the primary is called, once, when the replica %s", async (_what, answer, error) => {
  service.answer("read_page", answer);
  service.answer("list_members", page("primary"));
  const { status, body, line, calls } = await (await withReplicas(supabaseUrl))();
  expect({ status, body }).toEqual({ status: 200, body: '[{"name":"primary"}]' });
  expect(line).toMatchObject({ rows: 1, served_by: "primary", replica_error: expect.stringContaining(error) });
  expect(line).not.toHaveProperty("error");
  expect(calls.filter((rpc) => rpc !== "read_page")).toEqual(["list_members", "verify_api_key"]);
});

test("a page for another company is not even read to its end", async () => {
  // The spy keeps the responses: one that is collected as garbage would be given up, too.
  vi.spyOn(globalThis, "fetch");
  onTestFinished(() => void vi.restoreAllMocks());
  const ask = await withReplicas(supabaseUrl);
  const closed = new Promise((resolve) => {
    service.answer("read_page", (response) => {
      response.on("close", resolve);
      response.writeHead(200, ofOther.headers).write("[");
    });
  });
  expect(await ask()).toMatchObject({ status: 200, line: { replica_error: "answered for another company" } });
  await closed;
});

test("the errors of the primary win over the replica's refusal, also those of a list that is then read at the primary", async () => {
  const ask = await withReplicas(supabaseUrl);
  service.answer("read_page", refusedKey);
  service.answer("verify_api_key", refusal(403, "PT403"));
  expect((await ask()).status).toBe(403);
  service.answer("verify_api_key", page("verified"));
  service.answer("list_members", refusal(500, "57014"));
  expect((await ask()).status).toBe(500);
});

test("several take turns, and one that was late is not called again soon", async () => {
  const other = supabaseUrl.replace("127.0.0.1", "localhost");
  const ask = await withReplicas(supabaseUrl, other);
  const called = () => service.calls.filter(({ rpc }) => rpc === "read_page").map(({ headers }) => headers.host);
  const [first, second] = [supabaseUrl, other].map((url) => new URL(url).host);
  service.answer("read_page", fromReplica);
  for (const host of [first, second, first, second]) {
    await ask();
    expect(called()).toEqual([host]);
  }

  // It takes the call and never answers.
  service.answer("read_page", () => {});
  expect((await ask()).line).toMatchObject({ status: 200, served_by: "primary" });
  expect(called()).toEqual([first]);
  service.answer("read_page", fromReplica);
  for (let count = 0; count < 2; count++) {
    await ask();
    expect(called()).toEqual([second]);
  }
  service.answer("read_page", () => {});
  await ask();
  // Both were late: the request is as if there were none.
  const { line, calls } = await ask();
  expect(line).toMatchObject({ status: 200, served_by: "primary", replica_error: "all were late" });
  expect(calls).toEqual(["list_members"]);
});

test("one that was late is tried by one request after ten seconds, and used by all when it has answered", async () => {
  const ask = await withReplicas(supabaseUrl);
  service.answer("read_page", () => {});
  await ask();
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => now() + 10_000);
  onTestFinished(() => void vi.restoreAllMocks());
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  service.answer("read_page", resolve);
  const trying = ask();
  const tried = await promise;
  expect((await ask()).line).toMatchObject({ served_by: "primary", replica_error: "all were late" });
  tried.writeHead(200, fromReplica.headers).end(fromReplica.body);
  expect((await trying).line).toMatchObject({ served_by: "replica" });
  service.answer("read_page", fromReplica);
  expect((await ask()).line).toMatchObject({ served_by: "replica" });
});
