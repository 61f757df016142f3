import { describe, expect, test } from "vitest";
import { keyHash, problem, startService } from "../support/service.ts";

const service = await startService();
const cursor = "0f".repeat(28);
const id = "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d";

describe("the arguments of the one database call", () => {
  const hash = { key_hash: keyHash };
  test.each<[string, string, object]>([
    // Proves: keys.15
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
    [
      "/rewards?changed_after=start",
      "list_changes",
      { ...hash, list: "rewards", max_rows: 100, changed_after: "start" },
    ],
    [
      `/kudos?include=category_id,sender_id&changed_after=${cursor}&limit=5`,
      "list_changes",
      { ...hash, list: "activity", max_rows: 5, changed_after: cursor, include: ["sender_id", "category_id"] },
    ],
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

// Proves: requests.18
test.each([
  ["/members", ["team_id"]],
  ["/activity", ["category_id", "sender_id", "receiver_id"]],
  ["/day-ratings", ["team_id"]],
])("the ids that filter %s may be written in capital letters", async (path, names) => {
  const query = names.map((name) => `${name}=${id.toUpperCase()}`).join("&");
  expect((await service.send(`${path}?${query}`)).status).toBe(200);
  expect(service.calls[0]?.args).toMatchObject(Object.fromEntries(names.map((name) => [name, id])));
});

test("more than 20 problems are counted", async () => {
  const query = Array.from({ length: 5000 }, (_, index) => `p${index}=1`).join("&");
  const [status, message] = await problem(await service.send(`/members?${query}`));
  expect(status).toBe(400);
  expect(message.split("; ")).toHaveLength(21);
  expect(message).toMatch(/; and 4980 more$/);
});
