// What all lists have in common (docs/api.md, Lists): limit, X-Has-More, order, date-times, since and until. The
// company has 1,005 rows in every list, three at each microsecond, so that since and until fall between times one
// microsecond apart.
import { afterAll, beforeAll, expect, test } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { call, list, page, type Row, sql } from "../support/stack.ts";

const total = 1005;
const timed = { "/activity": "timestamp", "/day-ratings": "created_at", "/pulse-responses": "timestamp" } as const;
const time = { "/members": "created_at", "/rewards": "created_at", ...timed } as const;
const lists = Object.keys(time) as (keyof typeof time)[];
const windowed = Object.keys(timed) as (keyof typeof timed)[];

let company: TestCompany;
let key: string;
beforeAll(async () => {
  company = await newCompany("Crowd");
  key = (await company.makeKey()).api_key;
  const { id } = company;
  // Three rows per microsecond, beginning at .999900, so that the times cross a full second.
  const at = sql`'2026-03-01T10:15:30.999900Z'::timestamptz + (n / 3) * interval '1 microsecond'`;
  const numbers = sql`generate_series(0, ${total - 1}) as n`;
  // The company's admin is the row with n = 0, so that there are 1,005 members in total.
  await sql`
    insert into app.members (company_id, name, email, created_at)
    select ${id}, 'Member ' || n, 'member' || n || '@crowd.example', ${at} from ${numbers} where n > 0`;
  await sql`update app.members set created_at = '2026-03-01T10:15:30.999900Z' where company_id = ${id} and role = 'admin'`;
  await sql`
    insert into app.rewards (company_id, name, points_cost, created_at) select ${id}, 'Reward ' || n, n, ${at} from ${numbers}`;
  await sql`insert into app.categories (company_id) values (${id})`;
  await sql`insert into app.category_names select company_id, id, 'en', 'Any' from app.categories where company_id = ${id}`;
  await sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select ${id}, m.id, m.id, c.id, 'Kudos ' || n, ${at}
    from app.members as m, app.categories as c, ${numbers}
    where m.company_id = ${id} and m.role = 'admin' and c.company_id = ${id}`;
  await sql`insert into app.day_ratings (company_id, rating, created_at) select ${id}, 3, ${at} from ${numbers}`;
  await sql`insert into app.pulse_responses (company_id, value, created_at) select ${id}, to_jsonb(n), ${at} from ${numbers}`;
}, 30_000);
afterAll(() => company.remove());

/** The time of the three rows of this microsecond. Microsecond 0 is .999900. */
const moment = (microsecond: number): string => {
  const sum = 999_900 + microsecond;
  return `2026-03-01T10:15:${30 + Math.floor(sum / 1_000_000)}.${String(sum % 1_000_000).padStart(6, "0")}Z`;
};

const timesOf = (rows: Row[], path: keyof typeof time) => rows.map((row) => row[time[path]]);

test("limit is 100 when absent, on every list", async () => {
  for (const path of lists) {
    const { rows, hasMore } = await page(path, key);
    expect([path, rows.length, hasMore]).toEqual([path, 100, true]);
  }
});

test("limit is the maximum number of rows, from 1 to 1000, on every list", async () => {
  for (const path of lists) {
    for (const limit of [1, 2, 99, 101, 999, 1000]) {
      const { rows, hasMore } = await page(`${path}?limit=${limit}`, key);
      expect([path, rows.length, hasMore]).toEqual([path, limit, true]);
    }
  }
});

test("a limit cuts the newest rows off the same list, on every list", async () => {
  for (const path of lists) {
    const longer = await list(`${path}?limit=1000`, key);
    expect(await list(`${path}?limit=7`, key)).toEqual(longer.slice(0, 7));
    expect(await list(path, key)).toEqual(longer.slice(0, 100));
  }
});

test("rows come newest first, ties by id descending, on every list", async () => {
  for (const path of lists) {
    const rows = await list(`${path}?limit=1000`, key);
    const order = rows.map((row) => `${row[time[path]]} ${row.id}`);
    expect(order).toEqual([...order].sort().reverse());
    expect(new Set(timesOf(rows, path)).size).toBe(334);
  }
});

test("date-times are ISO 8601 in UTC with microseconds and Z, on every list", async () => {
  for (const path of lists) {
    const [newest] = timesOf(await list(`${path}?limit=1`, key), path);
    expect(newest).toBe(moment(334));
    expect(newest).toBe("2026-03-01T10:15:31.000234Z");
  }
});

test("X-Has-More is false when the window holds exactly limit rows, and true for one less", async () => {
  for (const path of windowed) {
    const window = `since=${moment(10)}&until=${moment(19)}`;
    expect((await page(`${path}?limit=30&${window}`, key)).hasMore).toBe(false);
    expect((await page(`${path}?limit=29&${window}`, key)).hasMore).toBe(true);
  }
});

test("since and until are inclusive, to the microsecond", async () => {
  for (const path of windowed) {
    const rows = await list(`${path}?since=${moment(98)}&until=${moment(102)}`, key);
    const expected = [102, 101, 100, 99, 98].flatMap((microsecond) => Array(3).fill(moment(microsecond)));
    expect(timesOf(rows, path)).toEqual(expected);
    expect(await list(`${path}?since=${moment(7)}&until=${moment(7)}`, key)).toHaveLength(3);
  }
});

test("a date-time of an answer goes back into since and until unescaped", async () => {
  for (const path of windowed) {
    const [row] = await list(`${path}?limit=1`, key);
    const newest = row?.[time[path]];
    expect(timesOf(await list(`${path}?since=${newest}&until=${newest}`, key), path)).toEqual(Array(3).fill(newest));
  }
});

test("digits past the sixth count: since rounds up, until rounds down", async () => {
  for (const path of windowed) {
    const nano = (microsecond: number, digits: string) => moment(microsecond).replace("Z", `${digits}Z`);
    const times = async (query: string) => new Set(timesOf(await list(`${path}?${query}`, key), path));
    expect(await times(`since=${nano(5, "001")}&until=${nano(7, "999")}`)).toEqual(new Set([moment(6), moment(7)]));
    expect(await times(`since=${nano(5, "000")}&until=${nano(5, "000")}`)).toEqual(new Set([moment(5)]));
    expect(await times(`since=${nano(5, "1")}&until=${nano(5, "9")}`)).toEqual(new Set());
    // At the end of a second: a time after .999999 is later than every row of that second.
    expect(await times(`since=${nano(99, "5")}&until=${moment(100)}`)).toEqual(new Set([moment(100)]));
  }
});

test("until as the last row's time reaches every row of a list once, when seen ids are dropped", async () => {
  for (const path of windowed) {
    const seen = new Set<unknown>();
    for (let until = moment(9999), more = true; more; ) {
      const window = await page(`${path}?limit=100&until=${until}`, key);
      for (const { id } of window.rows) seen.add(id);
      until = String(timesOf(window.rows, path).at(-1));
      more = window.hasMore;
    }
    expect(seen.size).toBe(total);
  }
});

test("every form of since and until means the same instant: zones, missing seconds, a plus sign that arrives as a space", async () => {
  // All these forms mean 10:15:31 UTC: the rows from microsecond 100 on.
  const forms = [
    "2026-03-01T10:15:31Z",
    "2026-03-01T10:15:31",
    "2026-03-01T10:15:31.0Z",
    "2026-03-01T10:15:31.000000000",
    "2026-03-01T12:15:31%2B02:00",
    "2026-03-01T12:15:31+02:00",
    "2026-03-01T12:15:31%2B0200",
    "2026-03-01T12:15:31+02",
    "2026-03-01T12:15:31%2002",
    "2026-03-01T04:45:31-05:30",
    "2026-03-01T04:45:31-0530",
    "2026-03-01T03:15:31-07",
    "2026-03-02T09:14:31%2B22:59",
    "2026-03-01T10%3A15%3A31Z",
  ];
  const expected = await list(`/day-ratings?limit=1000&since=${moment(100)}`, key);
  expect(expected).toHaveLength(705);
  for (const form of forms) {
    expect(await list(`/day-ratings?limit=1000&since=${form}`, key), form).toEqual(expected);
    const upTo = await list(`/day-ratings?limit=1000&until=${form}`, key);
    expect([form, upTo.length, upTo[0]?.created_at]).toEqual([form, 303, moment(100)]);
  }
  // Without seconds, the time is the full minute.
  expect(await list("/day-ratings?since=2026-03-01T10:16Z", key)).toEqual([]);
  expect(await list("/day-ratings?limit=3&since=2026-03-01T10:15", key)).toHaveLength(3);
});

test("a bare date is the start of that day for since and its end for until, in UTC", async () => {
  const days = await newCompany("Days");
  try {
    const times = [
      "2026-02-27T23:59:59.999999Z",
      "2026-02-28T00:00:00.000000Z",
      "2026-02-28T23:59:59.999999Z",
      "2026-03-01T00:00:00.000000Z",
    ] as const;
    for (const at of times) {
      await sql`insert into app.day_ratings (company_id, rating, created_at) values (${days.id}, 5, ${at}::text::timestamptz)`;
    }
    const { api_key } = await days.makeKey(["read:analytics"]);
    const found = async (query: string) => timesOf(await list(`/day-ratings?${query}`, api_key), "/day-ratings");
    expect(await found("since=2026-02-28")).toEqual([times[3], times[2], times[1]]);
    expect(await found("until=2026-02-28")).toEqual([times[2], times[1], times[0]]);
    expect(await found("since=2026-02-28&until=2026-02-28")).toEqual([times[2], times[1]]);
  } finally {
    await days.remove();
  }
});

test("since and until take every year from 0001 to 9999", async () => {
  for (const path of windowed) {
    for (const query of [
      "since=0001-01-01",
      "until=9999-12-31",
      "since=0001-01-01T00:00%2B23:59",
      "until=9999-12-31T23:59:59-23:59",
    ]) {
      expect(await list(`${path}?limit=1&${query}`, key), query).toHaveLength(1);
    }
    expect(await list(`${path}?limit=1&until=0001-01-01T00:00%2B23:59`, key)).toEqual([]);
    expect(await list(`${path}?limit=1&since=9999-12-31T23:59:59.999999999-23:59`, key)).toEqual([]);
  }
});

test("every list is a JSON array of objects by default and with format=json", async () => {
  for (const path of lists) {
    const plain = await call(`${path}?limit=3`, key);
    expect(plain.headers.get("Content-Type")).toBe("application/json");
    const text = await plain.text();
    expect(JSON.parse(text)).toHaveLength(3);
    expect(await (await call(`${path}?limit=3&format=json`, key)).text()).toBe(text);
  }
});

test("a company without rows gets an empty array and X-Has-More false, on every list", async () => {
  const empty = await newCompany("Empty");
  try {
    const { api_key } = await empty.makeKey();
    for (const path of lists) {
      const { rows, hasMore } = await page(path, api_key);
      // The admin is a member.
      expect([path, rows.length, hasMore]).toEqual([path, path === "/members" ? 1 : 0, false]);
    }
  } finally {
    await empty.remove();
  }
});
