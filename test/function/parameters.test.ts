import { describe, expect, test } from "vitest";
import { keyHash, problem, startService } from "../support/service.ts";

const service = await startService();
const id = "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d";
const members = "GET /members accepts limit, format, escape_formulas, starting_after, team_id, role";

describe("the arguments of the one database call", () => {
  const hash = { key_hash: keyHash };
  test.each<[string, string, object]>([
    ["/", "verify_api_key", hash],
    ["/members", "list_members", { ...hash, max_rows: 100 }],
    ["/users?limit=1", "list_members", { ...hash, max_rows: 1 }],
    ["/members?limit=1000", "list_members", { ...hash, max_rows: 1000 }],
    ["/members?format=json", "list_members", { ...hash, max_rows: 100 }],
    ["/members?format=csv&escape_formulas=true", "list_members", { ...hash, max_rows: 100 }],
    [`/members?team_id=${id}&role=admin`, "list_members", { ...hash, max_rows: 100, team_id: id, role: "admin" }],
    [`/members?team_id=${id.toUpperCase()}`, "list_members", { ...hash, max_rows: 100, team_id: id }],
    ["/members?role=Team+Lead%2B%26", "list_members", { ...hash, max_rows: 100, role: "Team Lead+&" }],
    ["/members?role=%F0%9F%98%80", "list_members", { ...hash, max_rows: 100, role: "😀" }],
    ["/members?role=a=b", "list_members", { ...hash, max_rows: 100, role: "a=b" }],
    ["/members?%6Cimit=5", "list_members", { ...hash, max_rows: 5 }],
    ["/members?&limit=5&", "list_members", { ...hash, max_rows: 5 }],
    ["/members?", "list_members", { ...hash, max_rows: 100 }],
    ["/members/?limit=5", "list_members", { ...hash, max_rows: 5 }],
    ["/activity", "list_activity", { ...hash, max_rows: 100 }],
    [
      `/kudos?category_id=${id}&sender_id=${id}&receiver_id=${id}`,
      "list_activity",
      { ...hash, max_rows: 100, category_id: id, sender_id: id, receiver_id: id },
    ],
    ["/rewards", "list_rewards", { ...hash, max_rows: 100 }],
    ["/rewards?include_archived=true", "list_rewards", { ...hash, max_rows: 100, include_archived: true }],
    [`/day-ratings?team_id=${id}`, "list_day_ratings", { ...hash, max_rows: 100, team_id: id }],
    [
      "/pulse-responses?since=2026-01-01&until=2026-01-31",
      "list_pulse_responses",
      { ...hash, max_rows: 100, since: "2026-01-01T00:00:00.000000Z", until: "2026-01-31T23:59:59.999999Z" },
    ],
  ])("%s", async (path, rpc, args) => {
    expect((await service.send(path)).status).toBe(200);
    expect(service.calls.map((call) => ({ rpc: call.rpc, args: call.args }))).toEqual([{ rpc, args }]);
  });
});

test.each([
  ["/members", ["team_id"]],
  ["/activity", ["category_id", "sender_id", "receiver_id"]],
  ["/day-ratings", ["team_id"]],
])("the ids that filter %s may be written in capital letters", async (path, names) => {
  const query = names.map((name) => `${name}=${id.toUpperCase()}`).join("&");
  expect((await service.send(`${path}?${query}`)).status).toBe(200);
  expect(service.calls[0]?.args).toMatchObject(Object.fromEntries(names.map((name) => [name, id])));
});

describe("400 for", () => {
  test.each([
    ...["0", "-1", "1001", "10000", "", "ten", "5.0", "1e2", "0x10", "01", "+5", "%2B5", " 5", "5%00", "٥", "NaN"].map(
      (limit) => [`/members?limit=${limit}`, "limit must be an integer from 1 to 1000"],
    ),
    ["/members?limit", "limit must be an integer from 1 to 1000"],
    ...["", "me", id.replaceAll("-", ""), `{${id}}`, `${id}0`, id.replace("0", "g"), `%20${id}`, `${id}%0A`].map(
      (team) => [`/members?team_id=${team}`, "team_id must be a uuid"],
    ),
    [`/activity?category_id=x`, "category_id must be a uuid"],
    [`/activity?sender_id=x`, "sender_id must be a uuid"],
    [`/activity?receiver_id=x`, "receiver_id must be a uuid"],
    ...["", "CSV", "xml", "csv,json"].map((format) => [`/members?format=${format}`, "format must be json or csv"]),
    ...["", "false", "TRUE", "1"].map((flag) => [`/rewards?include_archived=${flag}`, "include_archived must be true"]),
    ["/members?format=csv&escape_formulas=false", "escape_formulas must be true"],
    ["/members?escape_formulas=true", "escape_formulas needs format=csv"],
    ["/members?escape_formulas=true&format=json", "escape_formulas needs format=csv"],
    ["/members?role=", "role must not be empty"],
    ["/members?role=a%00b", "role must not contain NUL or lone surrogates"],
    ["/members?role=%FF", "role must be percent-encoded UTF-8"],
    ["/members?role=%C0%80", "role must be percent-encoded UTF-8"],
    ["/members?role=%ED%A0%80", "role must be percent-encoded UTF-8"],
    ["/members?role=100%", "role must be percent-encoded UTF-8"],
    ["/members?team_id=%zz", "team_id must be percent-encoded UTF-8"],
  ])("%s: %s", async (path, message) => {
    expect(await problem(await service.send(path))).toEqual([400, message]);
    expect(service.calls.map(({ rpc }) => rpc)).toEqual(["verify_api_key"]);
  });
});

describe("a parameter that the endpoint does not list, or that comes twice, is named beside what it accepts", () => {
  test.each([
    ["/members?teamid=x", `teamid must be left out: ${members}`],
    ["/users?since=2026-01-01", `since must be left out: ${members}`],
    ["/members?Limit=5", `Limit must be left out: ${members}`],
    ["/members?__proto__=5", `__proto__ must be left out: ${members}`],
    ["/members?constructor=5", `constructor must be left out: ${members}`],
    ["/members?=5", `"" must be left out: ${members}`],
    ["/members?team%20id=5", `"team id" must be left out: ${members}`],
    ["/members?a%00%0Ab=5", String.raw`"a\u0000\nb" must be left out: ${members}`],
    ["/members?a%3B%20b=5", String.raw`"a\u003b b" must be left out: ${members}`],
    ["/members?%E2%80%AEa=5", String.raw`"\u202ea" must be left out: ${members}`],
    ["/members?gr%C3%B6%C3%9Fe=5", `"größe" must be left out: ${members}`],
    ["/members?%FF=5", `"%FF" must be left out: ${members}`],
    [`/members?${"a".repeat(64)}=5`, `${"a".repeat(64)} must be left out: ${members}`],
    [`/members?${"a".repeat(65)}=5`, `a name of 65 characters must be left out: ${members}`],
    ["/members?limit=5&limit=5", `limit must be given once: ${members}`],
    ["/members?limit=5&limit=x&%6Cimit=0", `limit must be given once: ${members}`],
    ["/?limit=5", "limit must be left out: GET / accepts no parameters"],
    [
      "/activity?role=admin",
      "role must be left out: GET /activity accepts limit, format, escape_formulas, starting_after, include, since, until, category_id, sender_id, receiver_id",
    ],
  ])("%s", async (path, message) => {
    expect(await problem(await service.send(path))).toEqual([400, message]);
  });

  test("POST /rewards takes none", async () => {
    const response = await service.send("/rewards?format=csv", { method: "POST", body: "{}" });
    expect(await problem(response)).toEqual([400, "format must be left out: POST /rewards accepts no parameters"]);
  });
});

test("all problems of a query are told at once, in its order", async () => {
  const response = await service.send(
    "/activity?team=1&limit=0&since=x&limit=1&until=2026-01-01&format=xml&escape_formulas=true",
  );
  const accepted =
    "GET /activity accepts limit, format, escape_formulas, starting_after, include, since, until, category_id, sender_id, receiver_id";
  expect(await problem(response)).toEqual([
    400,
    `team must be left out: ${accepted}; limit must be given once: ${accepted}; since must be an ISO 8601 date-time; format must be json or csv`,
  ]);
});

test("more than 20 problems are counted", async () => {
  const query = Array.from({ length: 5000 }, (_, index) => `p${index}=1`).join("&");
  const [status, message] = await problem(await service.send(`/members?${query}`));
  expect(status).toBe(400);
  expect(message.split("; ")).toHaveLength(21);
  expect(message).toMatch(/; and 4980 more$/);
});
