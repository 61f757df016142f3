import { describe, expect, test } from "vitest";
import { keyHash, problem, startService, value } from "../support/service.ts";

const service = await startService();
const row = { external_id: "a", name: "Coffee", points_cost: 5 };

/** The error message of a refused import. Checks that the database was asked only for the key. */
async function refusal(body: BodyInit): Promise<string> {
  service.calls.length = 0;
  const [status, message] = await problem(await service.import(body));
  expect(status).toBe(400);
  expect(service.calls.map(({ rpc, args }) => [rpc, args])).toEqual([
    ["verify_api_key", { key_hash: keyHash, required_scope: "write:rewards" }],
  ]);
  return message;
}

/** The rows that are sent to the database. */
async function imported(body: string): Promise<unknown> {
  service.answer("upsert_rewards", value({ imported: 1 }));
  const response = await service.import(body);
  expect(await response.json()).toEqual({ imported: 1 });
  expect(service.calls.map(({ rpc }) => rpc)).toEqual(["verify_api_key", "upsert_rewards"]);
  const { key_hash, rewards } = service.calls[1]?.args ?? {};
  expect(key_hash).toBe(keyHash);
  return JSON.parse(String(rewards));
}

describe("the three forms of a body", () => {
  test.each([
    // Proves: endpoints.11, import.3, import.12
    ["a reward", row],
    // Proves: import.3
    ["an array", [row]],
    // Proves: import.3, rows.33
    ["an object with rewards", { rewards: [row] }],
  ])("%s", async (_form, body) => {
    expect(await imported(JSON.stringify(body))).toEqual([row]);
  });

  // Proves: rows.40
  test("with another Content-Type, and white space around it", async () => {
    service.answer("upsert_rewards", value({ imported: 1 }));
    const response = await service.import(`\r\n\t ${JSON.stringify(row)} \n`, {
      headers: { "Content-Type": "text/plain" },
    });
    expect(response.status).toBe(200);
  });

  test("500 rewards", async () => {
    const rows = Array.from({ length: 500 }, (_, index) => ({ ...row, external_id: `id ${index}` }));
    expect(await imported(JSON.stringify(rows))).toEqual(rows);
  });
});

describe("a row reaches the database", () => {
  test("with optional fields only where they were sent", async () => {
    const rows = [
      { ...row, external_id: "1", description: null, reward_type: "gift" },
      { ...row, external_id: "2", description: "" },
      { ...row, external_id: "3" },
    ];
    expect(await imported(JSON.stringify(rows))).toEqual(rows);
  });

  // Proves: import.10, rows.9
  test.each([
    ["0", 0],
    ["-0", 0],
    ["0.4999999999999999", 0],
    ["0.5", 1],
    ["1.5", 2],
    ["2.5", 3],
    ["1e3", 1000],
    ["9007199254740991", 9007199254740991],
    ["4503599627370495.5", 4503599627370496],
  ])("with points_cost %s rounded to %d", async (sent, stored) => {
    const [checked] = (await imported(`{"external_id":"a","name":"b","points_cost":${sent}}`)) as [
      { points_cost: number },
    ];
    expect(checked.points_cost).toBe(stored);
    expect(service.calls[1]?.args.rewards).toContain(`"points_cost":${stored}}`);
  });

  test("with any Unicode text, at its longest, counted in characters", async () => {
    const rows = [
      {
        external_id: "😀".repeat(255),
        name: "é".repeat(255),
        description: "\u{10ffff}\u2028\n\t".repeat(500),
        points_cost: 1,
        reward_type: "日".repeat(50),
      },
    ];
    expect(await imported(JSON.stringify(rows))).toEqual(rows);
  });
});

describe("rows", () => {
  test("may have the name of a field in several of them, and as a value", async () => {
    const rows = [row, { ...row, external_id: "name", name: "name" }];
    expect(await imported(JSON.stringify({ rewards: rows }))).toEqual(rows);
  });

  test("may have external ids that differ in case, white space or composition only", async () => {
    const rows = ["a", "A", " a", "é", "e\u0301"].map((external_id) => ({ ...row, external_id }));
    expect(await imported(JSON.stringify(rows))).toEqual(rows);
  });
});

describe("a body", () => {
  test("with half a million unknown fields is refused like any other", async () => {
    const body = `{${Array.from({ length: 500_000 }, (_, index) => `"k${index}":1`).join()}}`;
    expect(await refusal(body)).toMatch(/; rewards\[0\]: k16 must be left out; and 499983 more$/);
  });

  test("may have 8 MiB, in however many pieces", async () => {
    service.answer("upsert_rewards", value({ imported: 1 }));
    const body = new TextEncoder().encode(JSON.stringify({ ...row, name: "日本" }).padEnd(8 * 1024 * 1024 - 4));
    expect(body).toHaveLength(8 * 1024 * 1024);
    expect((await service.import(body)).status).toBe(200);
    const bytes = new TextEncoder().encode(JSON.stringify([{ ...row, name: "日本" }]));
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const byte of bytes) controller.enqueue(new Uint8Array([byte]));
        controller.close();
      },
    });
    expect((await service.import(pieces)).status).toBe(200);
  });

  /**
   * A body without end, in pieces of this size. `seen` counts the pieces that were read, and whether the body was
   * cancelled.
   */
  function endless(size: number) {
    const seen = { pieces: 0, cancelled: false };
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          seen.pieces++;
          controller.enqueue(new Uint8Array(size).fill(0x20));
        },
        cancel() {
          seen.cancelled = true;
        },
      },
      { highWaterMark: 0 },
    );
    return { body, seen };
  }

  // Proves: rows.32
  test.each([
    ["in thousands of tiny pieces", 1, 513, "body must come in fewer and larger pieces"],
    ["over 8 MiB", 1024 * 1024, 9, "body must be at most 8 MiB and 500 rewards"],
  ])("%s is not read on", async (_, size, pieces, message) => {
    const { body, seen } = endless(size);
    expect(await problem(await service.import(body))).toEqual([400, message]);
    expect(seen).toEqual({ pieces, cancelled: true });
  });
});
