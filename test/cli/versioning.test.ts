// The policy of docs/api.md, Versioning: which changes of the released document are not allowed, and which version
// number a document must have.
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { breakingChanges } from "../../scripts/generate/openapi/breaking_changes.ts";
import { type VersionedContract, versionProblems } from "../../scripts/generate/openapi/version.ts";
import { root } from "../../scripts/stack/process.ts";

const read = (file: string) => JSON.parse(readFileSync(`${root}/${file}`, "utf8"));
const committed: VersionedContract = read("docs/openapi.json");
const released: VersionedContract = read("docs/openapi.released.json");

type Change = (document: VersionedContract) => void;
type Property = { type?: string | string[]; enum?: string[] };

const problems = (now: VersionedContract) => [...breakingChanges(released, now), ...versionProblems(released, now)];
const get = ({ paths }: VersionedContract, path: string) => paths[path]?.get ?? { responses: {} };
const fields = ({ components }: VersionedContract, schema: string): Record<string, Property | undefined> =>
  (components.schemas[schema]?.properties ?? {}) as Record<string, Property | undefined>;
const setFields = ({ components }: VersionedContract, schema: string, properties: object): void => {
  Object.assign(components.schemas[schema] ?? {}, { properties });
};

const [major, minor] = released.info.version.split(".").map(Number) as [number, number];
const [nextMinor, nextMajor] = [`${major}.${minor + 1}.0`, `${major + 1}.0.0`];

/** The released document with one change and a new minor version, so that only the change itself can be refused. */
function changed(change: Change, version = nextMinor): VersionedContract {
  const document = structuredClone(released);
  document.info.version = version;
  change(document);
  return document;
}

test("docs/openapi.json keeps what the released version promised, and its version says what was added", () => {
  expect(problems(committed)).toEqual([]);
});

test("docs/openapi.json and the newest entry of CHANGELOG.md name the same version", () => {
  const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(readFileSync(`${root}/CHANGELOG.md`, "utf8")) ?? [];
  expect(newest).toBe(committed.info.version);
});

const breaking: [string, Change, string][] = [
  ["an endpoint that is gone", ({ paths }) => delete paths["/day-ratings"], "GET /day-ratings is gone"],
  ["an alias that is gone", ({ paths }) => delete paths["/kudos"], "GET /kudos is gone"],
  [
    "an endpoint with another name",
    ({ paths }) => {
      Object.assign(paths, { "/people": paths["/members"] });
      delete paths["/members"];
    },
    "GET /members is gone",
  ],
  ["a method that is gone", ({ paths }) => delete paths["/rewards"]?.post, "POST /rewards is gone"],
  [
    "a parameter with another name",
    (document) => {
      for (const parameter of get(document, "/members").parameters ?? [])
        if (parameter.name === "role") parameter.name = "position";
    },
    "GET /members: parameter role is gone",
  ],
  [
    "a new parameter that has to be sent",
    (document) => get(document, "/activity").parameters?.push({ name: "year", required: true }),
    "GET /activity: parameter year is required now",
  ],
  [
    "a parameter that takes less",
    (document) => {
      const limit = get(document, "/members").parameters?.find(({ name }) => name === "limit");
      Object.assign(limit?.schema ?? {}, { maximum: 500 });
    },
    "GET /members: parameter limit is of another type",
  ],
  ["a field that is gone", (document) => delete fields(document, "Member").role, "Member.role is gone"],
  [
    "a field with another name",
    (document) => {
      const { email, ...others } = fields(document, "Member");
      setFields(document, "Member", { ...others, mail: email });
    },
    "Member.email is gone",
  ],
  [
    "a field of another type",
    (document) => Object.assign(fields(document, "Reward").points_cost ?? {}, { type: "string" }),
    "Reward.points_cost is of another type",
  ],
  [
    "a field that may be null now",
    (document) => Object.assign(fields(document, "Kudos").category ?? {}, { type: ["string", "null"] }),
    "Kudos.category is of another type",
  ],
  [
    "a field that may not be null any more",
    (document) => Object.assign(fields(document, "DayRating").comment ?? {}, { type: "string" }),
    "DayRating.comment is of another type",
  ],
  [
    "fields in another order",
    (document) =>
      setFields(document, "Member", Object.fromEntries(Object.entries(fields(document, "Member")).reverse())),
    "the fields of Member are in another order",
  ],
  [
    "a new field in front",
    (document) => setFields(document, "Member", { phone: { type: "string" }, ...fields(document, "Member") }),
    "the fields of Member are in another order",
  ],
  [
    "a new field of an import that has to be sent",
    ({ components }) =>
      Object.assign(components.schemas.RewardRow ?? {}, { required: ["external_id", "name", "points_cost", "stock"] }),
    "RewardRow.stock is required now",
  ],
  [
    "a scope that is gone",
    (document) => {
      get(document, "/rewards").security = [{ ApiKey: [] }, { Bearer: [] }, { Basic: [] }];
    },
    "GET /rewards asks for another scope",
  ],
  [
    "a way of sending the key that is gone",
    ({ components }) => delete components.securitySchemes.Basic,
    "a key can no longer be sent by Basic",
  ],
  [
    "the key in another header",
    ({ components }) => Object.assign(components.securitySchemes.ApiKey ?? {}, { name: "X-Key" }),
    "a key can no longer be sent by ApiKey",
  ],
];

test.each(breaking)("a minor version must not have %s", (_, change, problem) => {
  expect(problems(changed(change))).toContain(problem);
});

const additions: [string, Change][] = [
  [
    "a field at the end",
    (document) => setFields(document, "Kudos", { ...fields(document, "Kudos"), points: { type: "integer" } }),
  ],
  [
    "a field called description",
    (document) => setFields(document, "Kudos", { ...fields(document, "Kudos"), description: {} }),
  ],
  ["an optional parameter", (document) => get(document, "/rewards").parameters?.push({ name: "reward_type" })],
  ["an endpoint", ({ paths }) => Object.assign(paths, { "/questions": paths["/members"] })],
];

test.each(additions)("%s needs a new minor version, and nothing more", (_, change) => {
  expect(problems(changed(change))).toEqual([]);
  expect(problems(changed(change, nextMajor))).toEqual([]);
  for (const version of [released.info.version, `${major}.${minor}.9`])
    expect(problems(changed(change, version))).toEqual([
      `the contract has changed: version must be ${nextMinor}, not ${version}`,
    ]);
});

test("other words need no new version, and a version never goes back", () => {
  const reworded = changed(
    (document) => Object.assign(get(document, "/members"), { summary: "Everybody" }),
    released.info.version,
  );
  expect(problems(reworded)).toEqual([]);
  expect(problems(changed(() => {}, "0.9.0"))).toEqual([
    `version 0.9.0 is older than the released ${released.info.version}`,
  ]);
});
