// The line before the database (docs/api.md, Limits), with calls that end when a test says so.
import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Busy } from "../../functions/public-api/database.ts";
import { Visit } from "../../functions/public-api/fair_queue.ts";
import { type ApiError, tooManyRequests, unauthorized } from "../../functions/public-api/responses.ts";
import { WaitingLine } from "../../functions/public-api/waiting_line.ts";
import { list, startService } from "../support/service.ts";
import vectors from "../vectors/api_keys.json" with { type: "json" };

let line: WaitingLine;
/** The calls that are under way, in the order in which they began. */
const running: Call[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  line = new WaitingLine();
  running.splice(0);
});
afterEach(() => void vi.useRealTimers());

interface Call {
  company: string;
  rows: number;
  end(error?: ApiError): Promise<void>;
}

const owner = (key: string, company: string) => ({ key_id: `id of ${key}`, company_id: company });
const settle = () => vi.advanceTimersByTimeAsync(0);

/** What comes of a request: its status is 0 while it waits, then 200 or that of its error. */
function outcome(visit: Visit, called: Promise<unknown>) {
  const request = { visit, status: 0, logged: {} };
  called.then(
    () => Object.assign(request, { status: 200 }),
    ({ status, logged }: ApiError) => Object.assign(request, { status, logged }),
  );
  return request;
}

function ask(
  company: string,
  key = `key of ${company}`,
  { signal = new AbortController().signal, rows = 1, isLong = false } = {},
) {
  const visit = new Visit(key, signal, isLong);
  const begin = (rows: number) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const call: Call = {
      company,
      rows,
      async end(error) {
        running.splice(running.indexOf(call), 1);
        if (error) reject(error);
        else resolve();
        await settle();
      },
    };
    running.push(call);
    return promise.then(() => ({ headers: new Headers(), body: null, logged: owner(key, company) }));
  };
  const called = line.call(
    visit,
    rows,
    () => begin(rows),
    () => begin(1),
  );
  return outcome(visit, called);
}

/** Sends so many requests of a company whose key the instance knows. */
async function askMany(company: string, count: number) {
  await verify(company);
  const requests = Array.from({ length: count }, () => ask(company));
  await settle();
  return requests;
}

const companies = () => running.map(({ company }) => company);
const endAll = async () => {
  while (running.length > 0) await running[0]?.end();
};

/** Makes the instance know these keys of a company. */
async function verify(company: string, keys = [`key of ${company}`]): Promise<void> {
  for (const key of keys) {
    ask(company, key);
    await settle();
    await endAll();
  }
}

const manyKeys = (company: string, count: number) => Array.from({ length: count }, (_, n) => `key ${n} of ${company}`);

/** The database's answer that as many requests of the company run as may. */
const refusal = (company: string, requestsAtOnce: number) =>
  new Busy(tooManyRequests("refused by the database", owner(`key of ${company}`, company)), requestsAtOnce);

// Proves: requests.59
test("eight calls are under way at once, and lanes take turns: a company with 200 keys and 200 requests is one lane", async () => {
  const keys = manyKeys("A", 200);
  await verify("A", keys);
  for (const company of ["B", "C"]) await verify(company);
  for (const key of keys) ask("A", key);
  await settle();
  expect(companies()).toEqual(Array(8).fill("A"));
  for (const company of ["B", "C", "B"]) ask(company);
  for (let ended = 0; ended < 5; ended++) await running[0]?.end();
  expect(companies().slice(3)).toEqual(["A", "B", "C", "A", "B"]);
});

// Proves: requests.65
test("keys that the instance has not seen verified share one lane with two places, however many they are", async () => {
  await verify("B");
  const unverified = manyKeys("nobody", 1000).map((key) => ask("nobody", key));
  await settle();
  expect(companies()).toEqual(["nobody", "nobody"]);
  ask("B");
  await settle();
  expect(companies()).toEqual(["nobody", "nobody", "B"]);
  await running[0]?.end(unauthorized("key refused"));
  expect(unverified[0]?.status).toBe(401);
  expect(companies()).toEqual(["nobody", "B", "nobody"]);
});

// Proves: requests.65
test("on a new instance a company's burst leaves the unverified keys' lane as soon as its keys are known, and fills it with small calls only", async () => {
  for (const key of ["first", "second"]) for (let count = 0; count < 100; count++) ask("A", key, { rows: 1000 });
  ask("B");
  await settle();
  expect(running.map(({ rows }) => rows)).toEqual([1, 1]);
  let ended = 0;
  for (; ended < 10 && !companies().includes("B"); ended++) await running.find(({ rows }) => rows === 1)?.end();
  // Two requests are let in with the first key, and one with the second.
  expect(ended).toBe(3);
});

test("keys that are refused get their 401 20 ms apart, and at most 4 s later", async () => {
  const requests = manyKeys("nobody", 300).map((key) => ask("nobody", key));
  const answered = () => requests.filter(({ status }) => status === 401).length;
  await settle();
  while (running.length > 0) await running[0]?.end(unauthorized("key refused"));
  expect(answered()).toBe(1);
  await vi.advanceTimersByTimeAsync(200);
  expect(answered()).toBe(11);
  await vi.advanceTimersByTimeAsync(3790);
  expect(answered()).toBe(200);
  await vi.advanceTimersByTimeAsync(10);
  expect(answered()).toBe(300);
});

// Proves: requests.65
test("a company with more keys than the instance remembers does not make it forget another company", async () => {
  await verify("B");
  await verify("A", manyKeys("A", 6000));
  for (const key of manyKeys("nobody", 2)) ask("nobody", key);
  ask("B");
  await settle();
  expect(companies()).toEqual(["nobody", "nobody", "B"]);
});

test("a key counts as verified once the database has named its company, in a 429 too, and until it is refused", async () => {
  ask("A");
  await settle();
  await running[0]?.end(refusal("A", 4));
  for (const key of ["x", "y"]) ask("nobody", key);
  await vi.advanceTimersByTimeAsync(101);
  expect(companies()).toEqual(["nobody", "nobody", "A"]);
  await running[2]?.end(unauthorized("key refused"));
  ask("A");
  await settle();
  expect(companies()).toEqual(["nobody", "nobody"]);
});

describe("while another company calls too, a call of more than 100 rows takes all places but one", () => {
  const askFor = (rows: number) => ask("A", undefined, { rows });

  // Proves: requests.59
  test("one of them at once, and a small call beside it", async () => {
    await verify("A");
    await verify("B");
    for (const rows of [1000, 1, 101, 1]) askFor(rows);
    await settle();
    for (const rows of [
      [1000, 1],
      [1, 101],
      [101, 1],
    ]) {
      expect(running.map((call) => call.rows)).toEqual(rows);
      await running[0]?.end();
    }
    await endAll();
    for (let count = 0; count < 9; count++) askFor(100);
    await settle();
    expect(companies()).toEqual(Array(8).fill("A"));
  });

  test("the next large page begins when 45 % of the time have passed that the last one took, then there are two, and what takes longer than its rows say comes one at a time", async () => {
    for (const company of ["A", "B"]) await verify(company);
    for (const rows of [500, 1]) {
      askFor(rows);
      await vi.advanceTimersByTimeAsync(100);
      await endAll();
    }
    for (const isLong of [false, false, true, true]) ask("A", undefined, { rows: 1000, isLong });
    const under = async (milliseconds: number) => {
      await vi.advanceTimersByTimeAsync(milliseconds);
      return running.length;
    };
    expect([await under(89), await under(1), await under(500)]).toEqual([1, 2, 2]);
    await running[0]?.end();
    expect(await under(500)).toBe(2);
    await running[0]?.end();
    expect(await under(500)).toBe(1);
    await running[0]?.end();
    expect(running).toHaveLength(1);
  });

  test("a company that is alone for a second has all its places again", async () => {
    await verify("A");
    await verify("A");
    await vi.advanceTimersByTimeAsync(1001);
    ask("nobody");
    for (let count = 0; count < 3; count++) askFor(1000);
    await settle();
    expect(companies()).toEqual(["nobody", "A", "A", "A"]);
  });
});

describe("while another company calls too, the function serves one at a time of", async () => {
  const service = await startService();
  const page = list("[]");
  async function askForMembers(company: number): Promise<void> {
    const headers = { ...page.headers, "X-Company-Id": `company ${company}` };
    service.answer("list_members", { ...page, headers });
    await service.send("/members", { headers: { "X-API-Key": vectors.valid[company]?.key ?? "" } });
  }
  const rewards = Array.from({ length: 500 }, (_, n) => ({ external_id: `${n}`, name: "Mug", points_cost: 1 }));

  // Proves: questions.9
  test.each<[what: string, rpc: string, path: string, init?: RequestInit]>([
    ["pages of 1000 rows", "list_activity", "/activity?limit=1000"],
    ["pages of 1000 rows in CSV", "list_activity", "/activity?limit=1000&format=csv"],
    ["questions", "count_activity", "/activity/counts", {}],
    ["imports of 500 rewards", "upsert_rewards", "/rewards", { method: "POST", body: JSON.stringify(rewards) }],
  ])("%s", async (_what, rpc, path, init) => {
    vi.useRealTimers();
    const held: ServerResponse[] = [];
    // Where the instance knows how long a page takes, pages overlap.
    if (init) {
      service.answer("list_activity", list("[]", { rows: 1000 }));
      await service.send("/activity?limit=1000");
    }
    service.answer(rpc, (response) => void held.push(response));
    for (const company of [0, 1]) await askForMembers(company);
    const large = [service.send(path, init), service.send(path, init)];
    for (const count of [1, 2]) {
      await vi.waitFor(() => expect(held).toHaveLength(count));
      if (count === 1) await askForMembers(1);
      expect(held).toHaveLength(count);
      held.at(-1)?.writeHead(200, page.headers).end(page.body);
    }
    expect((await Promise.all(large)).map(({ status }) => status)).toEqual([200, 200]);
  });
});

describe("a key that is new to the instance", async () => {
  const service = await startService();

  test.each([
    ["is verified by the page itself", 100, ["list_activity", "list_activity"]],
    [
      "is verified by a call of its own before a page of more than 100 rows",
      101,
      ["verify_api_key", "list_activity", "list_activity"],
    ],
  ])("%s", async (_what, limit, calls) => {
    vi.useRealTimers();
    const headers = { "X-API-Key": vectors.valid[limit - 100]?.key ?? "" };
    for (const _ of ["new", "known"]) await service.send(`/activity?limit=${limit}`, { headers });
    expect(service.calls.map(({ rpc }) => rpc)).toEqual(calls);
  });
});

describe("a company has as many places as the database gives it", () => {
  /** The database: of a company's calls it refuses those that are too many. */
  async function refuseBeyond(most: number): Promise<void> {
    while (running.length > most) await running.at(-1)?.end(refusal("A", Math.max(most, 4)));
  }

  test("a refused call waits at the end of the lane, and the lane keeps to the number, which an operator can raise", async () => {
    for (const most of [4, 6]) {
      const requests = await askMany("A", 9);
      expect(running).toHaveLength(8);
      await refuseBeyond(most);
      await vi.advanceTimersByTimeAsync(1000);
      for (let ended = 0; ended < 9 - most; ended++) {
        expect(running).toHaveLength(most);
        await running[0]?.end();
      }
      expect(running).toHaveLength(most);
      await endAll();
      expect(requests.map(({ status }) => status)).toEqual(Array(9).fill(200));
    }
  });

  // Proves: requests.64
  test("where other instances use all its places, it tries again, 10 to 40 times a second, however many wait", async () => {
    await askMany("A", 100);
    await refuseBeyond(0);
    let tried = 0;
    for (let milliseconds = 0; milliseconds < 1000; milliseconds++) {
      await vi.advanceTimersByTimeAsync(1);
      tried += running.length;
      await refuseBeyond(0);
    }
    expect(tried).toBeGreaterThanOrEqual(10);
    expect(tried).toBeLessThanOrEqual(40);
    await vi.advanceTimersByTimeAsync(101);
    await endAll();
  });
});

describe("after two seconds", () => {
  // Proves: requests.60
  test("a request without a turn gets a 429 that names its key and company in the log", async () => {
    await askMany("A", 8);
    const late = ask("A");
    await vi.advanceTimersByTimeAsync(1999);
    expect(late.status).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(late).toMatchObject({ status: 429, logged: { ...owner("key of A", "A"), error: "no turn in time" } });
    expect(late.visit.waited).toBe(2000);
    expect(running).toHaveLength(8);
  });

  test("what a request has waited before counts", async () => {
    await askMany("A", 8);
    const request = ask("A");
    await vi.advanceTimersByTimeAsync(1500);
    await running[0]?.end();
    // The last of the eight calls is that of the request.
    await running.at(-1)?.end(refusal("A", 7));
    await vi.advanceTimersByTimeAsync(499);
    expect(request.status).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(request.status).toBe(429);
  });
});

// Proves: requests.66
test("a caller who disconnects leaves the line, but the place of a call under way is free only when the call has ended", async () => {
  await askMany("A", 7);
  const leaving = new AbortController();
  const [called, waiting] = [0, 1].map(() => ask("A", "key of A", { signal: leaving.signal }));
  const next = ask("A");
  await settle();
  leaving.abort();
  await settle();
  for (const left of [called, waiting])
    expect(left).toMatchObject({ status: 499, logged: { company_id: "A", error: "the caller went away" } });
  expect(running).toHaveLength(8);
  await running.at(-1)?.end();
  expect(running).toHaveLength(8);
  await endAll();
  expect(next.status).toBe(200);
});

describe("uploads", () => {
  const mebibyte = 1024 * 1024;
  /** The functions that end the uploads that have their places, in the order in which they got them. */
  const inside: (() => void)[] = [];
  beforeEach(() => void inside.splice(0));

  function upload(company: string, bytes: number) {
    const visit = new Visit(`key of ${company}`, new AbortController().signal);
    const serve = () => new Promise<void>((resolve) => void inside.push(resolve));
    return outcome(visit, line.upload(visit, bytes, serve));
  }

  // Proves: requests.70
  test("four of a company at once, whose calls have their places all the same", async () => {
    await verify("A");
    const requests = Array.from({ length: 5 }, () => upload("A", 1));
    ask("A");
    await settle();
    expect(inside).toHaveLength(4);
    expect(companies()).toEqual(["A"]);
    inside[0]?.();
    await settle();
    expect(inside).toHaveLength(5);
    expect(requests[0]?.status).toBe(200);
  });

  // Proves: requests.70
  test("48 MiB of all companies; an upload that finds no room in two seconds gets a 429", async () => {
    for (const company of ["A", "B", "C"]) await verify(company);
    for (const company of ["A", "B"]) for (let count = 0; count < 4; count++) upload(company, 6 * mebibyte);
    await settle();
    expect(inside).toHaveLength(8);
    const late = upload("C", 1);
    await vi.advanceTimersByTimeAsync(2000);
    expect([late.status, inside.length]).toEqual([429, 8]);
    const next = upload("C", 6 * mebibyte);
    inside[0]?.();
    await settle();
    inside[8]?.();
    await settle();
    expect(next.status).toBe(200);
  });
});
