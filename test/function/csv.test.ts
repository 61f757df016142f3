import Papa from "papaparse";
import { describe, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { internalServerError, list, startService, withLength } from "../support/service.ts";

const service = await startService();

const member = {
  id: "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d",
  name: "Ann",
  email: "ann@example.org",
  role: "admin",
  team_id: null,
  team_name: "No Team",
  created_at: "2026-11-21T10:15:30.123456Z",
};
const kudos = {
  id: member.id,
  timestamp: member.created_at,
  sender_name: "Ann",
  sender_email: "ann@example.org",
  receiver_name: "Bo",
  receiver_email: "bo@example.org",
  message: "Thanks",
  category: "",
};
const reward = {
  id: member.id,
  name: "Tea",
  description: null,
  points_cost: 9007199254740991,
  reward_type: "perk",
  stock_count: 0,
  image_url: null,
  vendor_name: "",
  is_archived: false,
  created_at: member.created_at,
};
const pulse = {
  id: member.id,
  timestamp: member.created_at,
  question: "How?",
  response_type: "scale",
  value: 4,
  comment: "",
};

/** The endpoints that are lists, each with its path and its RPC. */
const lists = endpoints.filter((endpoint) => endpoint.kind === "list");

async function csvOf(path: string, rpc: string, json: string): Promise<string> {
  service.answer(rpc, list(json));
  const response = await service.send(path);
  expect(response.status).toBe(200);
  // Not text(), which would remove a byte-order mark.
  return Buffer.from(await response.arrayBuffer()).toString();
}

const membersCsv = (rows: object[], query = "") =>
  csvOf(`/members?format=csv${query}`, "list_members", JSON.stringify(rows));
const pulseCsv = (values: string, query = "") =>
  csvOf(
    `/pulse-responses?format=csv${query}`,
    "list_pulse_responses",
    `[${JSON.stringify(pulse).replace('"value":4', `"value":${values}`)}]`,
  );

/** The cells of the first row after the header, read by papaparse. */
const cells = (csv: string): string[] => Papa.parse<string[]>(csv, { skipEmptyLines: true }).data[1] ?? [];

test("a list as CSV, byte for byte", async () => {
  expect(await membersCsv([member, { ...member, name: "Bo", team_id: member.id, team_name: "Ops" }])).toBe(
    "id,name,email,role,team_id,team_name,created_at\r\n" +
      "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d,Ann,ann@example.org,admin,,No Team,2026-11-21T10:15:30.123456Z\r\n" +
      "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d,Bo,ann@example.org,admin,0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d,Ops,2026-11-21T10:15:30.123456Z\r\n",
  );
});

// Proves: responses.13, responses.14
test("integers and booleans as JSON has them, null as an empty cell", async () => {
  const csv = await csvOf(
    "/rewards?format=csv",
    "list_rewards",
    JSON.stringify([reward, { ...reward, is_archived: true }]),
  );
  expect(csv.split("\r\n").slice(1)).toEqual([
    `${member.id},Tea,,9007199254740991,perk,0,,,false,${member.created_at}`,
    `${member.id},Tea,,9007199254740991,perk,0,,,true,${member.created_at}`,
    "",
  ]);
});

test("fields that a newer database adds are left out", async () => {
  const { id, ...rest } = member;
  expect(await membersCsv([{ id, phone: ["="], ...rest, joined_at: null }])).toBe(await membersCsv([member]));
});

describe.each(lists)("$path", ({ path, rpc, columns }) => {
  test("without rows is the header alone", async () => {
    expect(await csvOf(`${path}?format=csv`, rpc, "[]")).toBe(`${columns.map(({ name }) => name).join(",")}\r\n`);
  });

  test("has the headers of a CSV file", async () => {
    service.answer(rpc, list("[]", { hasMore: true }));
    const { headers } = await service.send(`${path}?format=csv`);
    expect(headers.get("Content-Type")).toBe("text/csv; charset=utf-8; header=present");
    expect(headers.get("Content-Disposition")).toBe(`attachment; filename="${path.slice(1)}.csv"`);
    expect(headers.get("X-Has-More")).toBe("true");
  });
});

test("the file of an alias is named after the resource", async () => {
  const { headers } = await service.send("/users/?format=csv");
  expect(headers.get("Content-Disposition")).toBe('attachment; filename="members.csv"');
});

describe("text survives", () => {
  test.each([
    ["comma", "a,b"],
    ["quotes", '"a" and ""'],
    ["line feed", "a\nb"],
    ["carriage return", "a\rb\r"],
    ["line break at the end", "a\r\n"],
    ["spaces around", "  a "],
    ["a quote alone", '"'],
    ["accents, CJK, emoji", "Größe, 日本語, 👩‍👩‍👧"],
    ["right-to-left", "\u202eabc\u202c"],
    ["a byte-order mark", "\ufeffa"],
    ["a semicolon and a tab", "a;b\tc"],
    ["a formula", "=1+1"],
    ["control characters", "\u0001\u007f\u0085\u2028"],
  ])("%s", async (_what, name) => {
    expect(cells(await membersCsv([{ ...member, name }]))[1]).toBe(name);
  });

  test("at the end of a file, where its line break could be taken for the last one", async () => {
    const csv = await csvOf("/activity?format=csv", "list_activity", JSON.stringify([{ ...kudos, category: "a\r\n" }]));
    expect(csv.endsWith('"a\r\n"\r\n')).toBe(true);
  });
});

describe("the value of a pulse answer", () => {
  test.each([
    // Proves: responses.15
    ['"plain, text"', "plain, text"],
    ['"\\"quoted\\""', '"quoted"'],
    ['""', ""],
    ["null", ""],
    ["4", "4"],
    ["1.10", "1.10"],
    ["-0.0", "-0.0"],
    ["1e400", "1e400"],
    ["12345678901234567890", "12345678901234567890"],
    ["true", "true"],
    ["false", "false"],
    ['["a",1.50,null]', '["a",1.50,null]'],
    // Proves: responses.16
    ['{"a": {"b": [0.10]}}', '{"a":{"b":[0.10]}}'],
    ['{"__proto__":1}', '{"__proto__":1}'],
    ["[]", "[]"],
    ['"4"', "4"],
    ['"null"', "null"],
  ])("%s", async (json, cell) => {
    expect(cells(await pulseCsv(json))[4]).toBe(cell);
  });
});

describe("escape_formulas=true", () => {
  test.each(["=1+1", "+1", "-1", "@here", "\tx", "\rx", "=cmd\nsecond line", "-"])("puts ' before %j", async (text) => {
    const row = cells(
      await membersCsv([{ ...member, name: text, role: text, team_name: text }], "&escape_formulas=true"),
    );
    expect([row[1], row[3], row[5]]).toEqual([`'${text}`, `'${text}`, `'${text}`]);
    expect(cells(await pulseCsv(JSON.stringify(text), "&escape_formulas=true"))[4]).toBe(`'${text}`);
  });

  test.each(["a=1", "", " =1", "'=1", "\n=1", "1-1", "ümlaut"])("leaves %j alone", async (text) => {
    expect(cells(await membersCsv([{ ...member, name: text }], "&escape_formulas=true"))[1]).toBe(text);
  });

  // Proves: requests.43
  test("never touches numbers, ids, date-times, booleans and other JSON", async () => {
    for (const json of ["-5", "-1.50", '["=1"]', '{"a":"=1"}', "true"]) {
      expect(cells(await pulseCsv(json, "&escape_formulas=true"))[4]).toBe(json);
    }
    const rewards = JSON.stringify([{ ...reward, id: "=1", points_cost: -5, stock_count: -1, created_at: "-1" }]);
    const csv = await csvOf("/rewards?format=csv&escape_formulas=true", "list_rewards", rewards);
    expect(csv.split("\r\n")[1]).toBe("=1,Tea,,-5,perk,-1,,,false,-1");
  });
});

// Proves: responses.19
test("errors are JSON also for format=csv", async () => {
  const response = await service.send("/members?format=csv&limit=0");
  expect(response.headers.get("Content-Type")).toBe("application/json");
  expect(response.headers.get("Content-Disposition")).toBeNull();
});

// Proves: requests.58
test("rows that are no JSON are a failure, not half a file", async () => {
  for (const path of ["/members", "/pulse-responses"]) {
    for (const body of ["", '[{"id":', '[{"id":"a"}', "<html>"]) {
      service.answer("any", withLength(list(body)));
      const response = await service.send(`${path}?format=csv`);
      expect([response.status, await response.json()]).toEqual([500, internalServerError]);
      service.answer("any", list(body));
      await expect((await service.send(`${path}?format=csv`)).text()).rejects.toThrow();
    }
  }
});

describe("the value of a pulse answer, however deep or long,", () => {
  test.each([
    ["nested 100,000 levels deep", "[".repeat(100_000) + "]".repeat(100_000)],
    ["of objects 100,000 levels deep", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
    ["with 131,072 digits", `1${"0".repeat(131_071)}`],
    ["with such a number inside", `{"a":[1${"0".repeat(131_071)}]}`],
  ])("%s is answered as it is", async (_what, text) => {
    expect(cells(await pulseCsv(text))[4]).toBe(text);
    service.answer("list_pulse_responses", list(`[{"value":${text}}]`, { rows: 1 }));
    expect(await (await service.send("/pulse-responses")).text()).toBe(`[{"value":${text}}]`);
  });

  test("has no white space but that of its texts", async () => {
    const value = '{"a b": [1, 2.50,\n {"c\\" : ": "d  e\\\\"}], "f": true}';
    expect(cells(await pulseCsv(value))[4]).toBe('{"a b":[1,2.50,{"c\\" : ":"d  e\\\\"}],"f":true}');
  });
});
