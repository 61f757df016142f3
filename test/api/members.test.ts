// GET /members and its alias /users (docs/api.md, Members).
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import {
  call,
  combinations,
  type DemoCompany,
  dateTime,
  demo,
  expectRows,
  first,
  list,
  type Row,
  second,
  sql,
} from "../support/stack.ts";

/** The rows of the tables, read without the views. */
async function members({ id }: DemoCompany): Promise<Row[]> {
  return [
    ...(await sql<Row[]>`
      select m.id::text, m.name, m.email, m.role, m.team_id::text,
        case when m.team_id is null then 'No Team' else (select t.name from app.teams t where t.id = m.team_id) end as team_name,
        ${dateTime("m.created_at")} as created_at
      from app.members m where m.company_id = ${id}
      order by m.created_at desc, m.id desc`),
  ];
}

test("GET /members answers every member of the company, newest first, ties by id descending", async () => {
  for (const company of demo) {
    const expected = await members(company);
    expect(expected.length).toBeGreaterThanOrEqual(150);
    expectRows(await list("/members?limit=1000", company.key), expected);
  }
});

test("GET /users is an alias of GET /members", async () => {
  for (const company of demo) expectRows(await list("/users?limit=1000", company.key), await members(company));
});

test("a member has id, name, email, role, team_id, team_name and created_at, in this order and of these types", async () => {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  for (const { key } of demo) {
    const rows = await list("/members?limit=1000", key);
    for (const row of rows) {
      expect(row).toEqual({
        id: expect.stringMatching(uuid),
        name: expect.any(String),
        email: expect.stringMatching(/^[^@\s]+@[^@\s]+$/),
        role: expect.any(String),
        team_id: row.team_id === null ? null : expect.stringMatching(uuid),
        team_name: expect.any(String),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      });
      expect(Object.keys(row)).toEqual(["id", "name", "email", "role", "team_id", "team_name", "created_at"]);
    }
    expect(new Set(rows.map(({ role }) => role))).toEqual(new Set(["admin", "manager", "employee"]));
  }
});

test("a person without a team has team_id null and team_name No Team", async () => {
  for (const company of demo) {
    const teamless = (await list("/members?limit=1000", company.key)).filter(({ team_id }) => team_id === null);
    expect(teamless.length).toBeGreaterThan(0);
    expect(new Set(teamless.map(({ team_name }) => team_name))).toEqual(new Set(["No Team"]));
  }
});

test("names keep their accents, quotes, commas and CJK", async () => {
  const names = (await list("/members?limit=1000", first.key)).map(({ name }) => name);
  for (const name of [
    "Łucja Nowak",
    "佐藤 健",
    'William "Bo" Nakamura',
    "Robert Castellanos, Jr.",
    "Kevin O'Rourke",
    "박서연",
  ]) {
    expect(names).toContain(name);
  }
});

test("team_id and role filter members, alone and together", async () => {
  for (const company of demo) {
    const all = await members(company);
    const manager = all.find(({ role, team_id }) => role === "manager" && team_id !== null);
    const filters = { team_id: String(manager?.team_id), role: "manager" };
    for (const filter of combinations(filters)) {
      const expected = all.filter((row) => Object.entries(filter).every(([name, value]) => row[name] === value));
      expect(expected.length).toBeGreaterThan(0);
      expectRows(await list(`/members?${new URLSearchParams({ limit: "1000", ...filter })}`, company.key), expected);
    }
  }
});

test("team_id finds exactly the members of each team", async () => {
  for (const company of demo) {
    const all = await members(company);
    const teams = new Set(all.flatMap(({ team_id }) => (team_id === null ? [] : [String(team_id)])));
    expect(teams.size).toBe(12);
    for (const team of teams) {
      const expected = all.filter(({ team_id }) => team_id === team);
      expectRows(await list(`/members?limit=1000&team_id=${team}`, company.key), expected);
    }
  }
});

test("team_id may be written in upper case", async () => {
  const all = await members(first);
  const team = all.find(({ team_id }) => team_id !== null)?.team_id;
  const expected = all.filter(({ team_id }) => team_id === team);
  expectRows(await list(`/members?limit=1000&team_id=${String(team).toUpperCase()}`, first.key), expected);
});

test("role is an exact, case-sensitive match; an unknown role finds nobody", async () => {
  expect(await list("/members?role=admin", first.key)).not.toEqual([]);
  for (const role of ["Admin", "ADMIN", "admi", "admin ", "%25", "adm_n", "nobody", "admin' or true --"]) {
    expect(await list(`/members?role=${encodeURIComponent(role)}`, first.key)).toEqual([]);
  }
});

test("another company's team finds nothing, exactly as one that does not exist", async () => {
  const [team] = await sql`select id::text from app.teams where company_id = ${second.id} limit 1`;
  const bodies = [];
  for (const id of [team?.id, randomUUID()]) {
    const response = await call(`/members?team_id=${id}`, first.key);
    bodies.push({ status: response.status, more: response.headers.get("X-Has-More"), body: await response.text() });
  }
  expect(bodies[0]).toEqual({ status: 200, more: "false", body: "[]" });
  expect(bodies[1]).toEqual(bodies[0]);
});

test("X-Has-More is false when limit is exactly the number of members, and true for one less", async () => {
  for (const company of demo) {
    const { length } = await members(company);
    for (const [limit, more] of [
      [length, "false"],
      [length - 1, "true"],
    ]) {
      const response = await call(`/members?limit=${limit}`, company.key);
      expect(response.headers.get("X-Has-More")).toBe(more);
      expect(await response.json()).toHaveLength(Number(limit));
    }
  }
});
