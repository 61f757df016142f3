// The body of an import while it is on its way (docs/api.md, Limits): 8 MiB, 10 seconds.
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { chunk, openImport, type RawResponse, readAnswer } from "../support/raw.ts";
import { sql } from "../support/stack.ts";

let company: TestCompany;
let key: string;
/** Sent before the first test and awaited in the last one: it takes ten seconds, in which the other one can run. */
let slow: Promise<RawResponse & { seconds: number }>;
beforeAll(async () => {
  company = await newCompany("Limits");
  key = (await company.makeKey()).api_key;
  slow = sendSlowly();
});
afterAll(() => company.remove());

async function sendSlowly(): Promise<RawResponse & { seconds: number }> {
  const socket = await openImport(key);
  const started = performance.now();
  socket.write(chunk('[{"external_id": "slow", '));
  const answer = await readAnswer(socket);
  return { ...answer, seconds: (performance.now() - started) / 1000 };
}

const stored = () => sql`select external_id from app.rewards where company_id = ${company.id}`;

const eightMiB = 8 * 1024 * 1024;

// Proves: rows.31, rows.32, risk.4
test("a body of 8 MiB without Content-Length is taken; one byte more, and the answer comes before everything is sent", async () => {
  const piece = 256 * 1024;
  for (const more of ["", " "]) {
    const socket = await openImport(key);
    const answer = readAnswer(socket);
    const text = JSON.stringify({ external_id: "käse-🧀", name: "Käse", points_cost: 1 });
    for (const character of text) socket.write(chunk(character));
    let left = eightMiB - Buffer.byteLength(text);
    for (; left > 0; left -= piece) socket.write(chunk(" ".repeat(Math.min(piece, left))));
    // No more than this byte: Deno resets a connection from which it has not read everything.
    socket.write(more ? chunk(more) : "0\r\n\r\n");
    const { status, body } = await answer;
    const error = "body must be at most 8 MiB and 500 rewards";
    expect([status, JSON.parse(body)]).toEqual(more ? [400, { error }] : [200, { imported: 1 }]);
  }
  expect(await stored()).toEqual([{ external_id: "käse-🧀" }]);
});

// Proves: requests.56, requests.67, risk.4
test("a body that is not complete after 10 seconds is answered with 408, and nothing is written", async () => {
  const { status, body, headers, seconds } = await slow;
  expect({ status, body }).toEqual({ status: 408, body: '{"error":"Request Timeout"}' });
  expect(headers.has("X-Request-Id")).toBe(true);
  expect(seconds).toBeGreaterThan(9.5);
  expect(seconds).toBeLessThan(15);
  expect((await stored()).map(({ external_id }) => external_id)).not.toContain("slow");
});
