// Imports that must be refused, each with its exact text (docs/api.md, Import and Errors), under the statement that they
// prove. They are sent as those of bad_requests.ts.
import { gzipSync } from "node:zlib";
import type { BadRequest, BadRequests } from "./bad_requests.ts";

/** An import with this body that gets a 400. */
const post = (body: string | Uint8Array<ArrayBuffer>, error: string): BadRequest => ({
  ...{ method: "POST", path: "/rewards", status: 400 },
  ...{ body, error },
});

const invalid = "body must be valid JSON";
const empty = "body must not be empty";
const compressed = "Unsupported Media Type: the header Content-Encoding must be left out, send the body as it is";
const row = '{"external_id": "bad", "name": "Bad", "points_cost": 1}';

const badText = "the text that begins at character 32";
const badEscape = `${badText} has a control character or a wrong escape`;
const number = "at character 54";

/** Bodies, and where each is wrong; one that begins with … is the row with this end. */
const notJson = {
  "{": "it ends too early, at character 2",
  [row.slice(0, -1)]: "it ends too early, at character 55",
  ["[".repeat(20_000)]: "it ends too early, at character 20001",
  nothing: "nothing at character 1",
  [`${row},`]: '"," at character 56',
  [`[${row},]`]: '"]" at character 58',
  [`[${row}\n${row}]`]: '"{" at line 2, character 1',
  "…1,}": '"}" at character 56',
  "…1 2}": '"2" at character 56',
  "…1]": '"]" at character 55',
  "…01}": `"0" ${number}`,
  "…+1}": `"+" ${number}`,
  "….5}": `"." ${number}`,
  "…0x10}": `"0" ${number}`,
  "…NaN}": `NaN ${number}`,
  "…-Infinity}": `"-Infinity" ${number}`,
  [row.replace("Bad", "B\nad")]: badEscape,
  [row.replace("Bad", "B\\xad")]: badEscape,
  [row.replace("Bad", "B\\u12")]: badEscape,
  [row.slice(0, 34)]: `${badText} has no end`,
  [row.replaceAll('"', "'")]: '"\'" at character 2',
  [row.replace('"name"', "name")]: "name at character 24",
  [`// comment\n${row}`]: '"/" at character 1',
  "<reward/>": '"<" at character 1',
  "external_id,name\r\nbad,Bad\r\n": "external_id at character 1",
};

/** A row whose name consists of these bytes. */
const named = (...name: number[]) => Buffer.from(row.replace("Bad", String.fromCharCode(...name)), "latin1");

const bodies: BadRequests = {
  // Proves: errors.2, rows.26
  "the body is JSON": Object.entries(notJson).map(([body, where]) =>
    post(body.startsWith("…") ? row.replace("1}", body.slice(1)) : body, `${invalid}: ${where}`),
  ),
  // Proves: rows.27
  "the body is UTF-8": [
    ...["80", "e4", "c0af", "eda080", "f4908080", "f09f98", "efbc"]
      .map((hex) => Buffer.from(hex, "hex"))
      .map((bytes) => [named(...bytes), 33, bytes[0]] as const),
    // Behind a character that stands for such a byte elsewhere, and is right here.
    [Buffer.concat([Buffer.from(row.slice(0, 33).replace("{", "{\ufffd")), Buffer.from([0xff])]), 37, 0xff] as const,
    [gzipSync(row), 2, 0x8b] as const,
  ].map(([body, place, byte = 0]) => {
    const shown = byte.toString(16).toUpperCase();
    return post(new Uint8Array(body), `${invalid}: byte ${place} (0x${shown}) is not UTF-8`);
  }),
  // Proves: errors.3, rows.28
  "the body has at least one reward": [
    ...["", "[]", " [ ] ", '{"rewards": []}', '{"\\u0072ewards": []}'].map((body) => post(body, empty)),
    { ...post("", empty), headers: { "Content-Type": "application/json" } },
  ],
  // Proves: rows.30, rows.33
  "the body is a reward, an array of rewards, or an object with rewards alone": [
    ...["null", "true", "1e400", '"[]"', '{"rewards": null}', '{"rewards": {}}', `{"rewards": ${row}}`],
    ...[`{"rewards": [${row}], "dry_run": true}`, `{"rewards": [], ${row.slice(1)}`],
  ].map((body) => post(body, 'body must be a reward, an array of rewards or { "rewards": [ … ] }')),
  "the body is sent as it is, not compressed": [
    { ...post(row, compressed), status: 415, headers: { "Content-Encoding": "gzip" } },
  ],
  // Proves: errors.4, import.4, limits.3, rows.29
  "the body has at most 500 rewards, and 8 MiB": [
    ...[`[${Array(501).fill(row)}]`, `{"rewards": [${Array(501).fill("null")}]}`, `[${Array(10_000).fill("{}")}]`].map(
      (body) => post(body, "body must hold at most 500 rewards"),
    ),
    post(" ".repeat(8 * 1024 * 1024 + 1), "body must be at most 8 MiB and 500 rewards"),
  ],
};

const manyValues: BadRequests = {
  "an object has each field once, at any depth": [
    ...[`{"name": "A", ${row.slice(1)}`, `[${row}, ${row.replace("{", '{"na\\u006de": 1, ')}]`, '{"":{"":1,"":1}}'],
    ...[`[${row}, 5, [{"a": [{"b,:{": "\\"", "b,:{": 1}]}]]`, `[${row.replace("1", '{"a":1,"a":1}')}]`],
    ...[`{"rewards": [${row}], "rewards": []}`, `{"rewards": [], "\\u0072ewards": [${row}]}`],
  ].map((body) => post(body, "body must not have a field twice")),
  // Proves: requests.7
  "the body has at most 20,000 commas, colons and opening brackets": [
    ...["[".repeat(20_001), `[${"1,".repeat(20_000)}1]`, `${'{"a":'.repeat(10_001)}1`, `${"{}".repeat(20_001)}`],
  ].map((body) => post(body, "body must hold at most 20000 values")),
};

const text = (name: string, most: number) => `${name} must be a string of 1 to ${most} characters`;
const description = "description must be a string of up to 2000 characters or null";
const cost = "points_cost must be a number of 0 or more";
const stock = "stock_count must be an integer of 0 or more, or null";
const image = "image_url must be an http or https address of up to 2000 characters or null";
const vendor = "vendor_name must be a string of 1 to 255 characters or null";
const highest = "points_cost must be at most 9007199254740991";
const noObject = "row must be an object";
const shared = "external_id must be unique in the request, rewards[0] has it too";

const problems = (...all: string[]): string => all.map((problem) => `rewards[0]: ${problem}`).join("; ");
/** Single rewards with one field replaced by each of these JSON values. */
const fields = (name: string, all: string[], problem: string): BadRequest[] =>
  all.map((json) => {
    const { [name as "name"]: _, ...rest } = { external_id: "bad", name: "Bad", points_cost: 1 };
    return post(JSON.stringify(rest).replace("{", `{${JSON.stringify(name)}:${json},`), problems(problem));
  });

const wrongTypes = ["null", "5", "true", "[]", "{}", '["a"]'];
const long = (length: number) => JSON.stringify("🦔".repeat(length));
const odd = (name: string) => `${name} must be text without NUL and lone surrogates`;
const deep = "[".repeat(19_900) + "]".repeat(19_900);
const leftOut = (name: string, shown = name) => fields(name, ["1"], `${shown} must be left out`);
const ones = (rows: number): string =>
  Array.from({ length: Math.min(20, rows) }, (_, n) => `rewards[${n}]: ${noObject}`).join("; ");

const rewards: BadRequests = {
  // Proves: import.5, rows.21
  "a row must be an object": [
    ...["null", "1", '"a"', "[]", "[{}]", deep].map((one) => post(`[${one}]`, problems(noObject))),
    post(`{"rewards": [null]}`, problems(noObject)),
    post(`[${row}, 7]`, `rewards[1]: ${noObject}`),
  ],
  // Proves: rows.1, rows.34
  "external_id, name and points_cost are required": [
    post("{}", problems(text("external_id", 255), text("name", 255), cost)),
    post(`[${row.replace("e", "E")}]`, problems(text("external_id", 255), "External_id must be left out")),
    // What a row inherits is not what it has.
    post(
      '{"__proto__":{"name":"x"},"external_id":"a","points_cost":1}',
      problems(text("name", 255), "__proto__ must be left out"),
    ),
  ],
  // Proves: import.7, rows.5, rows.6, rows.15
  "external_id and name must be strings of 1 to 255 characters": ["external_id", "name"].flatMap((name) =>
    fields(name, [...wrongTypes, '""', long(256), deep], text(name, 255)),
  ),
  // Proves: import.8, rows.7, rows.16
  "description must be a string of up to 2000 characters or null": [
    ...fields("description", ["5", "true", "[]", "{}", long(2001)], description),
  ],
  // Proves: import.11, rows.8, rows.17
  "reward_type must be a string of 1 to 50 characters": [
    ...fields("reward_type", [...wrongTypes, '""', long(51)], text("reward_type", 50)),
  ],
  // Proves: import.9, errors.7, rows.11, rows.18
  "points_cost must be a number of 0 or more, in no quotes": [
    ...fields("points_cost", ["null", "false", "[1]", "{}", '""', '"250"', '"Infinity"'], cost),
    ...fields("points_cost", ["-1", "-1e-300", "-1e400", deep], cost),
  ],
  // Proves: rows.10
  "points_cost must be at most 9007199254740991": [
    ...fields("points_cost", ["9007199254740992", "9007199254740991.5", "1e308", "1e400", "9".repeat(400)], highest),
  ],
  // Proves: rows.44
  "is_archived must be true or false": fields(
    "is_archived",
    ["null", "0", '"true"', "[]"],
    "is_archived must be true or false",
  ),
  // Proves: rows.44
  "stock_count must be an integer of 0 or more, or null": [
    ...fields("stock_count", ["-1", "0.5", '"7"', "true", "{}", "1e400"], stock),
    ...fields("stock_count", ["2147483648", "1e300"], "stock_count must be at most 2147483647"),
  ],
  // Proves: rows.44
  "image_url must be an http or https address": [
    ...fields("image_url", ["5", "true"], image),
    ...["", "mug.png", "//example.com/mug.png", "ftp://example.com/mug.png", "javascript:alert(1)", "https://"],
    ...["https://example.com:port/", "https://exa mple.com/", "https://example.com/a b", " https://example.com/"],
    `https://example.com/${"a".repeat(1981)}`,
  ].flatMap((one) => (typeof one === "string" ? fields("image_url", [JSON.stringify(one)], image) : one)),
  // Proves: rows.44
  "vendor_name must be a string of 1 to 255 characters or null": [
    ...fields("vendor_name", ["5", "true", '""', long(256)], vendor),
  ],
  // Proves: rows.13
  "a text has no NUL and no lone surrogates": [
    ...["external_id", "name", "description", "reward_type", "vendor_name"],
  ].flatMap((name) => fields(name, ['"a\\u0000b"', '"\\ud83d x"', '"\\udfff"', '"\\ud83d\\ud83d\\ude00"'], odd(name))),
  // Proves: rows.19, rows.25, risk.3
  "a row has only the fields of a reward": [
    ...["id", "company_id", "created_at", "vendor", "Name", "toString"].flatMap((name) => leftOut(name)),
    ...["", "points cost", "\n", "\ud800", "é"].flatMap((name) => leftOut(name, JSON.stringify(name))),
    ...[leftOut("a; b", '"a\\u003b b"'), leftOut("\u202e", '"\\u202e"')].flat(),
    ...leftOut("x".repeat(65), "a name of 65 characters"),
    post(
      `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`,
      problems(text("external_id", 255), text("name", 255), cost, "a must be left out"),
    ),
  ],
  // Proves: rows.20
  "an external_id occurs once in a request; the error names the later row": [
    post(
      `{"rewards": [${[row, row.replace("bad", "b"), row.replace("Bad", "Other"), row]}]}`,
      `rewards[2]: ${shared}; rewards[3]: ${shared}`,
    ),
    post(`[${row}, ${row.replace("bad", "b\\u0061d")}]`, `rewards[1]: ${shared}`),
  ],
  // Proves: errors.5, errors.7, import.13, rows.14, rows.22, rows.23
  "one answer names the problems of all rows, those of a row in the order of the fields": [
    post(
      '[{"zebra": 1, "vendor_name": 1, "image_url": 1, "stock_count": "1", "is_archived": 1, "points_cost": "1", "reward_type": "", "colour": 1, "description": 5, "name": "", "external_id": 7}, 5]',
      `${problems(
        ...[text("external_id", 255), text("name", 255), description, cost, text("reward_type", 50)],
        ...["is_archived must be true or false", stock, image, vendor],
        ...["zebra must be left out", "colour must be left out"],
      )}; rewards[1]: ${noObject}`,
    ),
  ],
  // Proves: rows.24
  "one answer names at most 20 problems, and how many more there are": [
    post(`[${Array(20).fill("1")}]`, ones(20)),
    post(`[${Array(21).fill("1")}]`, `${ones(21)}; and 1 more`),
  ],
};

export const badImports: BadRequests = { ...bodies, ...manyValues, ...rewards };
