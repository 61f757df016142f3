import type { ServerResponse } from "node:http";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { madeUpKey } from "../support/made_up_key.ts";
import {
  companyId,
  key,
  keyId,
  list,
  problem,
  refusedKey,
  startService,
  type Upstream,
  unauthorized,
  value,
} from "../support/service.ts";

const service = await startService();

/** Makes the upstream wait; `letOne` answers the call that has waited the longest. */
function hold(): { letOne(): void; letAll(): void } {
  const held: ServerResponse[] = [];
  let isOver = false;
  const end = (response: ServerResponse) =>
    response.writeHead(200, { "Content-Type": "application/json", "X-Has-More": "false" }).end("[]");
  service.answer("list_members", (response) => void (isOver ? end(response) : held.push(response)));
  return {
    letOne: () => void end(held.shift() as ServerResponse),
    letAll() {
      isOver = true;
      for (const response of held.splice(0)) end(response);
    },
  };
}

const calls = () => service.calls.length;
const ask = (sender = key, limit = 1, signal?: AbortSignal) =>
  service.sendBare(`/members?limit=${limit}`, { headers: { "X-API-Key": sender }, ...(signal && { signal }) });
const statuses = async (responses: Promise<Response>[]) => (await Promise.all(responses)).map(({ status }) => status);
const tooMany = { status: 429, body: '{"code":"PT429","details":null,"hint":null,"message":"too many at once"}' };

/** Longer than any call needs to reach the upstream. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 100));

describe("of one key", () => {
  test("four requests are under way at once, and the others wait in turn", async () => {
    const { letOne, letAll } = hold();
    const answers = Array.from({ length: 7 }, (_, index) => ask(key, index + 1));
    await expect.poll(calls).toBe(4);
    await settle();
    expect(calls()).toBe(4);
    letOne();
    await expect.poll(calls).toBe(5);
    letAll();
    expect(await statuses(answers)).toEqual(Array(7).fill(200));
    expect(service.calls.slice(4).map(({ args }) => args.max_rows)).toEqual([5, 6, 7]);
    const waited = service.lines.map((line) => JSON.parse(line).waited_milliseconds);
    expect(waited.filter((milliseconds) => milliseconds > 0)).toHaveLength(3);
  });

  test("two are where another key asks or did so in the last second", async () => {
    const { letOne, letAll } = hold();
    const other = ask(madeUpKey(1), 99);
    await expect.poll(calls).toBe(1);
    const answers = Array.from({ length: 7 }, () => ask());
    await expect.poll(calls).toBe(3);
    await settle();
    expect(calls()).toBe(3);
    // First the other key's call ends, then one call of the first key. The first key still may have only two calls at a
    // time.
    letOne();
    await other;
    letOne();
    await expect.poll(calls).toBe(4);
    await settle();
    expect(calls()).toBe(4);
    // The next call that ends more than one second later makes room for three.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    letOne();
    await expect.poll(calls).toBe(7);
    letAll();
    expect(await statuses(answers)).toEqual(Array(7).fill(200));
  });

  test("who has waited for two seconds gets a 429, and the database has heard nothing of it", async () => {
    const { letAll } = hold();
    const first = Array.from({ length: 4 }, () => ask());
    await expect.poll(calls).toBe(4);
    const response = await ask();
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(await problem(response)).toEqual([429, "Too Many Requests"]);
    const line = JSON.parse(service.lines.at(-1) ?? "");
    expect(line).toMatchObject({ status: 429, error: "no turn in time" });
    expect(line.waited_milliseconds).toBeGreaterThan(1900);
    letAll();
    expect(await statuses(first)).toEqual([200, 200, 200, 200]);
    expect(calls()).toBe(4);
  });

  test("who goes away leaves the line", async () => {
    const { letOne, letAll } = hold();
    const first = Array.from({ length: 4 }, () => ask());
    await expect.poll(calls).toBe(4);
    const leaving = new AbortController();
    const left = ask(key, 5, leaving.signal);
    const stayed = ask(key, 6);
    leaving.abort();
    expect((await left).status).toBe(499);
    expect(JSON.parse(service.lines.at(-1) ?? "")).toMatchObject({ status: 499, error: "the caller went away" });
    letOne();
    await expect.poll(calls).toBe(5);
    letAll();
    expect(await statuses([...first, stayed])).toEqual(Array(5).fill(200));
    expect(service.calls.map(({ args }) => args.max_rows)).not.toContain(5);
  });
});

test("a caller who goes away takes the call of the database along", async () => {
  // Without this, the deadline of the call would end it too, a few seconds later.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const leaving = new AbortController();
  let isClosed = false;
  service.answer("list_members", (response) => {
    response.on("close", () => {
      isClosed = true;
    });
    leaving.abort();
  });
  expect((await ask(key, 1, leaving.signal)).status).toBe(499);
  await expect.poll(() => isClosed).toBe(true);
});

test("of all keys together eight calls are under way at once: made-up keys do not fill the pool", async () => {
  const { letAll } = hold();
  const answers = Array.from({ length: 40 }, (_, index) => ask(madeUpKey(index)));
  await expect.poll(calls).toBe(8);
  await settle();
  expect(calls()).toBe(8);
  letAll();
  expect(await statuses(answers)).toEqual(Array(40).fill(200));
});

test("an import whose body is on its way holds no place that others need", async () => {
  const bodies: ReadableStreamDefaultController<Uint8Array>[] = [];
  const imports = Array.from({ length: 10 }, (_, index) => {
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void bodies.push(controller) });
    const init = { method: "POST", duplex: "half", body, headers: { "X-API-Key": madeUpKey(index) } };
    return service.sendBare("/rewards", init as RequestInit);
  });
  await expect.poll(calls).toBe(10);
  expect((await ask()).status).toBe(200);
  for (const body of bodies) body.close();
  expect(await statuses(imports)).toEqual(Array(10).fill(400));
});

test("keys that are refused are told so one after the other", async () => {
  service.answer("list_members", refusedKey);
  const begin = performance.now();
  const answers = await Promise.all(Array.from({ length: 40 }, (_, index) => ask(madeUpKey(index))));
  expect(performance.now() - begin).toBeGreaterThan(39 * 20 - 1);
  for (const answer of answers) expect([answer.status, await answer.json()]).toEqual([401, unauthorized]);
});

describe("a refusal of the database, PT429,", () => {
  test("is tried again until there is room", async () => {
    let refusals = 3;
    const page = list("[]", { rows: 0 }) as { headers: Record<string, string>; body: string };
    service.answer("list_members", (response) => {
      const answer: { status?: number; headers?: Record<string, string>; body: string } =
        refusals-- > 0 ? tooMany : page;
      response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
    });
    expect((await ask()).status).toBe(200);
    expect(calls()).toBe(4);
    expect(JSON.parse(service.lines.at(-1) ?? "").waited_milliseconds).toBeGreaterThan(0);
  });

  test("is a 429 after two seconds, and was not asked for more than every few hundredths of a second", async () => {
    const details = JSON.stringify({ key_id: keyId, company_id: companyId });
    service.answer("list_members", {
      ...tooMany,
      body: tooMany.body.replace('"details":null', `"details":${JSON.stringify(details)}`),
    });
    const response = await ask();
    expect(response.headers.get("Retry-After")).toBe("1");
    expect(await problem(response)).toEqual([429, "Too Many Requests"]);
    expect(calls()).toBeGreaterThan(5);
    expect(calls()).toBeLessThan(30);
    expect(JSON.parse(service.lines.at(-1) ?? "")).toMatchObject({ status: 429, error: expect.any(String) });
  });

  test("writes nothing of an import", async () => {
    service.answer("upsert_rewards", tooMany);
    const response = await service.import('{"external_id":"a","name":"b","points_cost":1}');
    expect(await problem(response)).toEqual([429, "Too Many Requests"]);
  });
});

describe("a connection that was closed before any answer", () => {
  const once = (then: Upstream): Upstream => {
    let isFirst = true;
    return (response) => {
      if (isFirst) response.destroy();
      else if (typeof then === "object") response.writeHead(then.status ?? 200, then.headers).end(then.body);
      isFirst = false;
    };
  };

  test("is opened anew: the caller gets the 401", async () => {
    service.answer("list_members", once({ ...refusedKey, headers: { "Content-Type": "application/json" } }));
    const response = await ask();
    expect([response.status, await response.json()]).toEqual([401, unauthorized]);
    expect(calls()).toBe(2);
  });

  test("between an import's two calls does it no harm", async () => {
    service.answer("upsert_rewards", once(value({ imported: 1 })));
    const response = await service.import('{"external_id":"a","name":"b","points_cost":1}');
    expect([response.status, await response.json()]).toEqual([200, { imported: 1 }]);
  });

  test("is opened anew once, not for ever", async () => {
    service.answer("list_members", (response) => void response.destroy());
    expect((await ask()).status).toBe(500);
    expect(calls()).toBe(2);
  });
});
