// The line before the database (docs/api.md, Limits), with calls that end when a test says so.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Busy } from "../../functions/public-api/database.ts";
import { Visit } from "../../functions/public-api/fair_queue.ts";
import { ApiError, tooManyRequests, unauthorized } from "../../functions/public-api/responses.ts";
import { WaitingLine } from "../../functions/public-api/waiting_line.ts";
import { verifiedKey } from "../support/service.ts";

/** A call of the database: the company, and how many rows, or that the key is verified. */
type Call = { company: string; rows: number | "verify"; end: (error?: unknown) => Promise<void> };

let line: WaitingLine;
/** The calls that are under way, in the order in which they began. */
let running: Call[];
let requestsAtOnce: number;
beforeEach(() => {
  vi.useFakeTimers();
  line = new WaitingLine();
  [running, requestsAtOnce] = [[], 4];
});
afterEach(() => void vi.useRealTimers());

const ownerOf = (key: string) => ({ key_id: `id of ${key}`, company_id: key.slice(-1) });
const refusedKey = unauthorized("key refused");
const tooMany = (company: string) => new Busy(tooManyRequests("refused by the database", ownerOf(company)));
const noDatabase = new Busy(new ApiError(500, "Internal Server Error"));
const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);
const companies = () => running.map(({ company }) => company);
const rowsOf = () => running.map(({ rows }) => rows);
const endAll = async (error?: unknown) => {
  while (running.length > 0) await running[0]?.end(error);
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

/** Sends a request with a key, whose last letter is its company. */
function ask(key: string, { rows = 1, signal = stays, body = new ReadableStream() } = {}) {
  const begin = async <Body>(rows: Call["rows"], body: Body) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const end = async (error?: unknown) => {
      running = running.filter((call) => call.end !== end);
      if (error) reject(error);
      else resolve();
      await settle();
    };
    running.push({ company: key.slice(-1), rows, end });
    await promise;
    return { headers: new Headers(), body, logged: ownerOf(key) };
  };
  const verify = () => begin("verify", JSON.stringify({ ...verifiedKey, requests_at_once: requestsAtOnce }));
  const visit = new Visit(key, signal);
  return outcome(
    visit,
    line.call(visit, rows, () => begin(rows, body), verify),
  );
}

/** Makes the instance know these keys. */
async function know(...keys: string[]): Promise<void> {
  for (const key of keys) {
    ask(key);
    await settle();
    await endAll();
  }
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
  test("a company with 200 keys and 200 requests has four places and waits for itself", async () => {
    const keys = manyKeys(200, "A");
    await know(...keys, "B", "C", "D");
    for (const key of [...keys, ..."BBBBCDC"]) ask(key);
    await settle();
    expect(companies()).toEqual([..."AAAABBBB"]);
    for (let ended = 0; ended < 5; ended++) await running[0]?.end();
    expect(companies()).toEqual([..."BBBACDAC"]);
  });

  test("a call of more than 100 rows costs as much as two, and nobody of its company passes it", async () => {
    await know("A");
    for (const rows of [1000, 101, 1, 100, 2, 3]) ask("A", { rows });
    await settle();
    expect(rowsOf()).toEqual([1000, 101]);
    await running[0]?.end();
    ask("A", { rows: 4 });
    expect(rowsOf()).toEqual([101, 1, 100]);
    await running[0]?.end();
    expect(rowsOf()).toEqual([1, 100, 2, 3]);
  });

  test("a large call is let in when a place is free, however many small ones of others wait", async () => {
    await know("A", "B", "C", "D");
    for (const company of "ABC".repeat(12)) ask(company);
    const large = ask("D", { rows: 1000 });
    await settle();
    for (let ended = 0; !rowsOf().includes(1000); ended++) {
      expect(ended).toBeLessThan(4);
      await running[0]?.end();
    }
    await running.find(({ rows }) => rows === 1000)?.end();
    expect(large.status).toBe(200);
  });

  test("as many of a company run as the database says when it verifies a key", async () => {
    requestsAtOnce = 6;
    await askMany(9, "A");
    expect(running).toHaveLength(6);
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
    expect(rowsOf().sort()).toEqual([1, "verify", "verify"]);
    const verifying = () => running.find(({ rows }) => rows === "verify");
    let verified = 0;
    for (; verifying(); verified++) await verifying()?.end();
    await endAll();
    expect([verified, ...requests.map(({ status }) => status)]).toEqual([50, ...Array(100).fill(200)]);
  });

  test("is a 401 for all its requests when it is refused, and new again for the next one", async () => {
    const requests = [ask("A"), ask("A")];
    await settle();
    await endAll(refusedKey);
    expect(requests.map(({ status }) => status)).toEqual([401, 401]);
    ask("A");
    await settle();
    expect(rowsOf()).toEqual(["verify"]);
  });

  test.each([
    ["429", tooMany("A")],
    ["403", new ApiError(403, "Forbidden", { logged: ownerOf("A") })],
  ])("has its company's turn as soon as a %s says whose it is", async (_status, error) => {
    for (const key of ["A", ...manyKeys(3, "N")]) ask(key);
    await settle();
    await running[0]?.end(error);
    expect(rowsOf().sort()).toEqual([1, "verify", "verify"]);
  });

  test("is a failure when the database does not say whose it is", async () => {
    const reply = async () => ({ headers: new Headers(), body: JSON.stringify(verifiedKey), logged: {} });
    await expect(line.call(new Visit("A", stays), 1, reply, reply)).rejects.toThrow("whose key");
  });

  test("gets its refusal 20 ms after the one before, and at most 4 s later", async () => {
    const requests = manyKeys(300, "N").map((key) => ask(key));
    const answered = () => requests.filter(({ status }) => status === 401).length;
    await settle();
    await endAll(refusedKey);
    expect(answered()).toBe(1);
    await settle(200);
    expect(answered()).toBe(11);
    await settle(3800);
    expect(answered()).toBe(300);
  });
});

describe("a key that the instance knows", () => {
  test("is new again when the database has refused it", async () => {
    await askMany(1, "A");
    await endAll(refusedKey);
    ask("A");
    await settle();
    expect(rowsOf()).toEqual(["verify"]);
  });

  // Proves: requests.65
  test("stays known beside a company with more keys than an instance remembers, whose oldest are forgotten", async () => {
    const keys = manyKeys(6000, "A");
    await know("B", ...keys);
    for (const key of ["B", keys.at(-1) ?? "", keys[0] ?? ""]) ask(key);
    await settle();
    expect(rowsOf()).toEqual([1, 1, "verify"]);
  });
});

describe("a call that the database cannot serve now", () => {
  test.each([
    ["too many run", tooMany("A")],
    ["there is no database", noDatabase],
  ])("pauses, and so does its place; then it is made again: %s", async (_why, error) => {
    const requests = await askMany(3, "A");
    for (const call of running) await call.end(error);
    expect(running).toHaveLength(0);
    requests.push(ask("A"), ask("A"));
    await settle();
    expect(running).toHaveLength(1);
    await settle(100);
    expect(running).toHaveLength(4);
    await endAll();
    expect(requests.map(({ status }) => status)).toEqual(Array(5).fill(200));
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
    expect(made).toBeGreaterThan((4 * 2000) / 100);
    expect(made).toBeLessThan((4 * 2000) / 25);
    for (const { status } of requests) expect(status).toBe(429);
    expect(requests[0]).toMatchObject({ visit: { waited: 2000 }, logged: { error: "refused by the database" } });
  });
});

// Proves: requests.60
test("a request without a turn for two seconds gets a 429 that names its key and company in the log", async () => {
  const late = (await askMany(5, "A"))[4];
  await settle(1999);
  expect(late?.status).toBe(0);
  await settle(1);
  expect(late).toMatchObject({ status: 429, logged: { ...ownerOf("A"), error: "no turn in time" } });
  await endAll();
  expect([late?.visit.waited, running.length]).toEqual([2000, 0]);
});

describe("a caller who disconnects", () => {
  // Proves: requests.66
  test("leaves the line, but the place of a call under way is free only when the call has ended", async () => {
    await askMany(3, "A");
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
    expect(running).toHaveLength(4);
    await running.at(-1)?.end();
    expect(running).toHaveLength(4);
    expect(cancel).toHaveBeenCalledOnce();
    await endAll();
    expect(next.status).toBe(200);
  });

  test("is not listened for once the request is over", async () => {
    const { signal } = new AbortController();
    const [added, removed] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
    await askMany(6, "A", { signal });
    await endAll();
    expect(added.mock.calls.length).toBeGreaterThan(6);
    expect(removed).toHaveBeenCalledTimes(added.mock.calls.length);
  });
});

// Proves: requests.70
test("uploads of one company and those of all have a bound, and hold no places of calls", async () => {
  await know("A", "B", "C", "D");
  const inside: { company: string; end: () => void }[] = [];
  const upload = (company: string, bytes = 8 * 1024 * 1024) => {
    const visit = new Visit(company, stays);
    const serve = () => new Promise<void>((end) => void inside.push({ company, end }));
    return outcome(visit, line.upload(visit, bytes, serve));
  };
  for (const company of "AAAAABBBBBCD") upload(company, company === "A" ? 1 : undefined);
  ask("A");
  await settle();
  expect([inside.map(({ company }) => company), companies()]).toEqual([[..."AAAABBBBC"], ["A"]]);
  const late = upload("D", 1);
  await settle(2000);
  expect([late.status, inside.length]).toEqual([429, 9]);
  upload("D");
  inside[8]?.end();
  await settle();
  expect(inside.at(-1)?.company).toBe("D");
});
