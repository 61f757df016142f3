// docs/openapi.json: generated from the present code, without lint errors, with examples that the running stack
// returns, and compatible with the released document.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { breakingChanges, type Contract } from "../../scripts/generate/openapi/breaking_changes.ts";
import { collectExamples } from "../../scripts/generate/openapi/examples.ts";
import { bin, root, runCommand } from "../../scripts/stack/process.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { checkAnswer, checkedFetch } from "../support/contract.ts";
import { call, first, sql, stack } from "../support/stack.ts";

const read = (file: string) => JSON.parse(readFileSync(`${root}/${file}`, "utf8"));
const committed: Contract = read("docs/openapi.json");
const released: Contract = read("docs/openapi.released.json");

type Parameter = { name: string; explode?: boolean; schema?: { type?: string; items?: { enum?: string[] } } };

let company: TestCompany;
beforeAll(async () => {
  company = await newCompany("Contract");
});
afterAll(() => company.remove());

test("redocly lint finds nothing in it", async () => {
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const args = ["lint", "docs/openapi.json", "--extends=recommended-strict", "--format=json", "--max-problems=1000"];
  const report = await runCommand(bin("redocly"), args, { env });
  expect(JSON.parse(report.slice(report.indexOf("{"), report.lastIndexOf("}") + 1))).toMatchObject({ problems: [] });
});

test("its examples are what the running stack answers", async () => {
  const [members, activity] = await Promise.all([
    company.makeKey(["read:members"]),
    company.makeKey(["read:activity"]),
  ]);
  const examples = read("scripts/generate/openapi/examples.json");
  const { "POST /rewards": imported, ...others } = await collectExamples(
    (path, init) => checkedFetch(stack.api_url, path, init),
    { all: first.key, "read:members": members.api_key, "read:activity": activity.api_key },
  );
  await sql`delete from app.rewards where company_id = ${first.id} and external_id in ('mug-1', 'day-1')`;
  expect({ ...others, "POST /rewards": imported }).toEqual(examples);
});

test("an answer with a field, a status or a header that the document does not have is refused", async () => {
  const response = await call("/members?limit=1", first.key);
  const [row] = (await response.json()) as object[];
  const check = (changed: object, status = 200, headers = response.headers) =>
    checkAnswer("GET", "/members?limit=1", status, headers, JSON.stringify([{ ...row, ...changed }]));
  expect(() => check({})).not.toThrow();
  expect(() => check({ salary: 1 })).toThrow("must NOT have additional properties");
  expect(() => check({ created_at: "2026-11-21T10:15:30+00:00" })).toThrow("created_at must match pattern");
  expect(() => check({ team_name: null })).toThrow("team_name must be string");
  expect(() => check({}, 418)).toThrow("has no 418 for GET /members");
  const headers = new Headers(response.headers);
  headers.delete("X-Has-More");
  expect(() => check({}, 200, headers)).toThrow("X-Has-More");
  expect(() => checkAnswer("HEAD", "/members", 200, headers, "")).toThrow("X-Has-More");
  expect(() => checkAnswer("HEAD", "/members", 200, response.headers, "[]")).toThrow("has a body");
});

test("nothing that the released version promised has gone", () => {
  expect(breakingChanges(released, committed)).toEqual([]);
});

test.each<[string, (document: Contract) => void, string[]]>([
  ["an endpoint that is gone", ({ paths }) => delete paths["/users"], ["GET /users is gone"]],
  [
    "a field that is gone",
    ({ components }) => delete components.schemas.Kudos?.properties?.message,
    ["Kudos.message is gone"],
  ],
  [
    "a field of another type",
    ({ components }) => Object.assign(components.schemas.Kudos?.properties?.message ?? {}, { type: "integer" }),
    ["Kudos.message is of another type"],
  ],
  [
    "a new field that is not the last",
    ({ components: { schemas } }) => {
      schemas.Kudos = { ...schemas.Kudos, properties: { rank: {}, ...schemas.Kudos?.properties } };
    },
    ["the fields of Kudos are in another order"],
  ],
  [
    "a new field that every import has to send",
    ({ components: { schemas } }) =>
      Object.assign(schemas.RewardRow ?? {}, { required: ["external_id", "name", "points_cost", "vendor"] }),
    ["RewardRow.vendor is required now"],
  ],
  [
    "a parameter that is gone, and one that has to be sent",
    ({ paths }) => {
      const operation = paths["/rewards"]?.get;
      if (operation)
        operation.parameters = [...(operation.parameters?.slice(1) ?? []), { name: "shop", required: true }];
    },
    ["GET /rewards: parameter limit is gone", "GET /rewards: parameter shop is required now"],
  ],
  [
    "a header that lists other names",
    ({ components }) =>
      Object.assign(components.headers["Access-Control-Expose-Headers"]?.schema ?? {}, { const: "X-Request-Id, Link" }),
    ["header Access-Control-Expose-Headers is of another type"],
  ],
  [
    "another scope",
    ({ paths }) => {
      Object.assign(paths["/rewards"]?.get ?? {}, { "x-scope": "read:members" });
    },
    ["GET /rewards asks for another scope"],
  ],
  [
    "a header that is gone",
    ({ paths }) => {
      const answer = paths["/rewards"]?.get?.responses["200"];
      if (answer) answer.headers = {};
    },
    expect.arrayContaining(["GET /rewards: 200 has no header X-Has-More any more"]),
  ],
])("%s breaks the contract", (_, change, problems) => {
  const changed = structuredClone(released);
  change(changed);
  expect(breakingChanges(released, changed)).toEqual(problems);
});

test("what a minor version may do breaks nothing", () => {
  const grown = structuredClone(released);
  const { paths, components } = grown;
  Object.assign(components.schemas.Kudos?.properties ?? {}, { rank: { type: "integer" } });
  Object.assign(components.schemas.RewardRow?.properties ?? {}, { vendor: { type: "string" } });
  paths["/questions"] = { ...paths["/members"] };
  paths["/rewards"]?.get?.parameters?.push({ name: "shop" });
  expect(breakingChanges(released, grown)).toEqual([]);
});

test("a client that is generated from it sends several values of a parameter as the API reads them", async () => {
  for (const [path, { get }] of Object.entries(committed.paths)) {
    for (const { name, explode, schema } of (get?.parameters ?? []) as Parameter[]) {
      if (schema?.type !== "array") continue;
      const values = schema.items?.enum ?? [];
      // style=form: with explode, which is the default, each value is a parameter of its own.
      const query =
        explode === false ? `${name}=${values.join()}` : values.map((value) => `${name}=${value}`).join("&");
      expect([path, query, (await call(`${path}?${query}`, first.key)).status]).toEqual([path, query, 200]);
    }
  }
});

test("the introduction says which endpoints a scope opens, and how to get the next page", () => {
  const { description } = read("docs/openapi.json").info;
  expect(description).toContain("| `read:members` | `GET /members`, `GET /teams`: ");
  expect(description).toContain("| `read:activity` | `GET /activity`, `GET /categories`: ");
  expect(description).toContain("`starting_after` gets the next page");
});
