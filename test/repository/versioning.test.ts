// The policy of docs/api.md, Versioning: which changes of the released document are not allowed, and which version
// number a document must have.
import { expect, test } from "vitest";
import { breakingChanges } from "../../scripts/generate/openapi/breaking_changes.ts";
import { type VersionedContract, versionProblems } from "../../scripts/generate/openapi/version.ts";
import { read } from "../support/pages.ts";

const parsed = (file: string) => JSON.parse(read(file));
const committed: VersionedContract = parsed("docs/openapi.json");
const released: VersionedContract = parsed("docs/openapi.released.json");

const problems = (now: VersionedContract) => [...breakingChanges(released, now), ...versionProblems(released, now)];

const [major, minor] = released.info.version.split(".").map(Number) as [number, number];
const [nextMinor, nextMajor] = [`${major}.${minor + 1}.0`, `${major + 1}.0.0`];

/** A part of a document by its path, an entry of a list by its name; and its new value, undefined to delete it. */
type Change = [place: string, value?: unknown];

/** The released document with one change and a new minor version, so that only the change itself can be refused. */
function changed([place, value]: Change, version = nextMinor): VersionedContract {
  const document = structuredClone(released);
  document.info.version = version;
  const keys = place.split(".");
  const last = keys.pop() ?? "";
  const keyOf = (part: object, name: string): string => {
    if (!Array.isArray(part)) return name;
    const index = part.findIndex((entry) => entry.name === name);
    return String(index < 0 ? part.length : index);
  };
  const part = keys.reduce<Record<string, never>>((part, name) => part[keyOf(part, name)] ?? {}, document as never);
  const key = keyOf(part, last);
  const next = typeof value === "function" ? value(part[key]) : value;
  if (next !== undefined) Object.assign(part, { [key]: next });
  else if (Array.isArray(part)) part.splice(Number(key), 1);
  else delete part[key];
  return document;
}

test("docs/openapi.json keeps what the released version promised, and its version says what was added", () => {
  expect(problems(committed)).toEqual([]);
});

test("docs/openapi.json, the newest entry of CHANGELOG.md and the command line name the same version", () => {
  const [, newest] = /^## (\d+\.\d+\.\d+)/m.exec(read("CHANGELOG.md")) ?? [];
  const commandLine = [parsed("cli/package.json").version, parsed("package-lock.json").packages.cli.version];
  expect([newest, ...commandLine]).toEqual(Array(3).fill(committed.info.version));
});

const exposed = "Access-Control-Expose-Headers";
const fieldsOf = (schema: string) => `components.schemas.${schema}.properties`;
const reversed = (fields: object) => Object.fromEntries(Object.entries(fields).reverse());
const withFirst = (fields: object) => ({ phone: { type: "string" }, ...fields });
const withLast = (fields: object) => ({ ...fields, description: { type: "string" } });

test.each<[problem: string, ...Change]>([
  ["GET /kudos is gone", "paths./kudos"],
  ["POST /rewards is gone", "paths./rewards.post"],
  ["GET /teams: 403 is gone", "paths./teams.get.responses.403"],
  ["GET /teams: 200 has no header X-Has-More any more", "paths./teams.get.responses.200.headers.X-Has-More"],
  [`header ${exposed} is of another type`, `components.headers.${exposed}.schema.const`, "X-Request-Id, Link"],
  ["GET /members: parameter role is gone", "paths./members.get.parameters.role"],
  ["GET /members: parameter limit is of another type", "paths./members.get.parameters.limit.schema.maximum", 500],
  ["GET /teams: parameter format must not be csv now", "paths./teams.get.parameters.format.schema.enum", ["json"]],
  ["GET /teams: parameter year is required now", "paths./teams.get.parameters.year", { name: "year", required: true }],
  ["Member.role is gone", `${fieldsOf("Member")}.role`],
  ["Team.created_at may be absent now", "components.schemas.Team.required", ["id", "name"]],
  ["Kudos.category is of another type", `${fieldsOf("Kudos")}.category.type`, ["string", "null"]],
  ["KeyCheck.scopes[] is of another type", `${fieldsOf("KeyCheck")}.scopes.items.type`, "object"],
  ["the fields of Member are in another order", fieldsOf("Member"), reversed],
  ["the fields of Team are in another order", fieldsOf("Team"), withFirst],
  ["RewardRow.stock is required now", "components.schemas.RewardRow.required", ["external_id", "name", "stock"]],
  ["GET /rewards needs another scope", "paths./rewards.get.x-scope", "read:members"],
  ["a key can no longer be sent by Basic", "components.securitySchemes.Basic"],
  ["a key can no longer be sent by ApiKey", "components.securitySchemes.ApiKey.name", "X-Key"],
])("a minor version is refused when %s", (problem, ...change) => {
  expect(problems(changed(change))).toContain(problem);
});

test.each<[what: string, ...Change]>([
  ["a field at the end, also one that is called description", fieldsOf("Kudos"), withLast],
  ["a field on request, also before others", fieldsOf("KudosCount"), withFirst],
  ["an optional parameter", "paths./rewards.get.parameters.reward_type", { name: "reward_type" }],
  ["an endpoint", "paths./questions", {}],
])("%s needs a new minor version, and nothing more", (_, ...change) => {
  expect(problems(changed(change))).toEqual([]);
  expect(problems(changed(change, nextMajor))).toEqual([]);
  const must = `the contract has changed: version must be ${nextMinor}`;
  for (const version of [released.info.version, `${major}.${minor}.9`])
    expect(problems(changed(change, version))).toEqual([`${must}, not ${version}`]);
});

test("other words need no new version, and a version never goes back", () => {
  expect(problems(changed(["paths./members.get.summary", "Everybody"], released.info.version))).toEqual([]);
  const { version } = released.info;
  expect(problems(changed(["info.title"], "0.9.0"))).toEqual([`version 0.9.0 is older than the released ${version}`]);
});
