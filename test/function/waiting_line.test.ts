// The line before the database (docs/api.md, Limits), with calls that end when a test says so.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError, tooManyRequests, unauthorized } from "../../functions/public-api/answers/errors.ts";
import type { CallDatabase } from "../../functions/public-api/database/data_api.ts";
import { Busy } from "../../functions/public-api/database/refusals.ts";
import { type Visit, Wait } from "../../functions/public-api/line/visit.ts";
import { WaitingLine } from "../../functions/public-api/line/waiting_line.ts";
import { verifiedKey } from "../support/service.ts";

/** A call of the database: the company, and whether it is for a page, a total, or verifies the key. */
type Call = { company: string; what: string; end: (error?: unknown) => Promise<void> };

let line: WaitingLine;
/** The calls that are under way, in the order in which they began. */
let running: Call[];
let requestsAtOnce: number;
beforeEach(() => {
  vi.useFakeTimers();
  line = new WaitingLine(callDatabase);
  [running, requestsAtOnce] = [[], 4];
});
afterEach(() => void vi.useRealTimers());

const ownerOf = (key: string) => ({ key_id: `id of ${key}`, company_id: key.slice(-1) });
const refusedKey = unauthorized("key refused");
const tooMany = (company: string) => new Busy(tooManyRequests("refused by the database", ownerOf(company)));
const noDatabase = new Busy(new ApiError(500, "Internal Server Error"));
const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);
const companies = () => running.map(({ company }) => company);
const kinds = () => running.map(({ what }) => what);
const endAll = async (error?: unknown) => {
  while (running.length > 0) await running[0]?.end(error);
};
/** Ends so many calls, each when it is the first that runs. */
const endFirst = async (count: number) => {
  for (let ended = 0; ended < count; ended++) {
    await settle();
    await running[0]?.end();
  }
};

/** A call ends when the test says so; that of a code at once, because there is no such code. */
const callDatabase: CallDatabase = async (what, { key_hash, bytes }, _caller, read) => {
  if (what === "redeem_assistant_code")
    return { headers: new Headers(), body: await read(new Response("null")), logged: {} };
  const key = String(key_hash);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const end = async (error?: unknown) => {
    running = running.filter((call) => call.end !== end);
    if (error) reject(error);
    else resolve();
    await settle();
  };
  running.push({ company: key.slice(-1), what: what.replace("_api_key", ""), end });
  await promise;
  const verified = new Response(JSON.stringify({ ...verifiedKey, requests_at_once: requestsAtOnce }));
  const headers = new Headers({ "Content-Length": String(bytes) });
  return { headers, body: await read(verified), logged: ownerOf(key) };
};

/** What comes of a request: its status is 0 while it waits, then 200 or that of its error. */
function outcome(visit: Visit, called: Promise<unknown>) {
  const request = { visit, status: 0, logged: {} };
  called.then(
    () => Object.assign(request, { status: 200 }),
    ({ status, logged }: ApiError) => Object.assign(request, { status, logged }),
  );
  return request;
}

const { signal: stays } = new AbortController();

/** A visit, as far as the line looks at it. */
function visitOf(keyHash: string, signal = stays, ended: Promise<unknown> = Promise.resolve()) {
  const caller = { scope: null, noted: {} };
  return Object.assign(new Wait(signal), { keyHash, caller, ended }) as Visit;
}

/** Sends a request with a key, whose last letter is its company. Its answer is read at once, or when `ended` is settled. */
function ask(
  key: string,
  {
    isTotal = false,
    signal = stays,
    body = new ReadableStream(),
    ended = Promise.resolve() as Promise<unknown>,
    bytes = 8_000,
  } = {},
) {
  const visit = visitOf(key, signal, ended);
  const rpc = isTotal ? "total" : "page";
  return outcome(visit, line.call(visit, { rpc, args: () => ({ bytes }), read: () => body, isPage: true, isTotal }));
}

/** Sends a request, and ends its calls. */
async function serve(...request: Parameters<typeof ask>): Promise<void> {
  ask(...request);
  await settle();
  await endAll();
}

/** Makes the instance know these keys. */
async function know(...keys: string[]): Promise<void> {
  for (const key of keys) await serve(key);
}

/** Sends so many requests with a key that the instance knows. */
async function askMany(count: number, key: string, options?: Parameters<typeof ask>[1]) {
  await know(key);
  const requests = Array.from({ length: count }, () => ask(key, options));
  await settle();
  return requests;
}

const manyKeys = (count: number, company: string) => Array.from({ length: count }, (_, n) => `${n} of ${company}`);

describe("companies take turns", () => {
  // Proves: requests.59
  test("a company with 200 keys and 200 requests has three places and waits for itself", async () => {
    const keys = manyKeys(200, "A");
    await know(...keys, "B", "C", "D");
    for (const key of [...keys, ..."BBBBCDC"]) ask(key);
    await settle();
    expect(companies()).toEqual([..."AAABBB"]);
    for (let ended = 0; ended < 5; ended++) await running[0]?.end();
    expect(companies()).toEqual([..."BACDBA"]);
  });

  // Proves: questions.9
  test("totals have a line of their own, with one of a company and two in all, beside three pages of a company", async () => {
    await know(..."ABCD");
    const total = { isTotal: true };
    for (const company of "ABCD") ask(company, total);
    for (const company of "AAAAABBBB") ask(company);
    await settle();
    expect(companies()).toEqual([..."ABAAABBB"]);
    await running[0]?.end();
    expect([companies(), kinds().filter((what) => what === "total")]).toEqual([[..."BAAABBBC"], ["total", "total"]]);
    await running[1]?.end();
    expect(companies()).toEqual([..."BAABBBCA"]);
  });

  test("no more of a company run than the database says when it verifies a key, its total among them", async () => {
    requestsAtOnce = 3;
    await know("A");
    for (const isTotal of [true, false, false, false]) ask("A", { isTotal });
    await settle();
    expect(kinds().sort()).toEqual(["page", "page", "total"]);
  });
});

describe("a key that is new to the instance", () => {
  // Proves: requests.65
  test("is verified first, once for all its requests, and two such keys at a time", async () => {
    await know("B");
    const keys = manyKeys(50, "A");
    const requests = [...keys, ...keys].map((key) => ask(key));
    ask("B");
    await settle();
    expect(kinds().sort()).toEqual(["page", "verify", "verify"]);
    const verifying = () => running.find(({ what }) => what === "verify");
    let verified = 0;
    for (; verifying(); verified++) await verifying()?.end();
    await endAll();
    expect([verified, ...requests.map(({ status }) => status)]).toEqual([50, ...Array(100).fill(200)]);
  });

  test("has its turn beside many that wait: every other turn is of the newest", async () => {
    for (const key of manyKeys(100, "N")) ask(key);
    await settle();
    const good = ask("A");
    await settle();
    for (let ended = 0; ended < 2; ended++) await running[0]?.end(refusedKey);
    expect(companies()).toContain("A");
    await running.find(({ company }) => company === "A")?.end();
    await running.find(({ company }) => company === "A")?.end();
    expect(good.status).toBe(200);
  });

  test.each([
    ["429", tooMany("A")],
    ["403", new ApiError(403, "Forbidden", { logged: ownerOf("A") })],
  ])("has its company's turn as soon as a %s says whose it is", async (_status, error) => {
    for (const key of ["A", ...manyKeys(3, "N")]) ask(key);
    await settle();
    await running[0]?.end(error);
    expect(kinds().sort()).toEqual(["page", "verify", "verify"]);
  });

  test("is a failure when the database does not say whose it is", async () => {
    const nobodys = new WaitingLine(async (_rpc, _args, _caller, read) => {
      const body = await read(new Response(JSON.stringify(verifiedKey)));
      return { headers: new Headers(), body, logged: {} };
    });
    const page = { rpc: "page", args: () => ({}), read: () => "" };
    await expect(nobodys.call(visitOf("A"), page)).rejects.toThrow("whose key");
  });

  const guessCode = () => {
    const visit = visitOf("");
    return outcome(visit, line.callWithoutKey(visit, "redeem_assistant_code", {}));
  };

  test.each<[what: string, guess: (key: string) => ReturnType<typeof ask>]>([
    ["key", ask],
    ["code of an assistant", guessCode],
  ])("a %s gets its refusal 20 ms after the one before, and at most 20 s later", async (_what, guess) => {
    const requests = manyKeys(1100, "N").map((key) => guess(key));
    const answered = () => requests.filter(({ status }) => status > 0).length;
    await settle();
    await endAll(refusedKey);
    expect(answered()).toBe(1);
    await settle(200);
    expect(answered()).toBe(11);
    await settle(19_700);
    expect(answered()).toBe(996);
    await settle(100);
    expect(answered()).toBe(1100);
  });
});

test.each([
  ["new to the instance", () => [ask("A"), ask("A")]],
  ["known to it", () => askMany(2, "A")],
])("a key that is %s is a 401 for all its requests, and new to the next one", async (_what, send) => {
  const requests = await send();
  await settle();
  await endAll(refusedKey);
  await settle(20);
  expect(requests.map(({ status }) => status)).toEqual([401, 401]);
  ask("A");
  await settle();
  expect(kinds()).toEqual(["verify"]);
});

describe("a call that the database cannot serve now", () => {
  test.each([
    ["too many run", tooMany("A")],
    ["there is no database", noDatabase],
  ])("pauses, and so does its place; then it is made again: %s", async (_why, error) => {
    const requests = await askMany(2, "A");
    for (const call of running) await call.end(error);
    expect(running).toHaveLength(0);
    requests.push(ask("A"), ask("A"));
    await settle();
    expect(running).toHaveLength(1);
    await settle(100);
    expect(running).toHaveLength(3);
    await endAll();
    expect(requests.map(({ status }) => status)).toEqual(Array(4).fill(200));
    expect(requests[0]?.visit.waited).toBeGreaterThanOrEqual(25);
  });

  // Proves: requests.64
  test("is made a bounded number of times, however many wait, and ends as it was refused last", async () => {
    const requests = await askMany(100, "A");
    let made = 0;
    for (let milliseconds = 0; milliseconds < 2010; milliseconds++) {
      made += running.length;
      await endAll(tooMany("A"));
      await settle(1);
    }
    expect(made).toBeGreaterThan((3 * 2000) / 100);
    expect(made).toBeLessThan((3 * 2000) / 25);
    for (const { status } of requests) expect(status).toBe(429);
    expect(requests[0]).toMatchObject({ visit: { waited: 2000 }, logged: { error: "refused by the database" } });
  });
});

// Proves: requests.60
test.each([
  ["request", 2_000, 5, false],
  ["total", 10_000, 2, true],
])("a %s without a turn for %i ms is a 429 that the log says whose it is", async (_what, most, count, isTotal) => {
  const late = (await askMany(count, "A", { isTotal })).at(-1);
  await settle(most - 1);
  expect(late?.status).toBe(0);
  await settle(1);
  expect(late).toMatchObject({ status: 429, logged: { ...ownerOf("A"), error: "no turn in time" } });
  await endAll();
  expect([late?.visit.waited, running.length]).toEqual([most, 0]);
});

// Proves: requests.66
test("a caller who disconnects leaves the line, but the place of a call under way is free only when the call has ended", async () => {
  await askMany(2, "A");
  const leaving = new AbortController();
  const cancel = vi.fn();
  const body = new ReadableStream({ cancel });
  const left = [0, 1].map(() => ask("A", { signal: leaving.signal, body }));
  const next = ask("A");
  await settle();
  leaving.abort();
  await settle();
  for (const request of left)
    expect(request).toMatchObject({ status: 499, logged: { company_id: "A", error: "the caller went away" } });
  expect(running).toHaveLength(3);
  await running.at(-1)?.end();
  expect(running).toHaveLength(3);
  expect(cancel).toHaveBeenCalledOnce();
  await endAll();
  expect(next.status).toBe(200);
});

describe("pages of a company whose last ones were heavy", () => {
  const heavy = { bytes: 1024 * 1024 + 1 };

  // Proves: requests.59
  test("run one at a time, two of all such companies, for ten seconds, and leave the others six places", async () => {
    await know(..."ABCDE");
    for (const company of "ABC") await serve(company, heavy);
    for (const company of "AABBCC") ask(company);
    for (const company of "DDDEEE") ask(company);
    await settle();
    expect(companies().sort()).toEqual([..."ABDDDEEE"]);
    await endAll();
    await settle(10_000);
    await askMany(3, "A");
    expect(companies()).toEqual([..."AAA"]);
  });

  test("are heavy only when their size is known, and above 1 MiB", async () => {
    for (const bytes of [1024 * 1024, Number.POSITIVE_INFINITY]) {
      await know("A");
      await serve("A", { bytes });
      await askMany(3, "A");
      expect(companies()).toEqual([..."AAA"]);
      await endAll();
    }
  });
});

describe("answers that nobody reads", () => {
  const mebibyte = { bytes: 1024 * 1024 };
  const never = { ...mebibyte, ended: new Promise(() => {}) };

  test("of one company have 16 MiB, beyond which its requests wait, and nobody else's", async () => {
    await know("A", "B");
    const reading = Promise.withResolvers<void>();
    const requests = Array.from({ length: 20 }, () => ask("A", { ...mebibyte, ended: reading.promise }));
    await endFirst(16);
    ask("B");
    await settle();
    expect([requests.filter(({ status }) => status === 200).length, companies()]).toEqual([16, ["B"]]);
    await endAll();
    await settle(2000);
    expect(requests.map(({ status }) => status).slice(14)).toEqual([200, 200, 429, 429, 429, 429]);
    reading.resolve();
    await settle();
    await askMany(3, "A");
    expect(running).toHaveLength(3);
  });

  test("leave no place to a caller who goes in the moment in which one of them ends", async () => {
    const [reading, caller] = [Promise.withResolvers<void>(), new AbortController()];
    await know("A");
    for (const ended of [reading.promise, ...Array(15).fill(never.ended)]) await serve("A", { ...mebibyte, ended });
    ask("A", { signal: caller.signal });
    await settle();
    reading.resolve();
    caller.abort();
    await settle(120_000);
    await askMany(4, "A");
    expect(companies()).toEqual([..."AAA"]);
  });

  test("count for their company, also when its keys are so many that they are forgotten meanwhile", async () => {
    for (let open = 0; open < 16; open++) {
      ask(`${open} of A`, never);
      await settle();
      await running[0]?.end();
      for (const key of manyKeys(200, "A")) {
        ask(`${open} ${key}`);
        await settle();
        while (running.length > 1) await running[1]?.end();
      }
      await endAll();
    }
    ask("B");
    await settle();
    expect(companies()).toEqual(["B"]);
  });

  test("have 64 MiB in all, beyond which each company has two, and count for two minutes", async () => {
    await know(..."ABCDE");
    const of = (key: string) => requests.filter(({ visit, status }) => visit.keyHash === key && status === 200).length;
    const requests = [..."ABCD"].flatMap((key) => Array.from({ length: 16 }, () => ask(key, never)));
    await endFirst(64);
    expect([..."ABCD"].map(of)).toEqual([16, 16, 16, 16]);
    requests.push(...Array.from({ length: 4 }, () => ask("E", never)));
    await endFirst(4);
    expect(of("E")).toBe(2);
    await settle(118_000);
    requests.push(ask("A"));
    await settle(1_999);
    expect(running).toEqual([]);
    await settle(2);
    expect(running).toHaveLength(1);
  });
});
