// What the database gets for a query (docs/api.md, Lists). Values that are refused are in test/support/bad_requests.ts.
import { expect, test } from "vitest";
import { keyHash, startService } from "../support/service.ts";

const service = await startService();
const cursor = "0f".repeat(28);
const ofKudos = { list: "activity", after: cursor };
const both = { include: ["sender_id", "receiver_id"] };
const time = "2026-11-20T22:08:07.056550Z";
const id = "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d";

// Proves: requests.18, requests.37
test.each<[string, string, object]>([
  ["/members", "list_members", {}],
  ["/users?limit=1", "list_members", { max_rows: 1 }],
  ["/members?format=csv&escape_formulas=true", "list_members", {}],
  [`/members?team_id=${id}&role=admin`, "list_members", { team_id: id, role: "admin" }],
  [`/members?team_id=${id.toUpperCase()}`, "list_members", { team_id: id }],
  ["/members?role=Team+Lead%2B%26", "list_members", { role: "Team Lead+&" }],
  [`/teams?starting_after=${id}`, "list_teams", { starting_after: id }],
  [`/teams?starting_after=${time}_${id.toUpperCase()}`, "list_teams", { starting_after: id, after_time: time }],
  [`/members?name=Zo%C3%AB&team_id=${id}`, "list_members", { name: "Zoë", team_id: id }],
  ["/members?role=%F0%9F%98%80", "list_members", { role: "😀" }],
  ["/members?role=a=b", "list_members", { role: "a=b" }],
  ["/members?%6Cimit=5", "list_members", { max_rows: 5 }],
  ["/members?&limit=5&", "list_members", { max_rows: 5 }],
  ["/members?", "list_members", {}],
  ["/members/?limit=5", "list_members", { max_rows: 5 }],
  [`/kudos?category_id=${id}&sender_id=${id}`, "list_activity", { category_id: id, sender_id: id }],
  ["/kudos?include=category_id&include=sender_id", "list_activity", { include: ["sender_id", "category_id"] }],
  ["/kudos?include[]=category_id&include%5B%5D=sender_id", "list_activity", { include: ["sender_id", "category_id"] }],
  ["/kudos?include=sender_id,%20receiver_id", "list_activity", both],
  ["/kudos?include=sender_id+,+receiver_id", "list_activity", both],
  ["/kudos?include[0]=sender_id&include%5B1%5D=receiver_id", "list_activity", both],
  ["/kudos?include=%5B%22receiver_id%22,%20%22sender_id%22%5D", "list_activity", both],
  ...["ann+kudos@a.example", "ann%2Bkudos@a.example", "ann%20kudos@a.example"].map(
    (email): [string, string, object] => [`/members?email=${email}`, "list_members", { email: "ann+kudos@a.example" }],
  ),
  ["/rewards/changes", "list_changes", { list: "rewards", after: "start" }],
  [`/kudos/changes?include=sender_id,receiver_id&after=${cursor}`, "list_changes", { ...ofKudos, ...both }],
])("%s makes one call", async (path, rpc, args) => {
  expect((await service.send(path)).status).toBe(200);
  const expected = { rpc, args: { key_hash: keyHash, max_rows: 100, ...args } };
  expect(service.calls.map(({ rpc, args }) => ({ rpc, args }))).toEqual([expected]);
});

// Proves: requests.28, requests.29, requests.30, requests.31, requests.34, requests.35, requests.36
test.each<[text: string, since: string, until?: string]>([
  ["2026-11-21T10:15:30.123456Z", "2026-11-21T10:15:30.123456Z"],
  ["2026-11-21T10:15:30", "2026-11-21T10:15:30.000000Z"],
  ["2026-11-21T10:15", "2026-11-21T10:15:00.000000Z"],
  ["2026-11-21T10:15Z", "2026-11-21T10:15:00.000000Z"],
  ["2026-11-21T10:15:30.5Z", "2026-11-21T10:15:30.500000Z"],
  ["2026-11-21T10:15:30.05", "2026-11-21T10:15:30.050000Z"],
  ["2026-11-21T10:15:30%2B02:00", "2026-11-21T08:15:30.000000Z"],
  ["2026-11-21T10:15:30+02:00", "2026-11-21T08:15:30.000000Z"],
  ["2026-11-21T10:15:30%2002:00", "2026-11-21T08:15:30.000000Z"],
  ["2026-11-21T10:15:30-0330", "2026-11-21T13:45:30.000000Z"],
  ["2026-11-21T10:15+05", "2026-11-21T05:15:00.000000Z"],
  ["2026-11-21T10%3A15%3A30Z", "2026-11-21T10:15:30.000000Z"],
  ["2026-11-21T00:30+23:59", "2026-11-20T00:31:00.000000Z"],
  ["2024-02-29T00:00Z", "2024-02-29T00:00:00.000000Z"],
  ["2000-02-29T00:00Z", "2000-02-29T00:00:00.000000Z"],
  ["0001-01-01T00:00Z", "0001-01-01T00:00:00.000000Z"],
  ["0099-12-31T23:59:59Z", "0099-12-31T23:59:59.000000Z"],
  ["1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999Z"],
  ["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"],
  ["2026-01-31", "2026-01-31T00:00:00.000000Z", "2026-01-31T23:59:59.999999Z"],
  // An offset moves these outside of the years 1 to 9999. They are sent in PostgreSQL's notation.
  ["0001-01-01T00:00:00+14:00", "0001-12-31T10:00:00.000000Z BC"],
  ["9999-12-31T23:00:00-14:00", "10000-01-01T13:00:00.000000Z"],
  // Of digits past the sixth, since is rounded up and until down.
  ["2026-11-21T10:15:30.1234561Z", "2026-11-21T10:15:30.123457Z", "2026-11-21T10:15:30.123456Z"],
  ["2026-11-21T10:15:30.123456001Z", "2026-11-21T10:15:30.123457Z", "2026-11-21T10:15:30.123456Z"],
  ["2026-11-21T10:15:30.123456000Z", "2026-11-21T10:15:30.123456Z", "2026-11-21T10:15:30.123456Z"],
  ["2026-11-21T10:15:30.999999999Z", "2026-11-21T10:15:31.000000Z", "2026-11-21T10:15:30.999999Z"],
  ["1969-12-31T23:59:59.9999999Z", "1970-01-01T00:00:00.000000Z", "1969-12-31T23:59:59.999999Z"],
  ["1950-06-01T00:00:00.0000001Z", "1950-06-01T00:00:00.000001Z", "1950-06-01T00:00:00.000000Z"],
  ["9999-12-31T23:59:59.9999999Z", "10000-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z"],
])("the time %s: since is rounded up and until down to microseconds", async (text, since, until = since) => {
  for (const name of ["since", "until"])
    expect((await service.send(`/activity?${name}=${text}`)).status, "the text is sent unchanged").toBe(200);
  expect([service.calls[0]?.args.since, service.calls[1]?.args.until]).toEqual([since, until]);
});

// Proves: questions.4
test.each([
  ["America/Los_Angeles", "2026-10-31", "2026-10-31T07:00", "2026-11-01T06:59"],
  ["Asia/Kathmandu", "2026-01-02", "2026-01-01T18:15", "2026-01-02T18:14"],
  // Midnight comes twice, is skipped, or comes an hour late because the clocks are put back at it.
  ["America/Havana", "2026-11-01", "2026-11-01T04:00", "2026-11-02T04:59"],
  ["America/Santiago", "2026-09-06", "2026-09-06T04:00", "2026-09-07T02:59"],
  ["America/Asuncion", "2024-03-24", "2024-03-24T04:00", "2024-03-25T03:59"],
  ["Europe/Berlin", "2026-01-01T00:00", "2026-01-01T00:00", "2026-01-01T00:00"],
])("in %s the day %s begins at %s and ends at %s", async (zone, day, begins, ends) => {
  for (const path of ["/activity/counts", "/day-ratings/averages"]) {
    service.calls.length = 0;
    expect((await service.send(`${path}?time_zone=${zone}&since=${day}&until=${day}`)).status).toBe(200);
    const { since, until } = service.calls[0]?.args ?? {};
    expect([String(since).slice(0, 16), String(until).slice(0, 16)]).toEqual([begins, ends]);
  }
});

test.each([
  ["2026-11-21T10:00:00Z", "2026-11-21T10:00:00Z"],
  ["2026-11-21T10:00:00%2B01:00", "2026-11-21T09:00:00Z"],
  ["2026-11-21T10:00:00.123456001Z", "2026-11-21T10:00:00.123456002Z"],
  ["2026-11-21T23:59:59.999999999Z", "2026-11-21"],
  // 400 days, one of which has 25 hours.
  ["2025-10-01", "2026-11-04&time_zone=America/New_York", "/activity/counts"],
])("since %s is not after until %s, nor too long before", async (since, until, path = "/activity") => {
  expect((await service.send(`${path}?since=${since}&until=${until}`)).status).toBe(200);
});
