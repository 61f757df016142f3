// Callers that have no key yet (docs/api.md, Assistants) take nothing from those that have one.
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { nameOfClient } from "../../functions/public-api/assistants/programs.ts";
import { list, problem, startService } from "../support/service.ts";

const address = "https://any.example";
const service = await startService({ signIn: { baseUrl: address, dashboardUrl: address, mcpUrl: `${address}/mcp` } });
const post = (path: string, body: BodyInit) =>
  service.sendBare(path, { method: "POST", body, duplex: "half" } as RequestInit);
const form = { grant_type: "authorization_code", code: "0".repeat(64), code_verifier: "v".repeat(43) };
const exchange = (more = {}) => post("/oauth/token", new URLSearchParams({ ...form, ...more }));

// Proves: requests.65
test("of forty programs that fetch a key two call the database, others wait for two seconds, and pages go on", async () => {
  const held: ServerResponse[] = [];
  service.answer("redeem_assistant_code", (response) => void held.push(response));
  const all = Array.from({ length: 40 }, exchange);
  await expect.poll(() => held).toHaveLength(2);
  expect((await service.send("/members")).status).toBe(200);
  const late = await Promise.race(all);
  expect([late.status, late.headers.get("Retry-After"), held.length]).toEqual([429, "1", 2]);
  expect(JSON.parse(service.lines.at(-1) ?? "").waited_milliseconds).toBeGreaterThan(1900);
  const unknownCode = { ...list("null"), status: 200 };
  service.answer("redeem_assistant_code", unknownCode);
  for (const response of held) response.writeHead(200, unknownCode.headers).end("null");
  expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([400, 429]));
});

test("a code that may have been redeemed is not sent again, and its failure says nothing", async () => {
  const broken = (response: ServerResponse) => void response.destroy();
  for (const failure of [broken, { status: 502, body: "" }, { status: 500, body: "{}" }]) {
    const before = service.calls.length;
    service.answer("redeem_assistant_code", failure);
    expect(await problem(await exchange())).toEqual([500, "Internal Server Error"]);
    expect(service.calls).toHaveLength(before + 1);
  }
});

test("a resource whose address only begins as ours, or ours as it, is a foreign one", async () => {
  for (const resource of [address, `${address}/mcpx`, `${address}/mcp/x`])
    expect(await (await exchange({ resource })).json()).toMatchObject({ error: "invalid_target" });
});

test("the log says why a request was refused", async () => {
  await post("/oauth/token", "grant_type=secret");
  expect(JSON.parse(service.lines.at(-1) ?? "").reason).toBe("grant_type must be authorization_code");
});

test("a program is known by its ID, however much it has registered", async () => {
  const redirect_uris = [1, 2, 3, 4, 5].map((port) => `http://localhost:${port}/`.padEnd(300, "a"));
  const program = { client_name: `${"🙂".repeat(60)}more`, redirect_uris };
  const registered = await post("/oauth/register", JSON.stringify(program));
  expect(nameOfClient((await registered.json()).client_id, redirect_uris[4] ?? "")).toBe("🙂".repeat(60));
});

// Proves: requests.70
test("their bodies that never end have the room of one company, and leave others theirs", async () => {
  const opened: ReadableStreamDefaultController[] = [];
  const bytes = new Uint8Array(8192).fill(32);
  // 16 MiB are 2048 of them.
  const all = Array.from({ length: 2100 }, () =>
    post(
      "/oauth/register",
      new ReadableStream({
        start(controller) {
          opened.push(controller);
          controller.enqueue(bytes);
        },
      }),
    ),
  );
  expect((await Promise.race(all)).status).toBe(429);
  expect((await service.import('{"external_id":"1","name":"Mug","points_cost":1}')).status).toBe(200);
  // Those that lost their room are closed already.
  for (const controller of opened) {
    try {
      controller.close();
    } catch {}
  }
  const statuses = (await Promise.all(all)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 400).length).toBeGreaterThan(1900);
  expect(new Set(statuses)).toEqual(new Set([400, 429]));
});
