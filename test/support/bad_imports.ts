// Imports that must be refused, each with its exact text (docs/api.md, Import and Errors), under the statement that they
// prove. They are sent as those of bad_requests.ts.
import { gzipSync } from "node:zlib";
import type { BadRequest, BadRequests } from "./bad_requests.ts";

/** An import with this body that gets a 400. */
const post = (body: string | Uint8Array<ArrayBuffer>, error: string): BadRequest => ({
  method: "POST",
  path: "/rewards",
  body,
  status: 400,
  error,
});

const invalid = "body must be valid JSON";
const empty = "body must not be empty";
const shape = 'body must be a reward, an array of rewards or { "rewards": [ … ] }';
const row = '{"external_id": "bad", "name": "Bad", "points_cost": 1}';

const bytes = (...parts: (string | number[] | Buffer)[]): Uint8Array<ArrayBuffer> =>
  new Uint8Array(
    Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part)))),
  );

/** A row whose name consists of these bytes. */
const named = (name: number[]) => bytes('{"external_id": "bad", "name": "', name, '", "points_cost": 1}');

const bodies: BadRequests = {
  // Proves: errors.2, rows.26
  "a body that is not JSON is refused": [
    ...[" ", "\r\n", "{", "[", row.slice(0, -1), `${row},`, `${row}${row}`, `${row}\n${row}`, `[${row},]`, "nothing"],
    ...["1,}", "01}", "+1}", ".5}", "0x10}", "NaN}", "Infinity}", "undefined}"].map((end) => row.replace("1}", end)),
    ...["B\nad", "B\tad", "B\\xad", "B\\u12"].map((name) => row.replace("Bad", name)),
    ...[row.replaceAll('"', "'"), row.replace('"name"', "name"), `// comment\n${row}`, `\ufeff${row}`, "<reward/>"],
    ...["external_id=bad&name=Bad&points_cost=1", "external_id,name,points_cost\r\nbad,Bad,1\r\n", '"\n"'],
    ...["[".repeat(100_000), '{"rewards":'.repeat(10_000)],
  ].map((body) => post(body, invalid)),

  // Proves: rows.27
  "a body that is not UTF-8 is refused": [
    ...[[0x80], [0xe4], [0xff], [0xc0, 0xaf], [0xc0, 0x80], [0xe0, 0x80, 0xaf], [0xed, 0xa0, 0x80]].map(named),
    ...[
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
      [0xf0, 0x9f, 0x98],
    ].map(named),
    ...[bytes(row, [0xe2]), bytes("[]", [0xf0, 0x9f, 0x98]), bytes([0xff, 0xfe], row), bytes(gzipSync(row))],
    bytes(Buffer.from(row, "utf16le")),
  ]
    .map((body) => post(body, invalid))
    .concat({ ...post(bytes(gzipSync(row)), invalid), headers: { "Content-Encoding": "gzip" } }),

  // Proves: errors.3, rows.28
  "an empty body is refused: no bytes, no rewards": [
    ...["", "[]", " [ ] ", '{"rewards": []}', '{"\\u0072ewards": []}'].map((body) => post(body, empty)),
    { ...post("", empty), headers: { "Content-Type": "application/json" } },
  ],

  // Proves: rows.30, rows.33
  "a body that is neither a reward, nor an array, nor an object with rewards alone is refused": [
    ...["null", "true", "1", "1e400", '"text"', '"[]"', '{"rewards": null}', '{"rewards": {}}', '{"rewards": 5}'],
    ...[`{"rewards": ${row}}`, '{"rewards": "[]"}', `{"rewards": [${row}], "dry_run": true}`],
    ...[`{"rewards": [${row}], "rewards": []}`, `{"rewards": [], "\\u0072ewards": [${row}]}`],
    '{"rewards": [], "external_id": "bad", "name": "Bad", "points_cost": 1}',
  ].map((body) => post(body, shape)),

  // Proves: errors.4, rows.29
  "more than 500 rewards are refused": [
    `[${Array(501).fill(row)}]`,
    `{"rewards": [${Array(501).fill("null")}]}`,
    `[${Array(200_000).fill("{}")}]`,
  ].map((body) => post(body, "body must hold at most 500 rewards")),

  "a body of more than 8 MiB is refused": [
    post(" ".repeat(8 * 1024 * 1024 + 1), "body must be at most 8 MiB and 500 rewards"),
  ],
};

const reward = { external_id: "bad", name: "Bad", points_cost: 1 };

const text = (name: string, most: number) => `${name} must be a string of 1 to ${most} characters`;
const cost = "points_cost must be a number of 0 or more";
const most = "points_cost must be at most 9007199254740991";
const description = "description must be a string of up to 2000 characters or null";
const noObject = "row must be an object";
const shared = "external_id must be unique in the request, rewards[0] has it too";

/** A single reward with one field replaced by this JSON; it is reported as rewards[0]. */
const field = (name: string, json: string, problem: string): BadRequest => {
  const { [name as "name"]: _, ...rest } = reward;
  return post(JSON.stringify(rest).replace("{", `{${JSON.stringify(name)}:${json},`), `rewards[0]: ${problem}`);
};

const wrongTypes = ["null", "5", "true", "[]", "{}", '["a"]'];
const odd = (name: string) => `${name} must be text without NUL and lone surrogates`;
const deep = "[".repeat(50_000) + "]".repeat(50_000);
const objects = `${'{"a":'.repeat(500_000)}1${"}".repeat(500_000)}`;
const leftOut = (name: string, shown = name) => field(name, "1", `${shown} must be left out`);
const problems = (all: string[]): string => all.map((problem) => `rewards[0]: ${problem}`).join("; ");
const ones = (rows: number): string =>
  Array.from({ length: Math.min(20, rows) }, (_, n) => `rewards[${n}]: ${noObject}`).join("; ");

const rewards: BadRequests = {
  // Proves: import.5, rows.21
  "a row must be an object": [
    ...["null", "1", '"a"', "true", "[]", "[{}]", deep].map((one) => post(`[${one}]`, `rewards[0]: ${noObject}`)),
    post(`{"rewards": [null]}`, `rewards[0]: ${noObject}`),
    post(`[${JSON.stringify(reward)}, 7]`, `rewards[1]: ${noObject}`),
  ],

  // Proves: rows.1, rows.34
  "external_id, name and points_cost are required": [
    post("{}", problems([text("external_id", 255), text("name", 255), cost])),
    post('{"name": "Bad", "points_cost": 1}', problems([text("external_id", 255)])),
    post('{"external_id": "bad", "points_cost": 1}', problems([text("name", 255)])),
    post('{"external_id": "bad", "name": "Bad"}', problems([cost])),
    post(
      '[{"External_Id": "bad", "name": "Bad", "points_cost": 1}]',
      problems([text("external_id", 255), "External_Id must be left out"]),
    ),
    // What a row inherits is not what it has.
    post(
      '{"__proto__":{"name":"x"},"external_id":"a","points_cost":1}',
      problems([text("name", 255), "__proto__ must be left out"]),
    ),
  ],

  // Proves: import.7, rows.5, rows.6, rows.15
  "external_id and name must be strings of 1 to 255 characters": ["external_id", "name"].flatMap((name) =>
    [...wrongTypes, '""', JSON.stringify("é".repeat(256)), JSON.stringify("🦔".repeat(256)), deep].map((json) =>
      field(name, json, text(name, 255)),
    ),
  ),

  // Proves: import.8, rows.7, rows.16
  "description must be a string of up to 2000 characters or null": [
    ...["5", "true", "[]", "{}", JSON.stringify("x".repeat(2001))],
  ].map((json) => field("description", json, description)),

  // Proves: import.11, rows.8, rows.17
  "reward_type must be a string of 1 to 50 characters": [...wrongTypes, '""', JSON.stringify("x".repeat(51))].map(
    (json) => field("reward_type", json, text("reward_type", 50)),
  ),

  // Proves: import.9, errors.7, rows.11, rows.18
  "points_cost must be a number of 0 or more, in no quotes": [
    ...["null", "true", "false", "[]", "[1]", "{}", '""', '"1"', '"250"', '"Infinity"', "-1", "-0.1", "-1e-300"],
    ...["-1e400", deep],
  ].map((json) => field("points_cost", json, cost)),

  // Proves: rows.10
  "points_cost must be at most 9007199254740991": [
    ...["9007199254740992", "9007199254740991.5", "1e16", "1e308", "1e400", "9".repeat(400)],
  ].map((json) => field("points_cost", json, most)),

  // Proves: rows.13
  "a text must not hold NUL or lone surrogates": [
    ...["external_id", "name", "description", "reward_type"].map((name) => field(name, '"a\\u0000b"', odd(name))),
    ...['"\\ud800"', '"\\udc00"', '"\\ude00\\ud83d"', '"a\\ud83d"', '"\\ud83d\\ud83d\\ude00"'].map((json) =>
      field("name", json, odd("name")),
    ),
    field("external_id", '"\\udfff"', odd("external_id")),
    field("description", '"\\ud83d x"', odd("description")),
    field("reward_type", '"\\ud83d"', odd("reward_type")),
  ],

  // Proves: rows.19, rows.25
  "a field that a reward does not have must be left out": [
    ...["colour", "id", "company_id", "is_archived", "stock_count", "image_url", "vendor_name", "created_at", "Name"],
    ...["constructor", "__proto__", "toString"],
  ]
    .map((name) => leftOut(name))
    .concat([
      leftOut("", '""'),
      leftOut("points cost", '"points cost"'),
      leftOut("a; b", '"a\\u003b b"'),
      leftOut("\n", '"\\n"'),
      leftOut("\u0000", '"\\u0000"'),
      leftOut("\ud800", '"\\ud800"'),
      leftOut("\u202e", '"\\u202e"'),
      leftOut("é", '"é"'),
      leftOut("😀".repeat(64), `"${"😀".repeat(64)}"`),
      leftOut("x".repeat(65), "a name of 65 characters"),
      post(objects, problems([text("external_id", 255), text("name", 255), cost, "a must be left out"])),
    ]),

  "a field must be given once in a row": [
    post('{"external_id": "bad", "name": "A", "name": "B", "points_cost": 1}', "rewards[0]: name must be given once"),
    post(
      '[{"external_id": "a", "name": "A", "points_cost": 1, "points\\u005fcost": 2}]',
      "rewards[0]: points_cost must be given once",
    ),
    post(
      `[${row}, 5, {"points_cost":1,"name":"}{,\\"[","external_id":"bad","points_cost":-1,"x":{"name":1}}]`,
      `rewards[1]: ${noObject}; rewards[2]: ${shared}; rewards[2]: points_cost must be given once; rewards[2]: x must be left out`,
    ),
    post(
      `{"rewards":[[{"name":1}],${row},{"name":"b","external_id":"c","external_id":"d","points_cost":1}]}`,
      `rewards[0]: ${noObject}; rewards[2]: external_id must be given once`,
    ),
  ],

  // Proves: rows.20
  "external_id must be unique in the request: the later row is named": [
    post(JSON.stringify([reward, reward]), `rewards[1]: ${shared}`),
    post(
      JSON.stringify({ rewards: [reward, { ...reward, external_id: "b" }, { ...reward, name: "Other" }, reward] }),
      `rewards[2]: ${shared}; rewards[3]: ${shared}`,
    ),
    post(
      `[${JSON.stringify(reward)}, {"external_id": "b\\u0061d", "name": "Bad", "points_cost": 1}]`,
      `rewards[1]: ${shared}`,
    ),
  ],

  // Proves: errors.5, rows.22, rows.23
  "all problems of all rows are named, a row's in the order of the fields": [
    post(
      '[{"zebra": 1, "points_cost": "1", "reward_type": "", "colour": 1, "description": 5, "name": "", "external_id": 7}]',
      problems([
        ...[text("external_id", 255), text("name", 255), description, cost, text("reward_type", 50)],
        ...["zebra must be left out", "colour must be left out"],
      ]),
    ),
    post(
      JSON.stringify([reward, { ...reward, external_id: "b", points_cost: -1 }, 5]),
      `rewards[1]: ${cost}; rewards[2]: ${noObject}`,
    ),
  ],

  // Proves: rows.24
  "at most 20 problems are named, then how many more there are": [
    post(`[${Array(20).fill("1")}]`, ones(20)),
    post(`[${Array(21).fill("1")}]`, `${ones(21)}; and 1 more`),
    post(`[${Array(500).fill("1")}]`, `${ones(500)}; and 480 more`),
  ],
};

export const badImports: BadRequests = { ...bodies, ...rewards };
