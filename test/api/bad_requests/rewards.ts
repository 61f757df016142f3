// The rows of an import (docs/api.md, Import and Errors).
import { type BadRequest, type BadRequests, post } from "./bad_request.ts";

const reward = { external_id: "bad", name: "Bad", points_cost: 1 };

const text = (name: string, most: number) => `${name} must be a string of 1 to ${most} characters`;
const cost = "points_cost must be a number of 0 or more";
const most = "points_cost must be at most 9007199254740991";
const description = "description must be a string of up to 2000 characters or null";

/** A single reward with one field replaced by this JSON; it is reported as rewards[0]. */
const field = (name: string, json: string, problem: string): BadRequest => {
  const { [name as "name"]: _, ...rest } = reward;
  return post(JSON.stringify(rest).replace("{", `{${JSON.stringify(name)}:${json},`), `rewards[0]: ${problem}`);
};

const wrongTypes = ["null", "5", "true", "[]", "{}", '["a"]'];
const odd = (name: string) => `${name} must be text without NUL and lone surrogates`;
const deep = "[".repeat(50_000) + "]".repeat(50_000);
const leftOut = (json: string, shown: string) => field(json, "1", `${shown} must be left out`);

export const rewards: BadRequests = {
  "a row must be an object": [
    ...["null", "1", '"a"', "true", "[]", "[{}]"].map((row) => post(`[${row}]`, "rewards[0]: row must be an object")),
    post(`{"rewards": [null]}`, "rewards[0]: row must be an object"),
    post(`[${JSON.stringify(reward)}, 7]`, "rewards[1]: row must be an object"),
    post(`[${deep}]`, "rewards[0]: row must be an object"),
  ],

  "external_id, name and points_cost are required": [
    post("{}", `rewards[0]: ${text("external_id", 255)}; rewards[0]: ${text("name", 255)}; rewards[0]: ${cost}`),
    post('{"name": "Bad", "points_cost": 1}', `rewards[0]: ${text("external_id", 255)}`),
    post('{"external_id": "bad", "points_cost": 1}', `rewards[0]: ${text("name", 255)}`),
    post('{"external_id": "bad", "name": "Bad"}', `rewards[0]: ${cost}`),
    post(
      '[{"External_Id": "bad", "name": "Bad", "points_cost": 1}]',
      `rewards[0]: ${text("external_id", 255)}; rewards[0]: External_Id must be left out`,
    ),
  ],

  "external_id and name must be strings of 1 to 255 characters": ["external_id", "name"].flatMap((name) =>
    [...wrongTypes, '""', JSON.stringify("é".repeat(256)), JSON.stringify("🦔".repeat(256)), deep].map((json) =>
      field(name, json, text(name, 255)),
    ),
  ),

  "description must be a string of up to 2000 characters or null": [
    "5",
    "true",
    "[]",
    "{}",
    JSON.stringify("x".repeat(2001)),
  ].map((json) => field("description", json, description)),

  "reward_type must be a string of 1 to 50 characters": [...wrongTypes, '""', JSON.stringify("x".repeat(51))].map(
    (json) => field("reward_type", json, text("reward_type", 50)),
  ),

  "points_cost must be a number of 0 or more, in no quotes": [
    ...[
      "null",
      "true",
      "false",
      "[]",
      "[1]",
      "{}",
      '""',
      '"1"',
      '"250"',
      '"Infinity"',
      "-1",
      "-0.1",
      "-1e-300",
      "-1e400",
      deep,
    ],
  ].map((json) => field("points_cost", json, cost)),

  "points_cost must be at most 9007199254740991": [
    "9007199254740992",
    "9007199254740991.5",
    "1e16",
    "1e308",
    "1e400",
    "9".repeat(400),
  ].map((json) => field("points_cost", json, most)),

  "a text must not hold NUL or lone surrogates": [
    ...["external_id", "name", "description", "reward_type"].map((name) => field(name, '"a\\u0000b"', odd(name))),
    ...['"\\ud800"', '"\\udc00"', '"\\ude00\\ud83d"', '"a\\ud83d"', '"\\ud83d\\ud83d\\ude00"'].map((json) =>
      field("name", json, odd("name")),
    ),
    field("external_id", '"\\udfff"', odd("external_id")),
    field("description", '"\\ud83d x"', odd("description")),
    field("reward_type", '"\\ud83d"', odd("reward_type")),
  ],

  "a field that a reward does not have must be left out": [
    ...[
      "colour",
      "id",
      "company_id",
      "is_archived",
      "stock_count",
      "image_url",
      "vendor_name",
      "created_at",
      "Name",
      "constructor",
    ].map((name) => leftOut(name, name)),
    leftOut("__proto__", "__proto__"),
    leftOut("toString", "toString"),
    leftOut("", '""'),
    leftOut("points cost", '"points cost"'),
    leftOut("a; b", '"a\\u003b b"'),
    leftOut("\u0000", '"\\u0000"'),
    leftOut("\u202e", '"\\u202e"'),
    leftOut("é", '"é"'),
    leftOut("x".repeat(65), "a name of 65 characters"),
  ],

  "a field must be given once in a row": [
    post('{"external_id": "bad", "name": "A", "name": "B", "points_cost": 1}', "rewards[0]: name must be given once"),
    post(
      '[{"external_id": "a", "name": "A", "points_cost": 1, "points\\u005fcost": 2}]',
      "rewards[0]: points_cost must be given once",
    ),
    post(
      '{"rewards": [{"external_id": "a", "external_id": "a", "name": "A", "points_cost": 1}]}',
      "rewards[0]: external_id must be given once",
    ),
  ],

  "external_id must be unique in the request: the later row is named": [
    post(
      JSON.stringify([reward, reward]),
      "rewards[1]: external_id must be unique in the request, rewards[0] has it too",
    ),
    post(
      JSON.stringify({ rewards: [reward, { ...reward, external_id: "b" }, { ...reward, name: "Other" }, reward] }),
      "rewards[2]: external_id must be unique in the request, rewards[0] has it too; " +
        "rewards[3]: external_id must be unique in the request, rewards[0] has it too",
    ),
    post(
      `[${JSON.stringify(reward)}, {"external_id": "b\\u0061d", "name": "Bad", "points_cost": 1}]`,
      "rewards[1]: external_id must be unique in the request, rewards[0] has it too",
    ),
  ],

  "all problems of all rows are named, a row's in the order of the fields": [
    post(
      '[{"points_cost": "1", "reward_type": "", "colour": 1, "description": 5, "name": "", "external_id": 7}]',
      ["external_id", "name"].map((name) => `rewards[0]: ${text(name, 255)}`).join("; ") +
        `; rewards[0]: ${description}; rewards[0]: ${cost}; rewards[0]: ${text("reward_type", 50)}; rewards[0]: colour must be left out`,
    ),
    post(
      JSON.stringify([reward, { ...reward, external_id: "b", points_cost: -1 }, 5]),
      `rewards[1]: ${cost}; rewards[2]: row must be an object`,
    ),
  ],

  "at most 20 problems are named, then how many more there are": [
    post(
      `[${Array(20).fill("1")}]`,
      Array.from({ length: 20 }, (_, n) => `rewards[${n}]: row must be an object`).join("; "),
    ),
    post(
      `[${Array(21).fill("1")}]`,
      `${Array.from({ length: 20 }, (_, n) => `rewards[${n}]: row must be an object`).join("; ")}; and 1 more`,
    ),
    post(
      `[${Array(500).fill("1")}]`,
      `${Array.from({ length: 20 }, (_, n) => `rewards[${n}]: row must be an object`).join("; ")}; and 480 more`,
    ),
  ],
};
