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

const refusalOf = (fields: object) => refusal(JSON.stringify({ ...row, ...fields }));

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
    ["a reward", row],
    ["an array", [row]],
    ["an object with rewards", { rewards: [row] }],
  ])("%s", async (_form, body) => {
    expect(await imported(JSON.stringify(body))).toEqual([row]);
  });

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

describe("a field", () => {
  const externalId = "external_id must be a string of 1 to 255 characters";
  const name = "name must be a string of 1 to 255 characters";
  const description = "description must be a string of up to 2000 characters or null";
  const rewardType = "reward_type must be a string of 1 to 50 characters";
  const cost = "points_cost must be a number of 0 or more";
  const tooMuch = "points_cost must be at most 9007199254740991";
  test.each<[object, string]>([
    ...[undefined, null, "", 5, true, ["a"], { a: 1 }, "x".repeat(256), "😀".repeat(256)].map(
      (sent): [object, string] => [{ external_id: sent }, externalId],
    ),
    ...[undefined, null, "", 5, "x".repeat(256)].map((sent): [object, string] => [{ name: sent }, name]),
    ...[5, false, ["a"], "x".repeat(2001)].map((sent): [object, string] => [{ description: sent }, description]),
    ...[null, "", 5, "x".repeat(51)].map((sent): [object, string] => [{ reward_type: sent }, rewardType]),
    ...[undefined, null, "5", "", true, [5], {}, -1, -0.4].map((sent): [object, string] => [
      { points_cost: sent },
      cost,
    ]),
    ...[9007199254740992, 1e300].map((sent): [object, string] => [{ points_cost: sent }, tooMuch]),
    [{ name: "a\0" }, "name must be text without NUL and lone surrogates"],
    [{ external_id: "\ud800" }, "external_id must be text without NUL and lone surrogates"],
    [{ description: "a\udc00b" }, "description must be text without NUL and lone surrogates"],
    [{ reward_type: "\0" }, "reward_type must be text without NUL and lone surrogates"],
    [{ colour: "red" }, "colour must be left out"],
    [{ Name: "x" }, "Name must be left out"],
    [{ id: "x" }, "id must be left out"],
    [{ constructor: 1 }, "constructor must be left out"],
    [{ toString: 1 }, "toString must be left out"],
    [{ "two words": 1 }, '"two words" must be left out'],
    [{ "a; b": 1 }, String.raw`"a\u003b b" must be left out`],
    [{ "\n": 1 }, String.raw`"\n" must be left out`],
    [{ "\ud800": 1 }, String.raw`"\ud800" must be left out`],
    [{ "": 1 }, '"" must be left out'],
    [{ ["😀".repeat(64)]: 1 }, `"${"😀".repeat(64)}" must be left out`],
    [{ ["x".repeat(65)]: 1 }, "a name of 65 characters must be left out"],
  ])("%#: %o", async (fields, message) => {
    expect(await refusalOf(fields)).toBe(`rewards[0]: ${message}`);
  });

  test("__proto__ is unknown like any other", async () => {
    const body = '{"__proto__":{"name":"x"},"external_id":"a","name":"b","points_cost":1}';
    expect(await refusal(body)).toBe("rewards[0]: __proto__ must be left out");
  });

  test("does not come from __proto__", async () => {
    const body = '{"__proto__":{"name":"x"},"external_id":"a","points_cost":1}';
    expect(await refusal(body)).toContain("name must be a string");
  });

  test.each(["1e400", "99999999999999999999"])("points_cost %s is too much", async (number) => {
    const body = `{"external_id":"a","name":"b","points_cost":${number}}`;
    expect(await refusal(body)).toBe("rewards[0]: points_cost must be at most 9007199254740991");
  });

  test("must be given once", async () => {
    const twice = '{"external_id":"a","name":"b","points_cost":1,"na\\u006de" : "c"}';
    expect(await refusal(twice)).toBe("rewards[0]: name must be given once");
    const inRows = `[${JSON.stringify(row)}, 5, {"points_cost":1,"name":"}{,\\"[","external_id":"a","points_cost":-1,"x":{"name":1}}]`;
    expect(await refusal(inRows)).toBe(
      "rewards[1]: row must be an object; rewards[2]: external_id must be unique in the request, rewards[0] has it too; " +
        "rewards[2]: points_cost must be given once; rewards[2]: x must be left out",
    );
    const wrapped = `{"rewards":[[{"name":1}],${JSON.stringify(row)},{"name":"b","external_id":"c","external_id":"d","points_cost":1}]}`;
    expect(await refusal(wrapped)).toBe(
      "rewards[0]: row must be an object; rewards[2]: external_id must be given once",
    );
  });

  test("may stand in several rows, and as a value", async () => {
    const rows = [row, { ...row, external_id: "name", name: "name" }];
    expect(await imported(JSON.stringify({ rewards: rows }))).toEqual(rows);
  });
});

describe("rows", () => {
  test("must be objects", async () => {
    const message = [null, 5, "a", [], true].map((_, index) => `rewards[${index}]: row must be an object`).join("; ");
    expect(await refusal(JSON.stringify([null, 5, "a", [], true]))).toBe(message);
  });

  test("must not share an external_id; each names the first that has it", async () => {
    const rows = [row, { ...row, external_id: "b" }, row, row];
    const shared = "external_id must be unique in the request, rewards[0] has it too";
    expect(await refusal(JSON.stringify(rows))).toBe(`rewards[2]: ${shared}; rewards[3]: ${shared}`);
  });

  test("may have external ids that differ in case, white space or composition only", async () => {
    const rows = ["a", "A", " a", "é", "e\u0301"].map((external_id) => ({ ...row, external_id }));
    expect(await imported(JSON.stringify(rows))).toEqual(rows);
  });

  test("have their problems told in the order of the fields, unknown ones last", async () => {
    const body = [
      row,
      { zebra: 1, reward_type: 5, points_cost: -1, description: 5, name: "", external_id: "", ant: 1 },
    ];
    expect(await refusal(JSON.stringify(body))).toBe(
      [
        "external_id must be a string of 1 to 255 characters",
        "name must be a string of 1 to 255 characters",
        "description must be a string of up to 2000 characters or null",
        "points_cost must be a number of 0 or more",
        "reward_type must be a string of 1 to 50 characters",
        "zebra must be left out",
        "ant must be left out",
      ]
        .map((problem) => `rewards[1]: ${problem}`)
        .join("; "),
    );
  });

  test("have at most 20 problems told", async () => {
    const message = await refusal(JSON.stringify(Array.from({ length: 21 }, () => 1)));
    expect(message.split("; ")).toHaveLength(21);
    expect(message).toMatch(/rewards\[19\]: row must be an object; and 1 more$/);
    expect((await refusal(JSON.stringify(Array.from({ length: 20 }, () => 1)))).split("; ")).toHaveLength(20);
  });
});

describe("a body", () => {
  const shape = 'body must be a reward, an array of rewards or { "rewards": [ … ] }';
  const invalid = "body must be valid JSON";
  const wrapped = (rows: object[], more = {}) => JSON.stringify({ rewards: rows, ...more });
  test.each<[problem: string, ...bodies: string[]]>([
    ["body must not be empty", "", "[]", '{"rewards": []}'],
    [invalid, " ", "{", "nothing", "{}{}", "{'name':'a'}", '{"name":"a",}', "\ufeff[]", '"\n"'],
    [invalid, '{"points_cost":NaN}', '{"points_cost":01}'],
    [shape, "5", "null", "true", '"rewards"', '{"rewards":null}', '{"rewards":{}}', '{"rewards":[],"rewards":[]}'],
    [shape, wrapped([row], { name: "a" }), wrapped([], { name: "a" })],
    ["body must hold at most 500 rewards", JSON.stringify(Array(501).fill(5)), wrapped(Array(501).fill(row))],
  ])("is refused: %s (%#)", async (message, ...bodies) => {
    for (const body of bodies) expect(await refusal(body), body.slice(0, 80)).toBe(message);
  });

  test.each([
    ["a lone continuation byte", [0x22, 0x80, 0x22]],
    ["Latin-1", [0x22, 0xe4, 0x22]],
    ["an overlong form", [0x22, 0xc0, 0x80, 0x22]],
    ["a surrogate", [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ["an end in mid-character", [0x22, 0xf0, 0x9f, 0x98]],
    ["an end in mid-character after a whole value", [0x5b, 0x5d, 0xf0, 0x9f, 0x98]],
    ["UTF-16", [0xff, 0xfe, 0x5b, 0x00, 0x5d, 0x00]],
  ])("that is not UTF-8 is no JSON: %s", async (_what, bytes) => {
    expect(await refusal(new Uint8Array(bytes))).toBe(invalid);
  });

  test("that is nested a million times deep is refused like any other", async () => {
    expect(await refusal("[".repeat(1_000_000) + "]".repeat(1_000_000))).toBe("rewards[0]: row must be an object");
    expect(await refusal(`${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`)).toContain("a must be left out");
  });

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

  test.each([
    ["in thousands of tiny pieces", 1, 513, "body must come in fewer and larger pieces"],
    ["over 8 MiB", 1024 * 1024, 9, "body must be at most 8 MiB and 500 rewards"],
  ])("%s is not read on", async (_, size, pieces, message) => {
    const { body, seen } = endless(size);
    expect(await problem(await service.import(body))).toEqual([400, message]);
    expect(seen).toEqual({ pieces, cancelled: true });
  });
});
