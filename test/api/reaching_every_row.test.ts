// starting_after, include, GET /teams and GET /categories (docs/api.md, Lists, Teams and Categories), compared with the
// tables.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { readCsv } from "../support/model.ts";
import {
  call,
  dateTime,
  demo,
  expectError,
  expectRows,
  first,
  list,
  page,
  type Row,
  second,
  sql,
} from "../support/stack.ts";

const paths = ["/members", "/teams", "/activity", "/categories", "/rewards", "/day-ratings", "/pulse-responses"];

test("every list is walked to its end by the id of the last row, with no window and no token", async () => {
  const tables: Record<string, string> = {
    "/activity": "kudos",
    "/day-ratings": "day_ratings",
    "/pulse-responses": "pulse_responses",
  };
  for (const path of paths) {
    const query = path === "/rewards" ? "include_archived=true&limit=97" : "limit=97";
    const ids: unknown[] = [];
    for (let more = true; more; ) {
      const next = await page(`${path}?${query}${ids.length > 0 ? `&starting_after=${ids.at(-1)}` : ""}`, first.key);
      ids.push(...next.rows.map(({ id }) => id));
      more = next.hasMore;
    }
    const stored = await sql`
      select id::text from app.${sql(tables[path] ?? path.slice(1))} where company_id = ${first.id} order by created_at desc, id desc`;
    expect(ids, path).toEqual(stored.map(({ id }) => id));
  }
});

test("a row that does not meet the filters is a place to start after: the rows that follow it are filtered", async () => {
  const all = await list("/rewards?include_archived=true&limit=1000", first.key);
  const archived = all.find(({ is_archived }, index) => is_archived && index > 5);
  const following = all.slice(all.indexOf(archived as Row) + 1).filter(({ is_archived }) => !is_archived);
  expectRows(await list(`/rewards?limit=1000&starting_after=${archived?.id}`, first.key), following);
});

test("until and starting_after hold together, whichever of them comes first", async () => {
  const kudos = await list("/activity?limit=200", first.key);
  const [early, late] = [kudos[50] as Row, kudos[100] as Row];
  for (const [until, after] of [
    [early, late],
    [late, early],
  ] as const) {
    const rows = await list(`/activity?limit=20&until=${until.timestamp}&starting_after=${after.id}`, first.key);
    const following = kudos.slice(kudos.indexOf(after) + 1);
    expectRows(rows, following.filter(({ timestamp }) => String(timestamp) <= String(until.timestamp)).slice(0, 20));
  }
});

test("an id that is no row of this list is a 400, another company's exactly as one that nobody has", async () => {
  const message = "starting_after must be the id of a row of this list";
  for (const path of paths) {
    const [theirs] = await list(`${path}?limit=1`, second.key);
    const otherList = path === "/members" ? "/rewards" : "/members";
    const [elsewhere] = await list(`${otherList}?limit=1`, first.key);
    for (const id of [theirs?.id, elsewhere?.id, randomUUID()]) {
      await expectError(await call(`${path}?starting_after=${id}`, first.key), 400, message);
    }
  }
});

test("include appends the columns that it names, in the documented order, as JSON and as CSV", async () => {
  const lists: [path: string, names: string[], rows: (company: string) => PromiseLike<Row[]>][] = [
    [
      "/activity",
      ["sender_id", "receiver_id", "category_id"],
      (company) => sql`
        select sender_id::text, receiver_id::text, category_id::text from app.kudos
        where company_id = ${company} order by created_at desc, id desc limit 1000`,
    ],
    [
      "/rewards",
      ["external_id"],
      (company) => sql`
        select external_id from app.rewards where company_id = ${company} and not is_archived order by created_at desc, id desc`,
    ],
    [
      "/day-ratings",
      ["team_name"],
      (company) => sql`
        select t.name as team_name from app.day_ratings as d
        left join app.teams as t on t.company_id = d.company_id and t.id = d.team_id
        where d.company_id = ${company} order by d.created_at desc, d.id desc limit 1000`,
    ],
    [
      "/pulse-responses",
      ["question_id"],
      (company) => sql`
        select question_id::text from app.pulse_responses where company_id = ${company} order by created_at desc, id desc limit 1000`,
    ],
  ];
  for (const [path, names, stored] of lists) {
    for (const { id, key } of demo) {
      const plain = await list(`${path}?limit=1000`, key);
      const more = await stored(id);
      const expected = plain.map((row, index) => ({ ...row, ...more[index] }));
      const asked = `${path}?limit=1000&include=${names.toReversed().join()}`;
      expectRows(await list(asked, key), expected);
      const [header, ...rows] = readCsv(await (await call(`${asked}&format=csv`, key)).text());
      expect(header?.slice(-names.length)).toEqual(names);
      expect(rows.map((row) => row.slice(-names.length))).toEqual(
        more.map((row) => names.map((name) => row[name] ?? "")),
      );
    }
  }
});

test("a part of the columns can be asked for: they keep their order", async () => {
  const [kudos] = await list("/activity?limit=1&include=category_id,sender_id", first.key);
  expect(Object.keys(kudos ?? {}).slice(-2)).toEqual(["sender_id", "category_id"]);
  expect(kudos).not.toHaveProperty("receiver_id");
});

test("GET /teams answers every team of the company, newest first, ties by id descending", async () => {
  for (const { id, key } of demo) {
    const teams = await sql<Row[]>`
      select id::text, name, ${dateTime("created_at")} as created_at from app.teams
      where company_id = ${id} order by app.teams.created_at desc, app.teams.id desc`;
    expect(teams.length).toBeGreaterThan(3);
    expectRows(await list("/teams", key), teams);
  }
});

test("GET /categories answers every category, by the name that its kudos have; its ids are those that category_id takes", async () => {
  for (const { id, key } of demo) {
    const categories = await list("/categories", key);
    const stored = await sql<Row[]>`
      select id::text, ${dateTime("created_at")} as created_at from app.categories
      where company_id = ${id} order by app.categories.created_at desc, app.categories.id desc`;
    expectRows(
      categories.map(({ id, created_at }) => ({ id, created_at })),
      stored,
    );
    for (const { id, name } of categories) {
      const kudos = await list(`/activity?limit=5&category_id=${id}`, key);
      expect(new Set(kudos.map(({ category }) => category))).toEqual(new Set(kudos.length > 0 ? [name] : []));
    }
  }
});
