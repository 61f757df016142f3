// GET /day-ratings (docs/api.md, Day ratings).
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
  page,
  type Row,
  second,
  sql,
} from "../support/stack.ts";

/** The rows of the table, read without the views. */
async function ratings({ id }: DemoCompany): Promise<Row[]> {
  return [
    ...(await sql<Row[]>`
      select d.id::text, d.rating, d.comment, d.team_id::text, d.points_awarded, ${dateTime("d.created_at")} as created_at
      from app.day_ratings d where d.company_id = ${id}
      order by d.created_at desc, d.id desc`),
  ];
}

test("GET /day-ratings answers every rating of the company, newest first, ties by id descending, window by window", async () => {
  for (const company of demo) {
    const expected = await ratings(company);
    expect(expected.length).toBeGreaterThanOrEqual(3000);
    const rows = new Map<unknown, Row>();
    for (let until = "", more = true; more; ) {
      const window = await page(`/day-ratings?limit=500${until && `&until=${until}`}`, company.key);
      for (const row of window.rows) rows.set(row.id, row);
      until = String(window.rows.at(-1)?.created_at);
      more = window.hasMore;
    }
    expectRows([...rows.values()], expected);
  }
});

test("a day rating has id, rating, comment, team_id, points_awarded and created_at, in this order and of these types", async () => {
  const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
  for (const { key } of demo) {
    // The oldest ratings are checked too: the demo data has no awarded points before February.
    const rows = [
      ...(await list("/day-ratings?limit=1000", key)),
      ...(await list("/day-ratings?limit=1000&until=2026-01-20", key)),
    ];
    for (const row of rows) {
      expect(row).toEqual({
        id: expect.stringMatching(uuid),
        rating: expect.any(Number),
        comment: row.comment === null ? null : expect.any(String),
        team_id: row.team_id === null ? null : expect.stringMatching(uuid),
        points_awarded: row.points_awarded === null ? null : expect.any(Number),
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
      });
      expect(Object.keys(row)).toEqual(["id", "rating", "comment", "team_id", "points_awarded", "created_at"]);
      expect(Number.isInteger(row.points_awarded ?? 0)).toBe(true);
    }
    for (const name of ["comment", "team_id", "points_awarded"]) {
      const nulls = rows.filter((row) => row[name] === null).length;
      expect(nulls, `${name} is null here and there`).toBeGreaterThan(0);
      expect(nulls, `${name} is not always null`).toBeLessThan(rows.length);
    }
  }
});

test("rating is an integer from 1 to 5, both of which occur", async () => {
  for (const { key } of demo) {
    const seen = new Set((await list("/day-ratings?limit=1000", key)).map(({ rating }) => rating));
    expect([...seen].sort()).toEqual([1, 2, 3, 4, 5]);
  }
});

test("since, until and team_id filter day ratings, alone and in every combination", async () => {
  for (const company of demo) {
    const all = await ratings(company);
    const team = all.slice(1000, 2000).find(({ team_id }) => team_id !== null)?.team_id;
    const filters = {
      since: String(all[1900]?.created_at),
      until: String(all[1000]?.created_at),
      team_id: String(team),
    };
    for (const filter of combinations(filters)) {
      const { since, until, team_id } = filter;
      const expected = all
        .filter(({ created_at }) => !since || String(created_at) >= since)
        .filter(({ created_at }) => !until || String(created_at) <= until)
        .filter((row) => !team_id || row.team_id === team_id)
        .slice(0, 1000);
      expect(expected.length).toBeGreaterThan(0);
      expectRows(
        await list(`/day-ratings?${new URLSearchParams({ limit: "1000", ...filter })}`, company.key),
        expected,
      );
    }
  }
});

test("team_id of /day-ratings finds nothing for another company's team, exactly as for one that does not exist", async () => {
  const [team] = await sql`select id::text from app.teams where company_id = ${second.id} limit 1`;
  for (const id of [team?.id, randomUUID()]) {
    const response = await call(`/day-ratings?team_id=${id}`, first.key);
    expect(response.status).toBe(200);
    expect(response.headers.get("X-Has-More")).toBe("false");
    expect(await response.text()).toBe("[]");
  }
});

test("no value of a day rating is a person's id, name or email address", async () => {
  for (const { id, key } of demo) {
    const people = await sql`select id::text, name, email from app.members where company_id = ${id}`;
    const personal = new Set(people.flatMap(Object.values));
    for (const row of await list("/day-ratings?limit=1000", key)) {
      expect(Object.values(row).filter((value) => personal.has(value))).toEqual([]);
    }
  }
});
