// The room for bodies in an instance of the function (docs/api.md, Limits).
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ApiError } from "../../functions/public-api/answers/errors.ts";
import { Bodies } from "../../functions/public-api/line/bodies.ts";
import { Wait } from "../../functions/public-api/line/visit.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const mebibyte = 1024 * 1024;
const limit = [8 * mebibyte, "too large"] as const;
const { signal } = new AbortController();
const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);

/** Sends a body of a company. It is complete after `end`, and then waits until it is taken. */
function send(bodies: Bodies, company: string) {
  const { readable, writable } = new TransformStream<Uint8Array>({}, {}, { highWaterMark: 100 });
  const writer = writable.getWriter();
  const wait = new Wait(signal);
  wait.owner = { company_id: company };
  const taken = Promise.withResolvers<void>();
  const served = Promise.withResolvers<void>();
  const sent = {
    status: 0,
    isWritten: false,
    write: async (mebibytes: number) => {
      for (let count = 0; count < mebibytes; count++) writer.write(new Uint8Array(mebibyte)).catch(() => {});
      await settle();
    },
    end: async () => {
      writer.close().catch(() => {});
      await settle();
    },
    take: taken.resolve,
    serve: served.resolve,
  };
  const request = new Request("https://any.example", { method: "POST", body: readable, duplex: "half" } as RequestInit);
  const held = bodies.hold(wait, request, limit, async (take) => {
    await taken.promise;
    take();
    sent.isWritten = true;
    await served.promise;
  });
  held.then(
    () => Object.assign(sent, { status: 200 }),
    ({ status, logged }: ApiError) => Object.assign(sent, { status, logged }),
  );
  return sent;
}

// Proves: requests.70
test("the company that holds most loses its newest body, also one that is complete; others lose none", async () => {
  const bodies = new Bodies();
  const [first, second] = [send(bodies, "A"), send(bodies, "A")];
  const ofOthers = [..."BCD"].map((company) => send(bodies, company));
  await first.write(8);
  await second.write(7);
  await second.end();
  for (const other of ofOthers) await other.write(8);
  const [small] = [send(bodies, "E")];
  await small.write(2);
  const statuses = () => [first, second, ...ofOthers, small].map(({ status }) => status);
  expect(statuses()).toEqual([0, 429, 0, 0, 0, 0]);
  second.take();
  for (const sent of [first, ...ofOthers, small]) {
    await sent.end();
    sent.take();
    sent.serve();
  }
  await settle();
  expect(statuses()).toEqual([200, 429, 200, 200, 200, 200]);
  expect([first, second].map(({ isWritten }) => isWritten)).toEqual([true, false]);
});

test("a company has 16 MiB, for which its next body waits; the room ends when a body is taken", async () => {
  const bodies = new Bodies();
  const held = [send(bodies, "A"), send(bodies, "A")];
  for (const sent of held) {
    await sent.write(8);
    await sent.end();
  }
  const late = send(bodies, "A");
  await settle(2000);
  expect([late.status, ...held.map(({ status }) => status)]).toEqual([429, 0, 0]);
  const next = send(bodies, "A");
  held[0]?.take();
  await next.write(8);
  expect([next.status, ...held.map(({ status }) => status)]).toEqual([0, 0, 0]);
  const more = send(bodies, "B");
  await more.write(1);
  expect(more.status).toBe(0);
});

// Proves: requests.67, risk.4
test("a body that is not complete after 10 seconds is a 408", async () => {
  const sent = send(new Bodies(), "A");
  await sent.write(1);
  await settle(9_999);
  expect(sent.status).toBe(0);
  await settle(1);
  expect(sent.status).toBe(408);
});
