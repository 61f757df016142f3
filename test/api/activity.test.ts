// GET /activity and its alias /kudos (docs/api.md, Activity).
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { newCompany } from "../support/companies.ts";
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

type Kudos = { row: Row; category_id: string; sender_id: string; receiver_id: string };

/** The kudos in the tables, read without the views: the row that the API returns, and the ids that filters ask for. */
async function kudos({ id }: DemoCompany): Promise<Kudos[]> {
  const rows = await sql`
    select k.id::text, ${dateTime("k.created_at")} as timestamp,
      s.name as sender_name, s.email as sender_email, r.name as receiver_name, r.email as receiver_email, k.message,
      coalesce(
        (select n.name from app.category_names n where n.category_id = k.category_id and n.language = c.default_language),
        (select n.name from app.category_names n where n.category_id = k.category_id and n.language = 'en'),
        -- No category of the demo data has names in two other languages, so max() has no choice to make.
        (select max(n.name) from app.category_names n where n.category_id = k.category_id)
      ) as category,
      k.category_id::text, k.sender_id::text, k.receiver_id::text
    from app.kudos k
    join app.companies c on c.id = k.company_id
    join app.members s on s.company_id = k.company_id and s.id = k.sender_id
    join app.members r on r.company_id = k.company_id and r.id = k.receiver_id
    where k.company_id = ${id}
    order by k.created_at desc, k.id desc`;
  return rows.map(({ category_id, sender_id, receiver_id, ...row }) => ({ row, category_id, sender_id, receiver_id }));
}

/**
 * All rows, read as docs/api.md tells a client: `until` is the time of the last row, and ids seen before are dropped.
 */
async function readThrough(path: string, key: string, limit: number): Promise<Row[]> {
  const rows = new Map<unknown, Row>();
  for (let until = ""; ; ) {
    const response = await call(`${path}?limit=${limit}${until && `&until=${until}`}`, key);
    const window: Row[] = await response.json();
    for (const row of window) rows.set(row.id, row);
    if (response.headers.get("X-Has-More") === "false") return [...rows.values()];
    until = String(window.at(-1)?.timestamp);
  }
}

test("GET /activity answers every kudos of the company, newest first, ties by id descending, in windows of 1000", async () => {
  for (const company of demo) {
    const expected = (await kudos(company)).map(({ row }) => row);
    expect(expected.length).toBeGreaterThanOrEqual(3000);
    expectRows(await readThrough("/activity", company.key, 1000), expected);
  }
});

test("windows of 100 through timestamps that several kudos share reach every kudos once", async () => {
  const expected = (await kudos(first)).map(({ row }) => row);
  expect(expected[99]?.timestamp, "kudos share a timestamp across the first window's end").toBe(
    expected[100]?.timestamp,
  );
  expectRows(await readThrough("/activity", first.key, 100), expected);
});

test("GET /kudos is an alias of GET /activity", async () => {
  for (const company of demo) {
    const expected = (await kudos(company)).slice(0, 1000).map(({ row }) => row);
    expectRows(await list("/kudos?limit=1000", company.key), expected);
  }
});

test("a kudos has id, timestamp, sender and receiver with name and email, message and category, all texts, in this order", async () => {
  for (const { key } of demo) {
    for (const row of await list("/activity?limit=1000", key)) {
      expect(row).toEqual({
        id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/),
        sender_name: expect.any(String),
        sender_email: expect.stringMatching(/^[^@\s]+@[^@\s]+$/),
        receiver_name: expect.any(String),
        receiver_email: expect.stringMatching(/^[^@\s]+@[^@\s]+$/),
        message: expect.any(String),
        category: expect.any(String),
      });
      const names = "id timestamp sender_name sender_email receiver_name receiver_email message category";
      expect(Object.keys(row).join(" ")).toBe(names);
    }
  }
});

test("since, until, category_id, sender_id and receiver_id filter kudos, alone and in every combination", async () => {
  for (const company of demo) {
    const all = await kudos(company);
    // A kudos in the middle of the year gives the three ids, and the window lies around it. So every combination finds
    // at least this kudos.
    const one = all[1500] as Kudos;
    const filters = {
      since: String(all[2200]?.row.timestamp),
      until: String(all[800]?.row.timestamp),
      category_id: one.category_id,
      sender_id: one.sender_id,
      receiver_id: one.receiver_id,
    };
    for (const filter of combinations(filters)) {
      const { since, until, ...wanted } = filter;
      const expected = all.filter(
        (candidate) =>
          (!since || String(candidate.row.timestamp) >= since) &&
          (!until || String(candidate.row.timestamp) <= until) &&
          Object.entries(wanted).every(([name, value]) => candidate[name as keyof Kudos] === value),
      );
      expect(expected).toContain(one);
      const path = `/activity?${new URLSearchParams({ limit: "1000", ...filter })}`;
      expectRows(
        await list(path, company.key),
        expected.slice(0, 1000).map(({ row }) => row),
      );
    }
  }
});

test("another company's category, sender and receiver find nothing, exactly as ids that do not exist", async () => {
  const [theirs] = await kudos(second);
  for (const name of ["category_id", "sender_id", "receiver_id"] as const) {
    for (const id of [theirs?.[name], randomUUID()]) {
      const response = await call(`/activity?${name}=${id}`, first.key);
      expect(response.status).toBe(200);
      expect(response.headers.get("X-Has-More")).toBe("false");
      expect(await response.text()).toBe("[]");
    }
  }
});

test("category is the name in the company's default language, which is German in one company", async () => {
  const categories = async (key: string) =>
    new Set((await list("/activity?limit=1000", key)).map(({ category }) => category));
  expect(await categories(first.key)).toContain("Teamwork");
  expect(await categories(second.key)).toContain("Sauber, dicht, pünktlich");
});

test("category is the English name when there is none in the default language, and any when there is no English one", async () => {
  const company = await newCompany("Languages", "pt-BR");
  try {
    const named: [category: string, names: Record<string, string>][] = [
      [randomUUID(), { en: "Teamwork", "pt-BR": "Trabalho em equipe", de: "Teamarbeit" }],
      [randomUUID(), { de: "Einfall", en: "Idea", pt: "Ideia" }],
      [randomUUID(), { ja: "匠の技" }],
      [randomUUID(), { fr: "Sécurité", de: "Sicherheit" }],
      [randomUUID(), {}],
    ];
    const [person] = await sql`select id from app.members where company_id = ${company.id}`;
    for (const [category, names] of named) {
      await sql`insert into app.categories (company_id, id) values (${company.id}, ${category})`;
      for (const [language, name] of Object.entries(names)) {
        await sql`insert into app.category_names values (${company.id}, ${category}, ${language}, ${name})`;
      }
      await sql`
        insert into app.kudos (company_id, sender_id, receiver_id, category_id, message)
        values (${company.id}, ${person?.id}, ${person?.id}, ${category}, 'Thanks!')`;
    }
    const { api_key } = await company.makeKey(["read:activity"]);
    const rows = await list("/activity", api_key);
    const category = (index: number) => rows.at(-1 - index)?.category;
    expect(category(0)).toBe("Trabalho em equipe");
    expect(category(1)).toBe("Idea");
    expect(category(2)).toBe("匠の技");
    expect(["Sécurité", "Sicherheit"]).toContain(category(3));
    // The category is always a text: empty for a category that has no name yet.
    expect(category(4)).toBe("");
  } finally {
    await company.remove();
  }
});

test("messages keep line breaks, quotes, emoji and what looks like a formula", async () => {
  const messages = (await kudos(first)).map(({ row }) => String(row.message));
  const received = new Set((await readThrough("/activity", first.key, 1000)).map(({ message }) => message));
  for (const shape of [/\n/, /\r\n/, /"/, /\p{Extended_Pictographic}/u, /^\+1/, /^@/, /^-/, /^=/, /^\t/]) {
    const message = messages.find((text) => shape.test(text));
    expect(message, `the demo data has a message like ${shape}`).toBeDefined();
    expect(received).toContain(message);
  }
});
