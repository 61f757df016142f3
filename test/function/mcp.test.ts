// POST /mcp (docs/api.md, Assistants) in the process of the test: the log, and what is loaded when.
import { execFileSync } from "node:child_process";
import { expect, test, vi } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { key, list, owner, refusal, refusedKey, startService, verified } from "../support/service.ts";

const service = await startService();
const line = () => JSON.parse(service.lines.at(-1) ?? "");
const send = (body: object | string, headers = {}, query = ""): Promise<Response> =>
  service.send(`/mcp${query}`, {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
const params = { name: "list_members", arguments: { limit: 5 } };
const callTool = { jsonrpc: "2.0", id: 1, method: "tools/call", params };

// Proves: assistants.8
test("a call of a tool is one line of the log, with the tool and its rows, and no argument", async () => {
  service.answer("list_members", list("[]", { rows: 7 }));
  const response = await send({ ...callTool, params: { ...params, arguments: { role: "secret" } } });
  expect([response.status, await response.text()]).toEqual([200, expect.stringContaining("0 rows, there are no more")]);
  expect(service.lines).toHaveLength(1);
  expect(line()).toMatchObject({ method: "POST", path: "/mcp", status: 200, tool: "list_members", rows: 7, ...owner });
  await send({ ...callTool, params: { ...callTool.params, arguments: { role: { secret: 1 } } } });
  expect(line()).toMatchObject({ status: 400, tool: "list_members", reason: expect.stringMatching(/^role must be/) });
  expect(service.lines.join()).not.toMatch(/secret/);
});

// Proves: assistants.1
test("the key is verified before the body is read, and again for the tool", async () => {
  service.answer("verify_api_key", refusedKey);
  expect((await send("{")).status).toBe(401);
  service.answer("verify_api_key", verified);
  service.answer("list_members", refusedKey);
  expect(await (await send(callTool)).text()).toContain("Unauthorized: Invalid or missing API Key");
  expect(service.calls.map(({ args }) => args.key_hash)).not.toContain(key);
});

// Proves: assistants.4
test("of an answer of more than 1 MiB the rows at its beginning are read, and the rest is not", async () => {
  const row = { id: "a", name: "", email: "", role: "", team_id: null, team_name: null, created_at: "2026-11-26" };
  const text = JSON.stringify(row);
  const two = "2 rows, there are more: call again with starting_after = 2026-11-26_a";
  for (const [begin, said] of [
    [`[${text}, \n ${text}, \n {"name":"},\\"},`, two],
    [`[${text},${text},{"name":{"a":[1]},"b":"\\`, two],
    ['[{"name":"', "the first row has more than 1 MiB, more than an assistant can read"],
  ]) {
    let isStopped = false;
    service.answer("list_members", (response) => {
      response.writeHead(200, list("").headers).on("close", () => {
        isStopped = !response.writableFinished;
      });
      response.write(begin);
      const write = () => response.destroyed || response.write(" ".repeat(64 * 1024), write);
      write();
    });
    expect(await (await send(callTool)).text()).toContain(said);
    await vi.waitFor(() => expect(isStopped).toBe(true));
  }
});

// Proves: assistants.1
test("what fails in the service is a 500, and in the log", async () => {
  service.answer("list_members", { status: 200, headers: list("[]").headers, body: '[{"id": "secret' });
  const response = await send(callTool);
  expect([response.status, await response.json()]).toEqual([500, { error: "Internal Server Error" }]);
  expect(line()).toMatchObject({ status: 500, error: expect.stringMatching(/^SyntaxError at mcp\.ts/), ...owner });
  expect(service.lines.join()).not.toMatch(/secret/);
});

// Proves: assistants.4
test("a call that found no turn says when to call again, and is one line of the log with its waiting", async () => {
  service.answer("list_members", refusal(429, "PT429", { ...owner, requests_at_once: 4 }));
  const response = await send(callTool);
  expect(await response.text()).toContain('"text":"Too Many Requests: call again after 1 s"');
  expect(line()).toMatchObject({ status: 429, tool: "list_members", error: expect.any(String), ...owner });
  expect(line().waited_milliseconds).toBeGreaterThan(1900);
});

// Proves: assistants.1
test("the library gets neither the key nor another header, opens no subscription, and no query is passed over", async () => {
  service.answer("any", verified);
  const requests = vi.spyOn(globalThis, "Request");
  const meta = { protocolVersion: "2026-07-28", clientInfo: { name: "a", version: "1" }, clientCapabilities: {} };
  const _meta = Object.fromEntries(Object.entries(meta).map(([name, as]) => [`io.modelcontextprotocol/${name}`, as]));
  const params = { _meta, notifications: { toolsListChanged: true } };
  const listen = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params };
  const version = { "MCP-Protocol-Version": meta.protocolVersion, "Mcp-Method": listen.method };
  const headers = { ...version, Cookie: "a=b", "X-Secret": "c" };
  expect(await (await send(listen, headers)).text()).toContain("Subscription limit reached");
  const [, init] = requests.mock.calls.find(([url]) => url === "https://mcp.invalid/mcp") ?? [];
  requests.mockRestore();
  const names = [...new Headers(init?.headers).keys()];
  expect(names).toEqual(["accept", "content-type", "mcp-method", "mcp-protocol-version"]);
  expect((await send(listen, version, "?limit=1")).status).toBe(400);
});

// Proves: assistants.8
test("what only some requests need is loaded by them, and no start waits for it", () => {
  const config = `--config=${root}/functions/public-api/deno.json`;
  const args = ["info", "--json", "--node-modules-dir=manual", config, `${root}/functions/public-api/index.ts`];
  const info = execFileSync(process.execPath, [`${root}/node_modules/deno/bin.cjs`, ...args], {
    encoding: "utf8",
    cwd: root,
    // The function alone, as in the copies of test/mutants.
    env: { ...process.env, DENO_NO_PACKAGE_JSON: "1" },
  });
  type Module = { specifier: string; dependencies?: { isDynamic?: boolean; code?: { specifier: string } }[] };
  const modules = new Map((JSON.parse(info).modules as Module[]).map((module) => [module.specifier, module]));
  const loaded = new Set([`file://${root}/functions/public-api/index.ts`]);
  for (const specifier of loaded)
    for (const { isDynamic, code } of modules.get(specifier)?.dependencies ?? [])
      if (!isDynamic && code) loaded.add(code.specifier);
  const names = [...loaded].map((specifier) => specifier.replace(/.*\/(public-api|node_modules)\//, ""));
  expect(names).toEqual(expect.arrayContaining(["index.ts", "app.ts", "line/waiting_line.ts"]));
  expect(names.filter((name) => /assistants|import|modelcontextprotocol|zod/.test(name))).toEqual([]);
});
