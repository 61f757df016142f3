// Questions in one request (docs/api.md, Questions): counts of kudos and averages of day ratings. What each answer must be
// is computed from the same data by the model (test/support). Days are in test/sql/068_questions.sql.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/table/endpoints.ts";
import { count, tried } from "../support/counts.ts";
import { cells, predictGroups, questions, readCsv, rowsOf, steps } from "../support/model.ts";
import { besideNeighbour } from "../support/neighbour.ts";
import { call, list, type Row, sql } from "../support/stack.ts";
import { iso, newWorld, worldOfFile } from "../support/world.ts";

type Parameters = Record<string, string>;

const asked = endpoints.filter((endpoint) => endpoint.kind === "aggregates");

// Two companies beside each other: no byte of the other's is in an answer.
const { world, key } = await worldOfFile(120, "pt-br");
const { world: other, key: otherKey } = await worldOfFile(30);

const read = (path: string, parameters: Parameters): Promise<Response> =>
  call(`${path}?${new URLSearchParams(parameters)}`, key);

async function expectAnswer(path: string, parameters: Parameters): Promise<Row[]> {
  const response = await read(path, parameters);
  const body = await response.text();
  const { all, rows } = predictGroups(world, { path, parameters });
  const where = `${path} ${JSON.stringify(parameters)}`;
  expect([where, response.status, body.slice(0, response.status === 200 ? 0 : 500)]).toEqual([where, 200, ""]);
  const further = [response.headers.get("X-Has-More"), response.headers.get("Link")];
  expect([where, ...further]).toEqual([where, String(all.length > rows.length), null]);
  expect(body).not.toContain(other.canary);
  if (parameters.format === "csv") expect(readCsv(body), where).toEqual(cells({ path, parameters }, rows));
  // Compared as text, because the order of the fields counts.
  else if (JSON.stringify(JSON.parse(body)) !== JSON.stringify(rows)) expect(JSON.parse(body), where).toEqual(rows);
  return rows;
}

/** Every set of up to `most` of the values. */
const sets = (values: string[], most: number): string[][] =>
  values.reduce<string[][]>(
    (all, value) => all.flatMap((set) => (set.length < most ? [set, [...set, value]] : [set])),
    [[]],
  );

describe.each(asked)("GET $path", ({ path, aliases, parameters, by, columns, included }) => {
  test("has the columns to include and the parameters that the model knows, and no other", () => {
    const question = questions[path];
    expect(included.map(({ name }) => name)).toEqual(Object.keys(question?.included([]) ?? {}));
    const common = ["limit", "format", "escape_formulas", "by", "time_zone", "since", "until"];
    const more = [...(included.length > 0 ? ["include"] : []), ...(question?.filters ?? [])];
    expect(parameters.map(({ name }) => name)).toEqual([...common, ...more]);
  });

  // Proves: questions.1, questions.2, questions.5, questions.6, questions.8
  test("answers by every combination, in the order in which it is named, and by month without any", async () => {
    const others = by.map(({ name }) => name).filter((name) => !steps.includes(name));
    const combinations = sets(others, 3).flatMap((set) => [
      set,
      ...(set.length < 3 ? steps.map((step) => [...set, step]) : []),
    ]);
    for (const [index, names] of combinations.filter((names) => names.length > 0).entries())
      await expectAnswer(path, { by: (index % 2 ? names : names.toReversed()).join() });
    await expectAnswer(path, {});
    for (const alias of aliases) expect(await (await read(alias, {})).text()).toBe(await (await read(path, {})).text());
  });

  test("is an empty array, or a CSV of the header, when there are no rows", async () => {
    const nothing = { since: "2020-01-01", until: "2020-12-31" };
    expect(await (await read(path, nothing)).text()).toBe("[]");
    const csv = await (await read(path, { ...nothing, format: "csv" })).text();
    expect(csv).toBe(`month,${columns.map(({ name }) => name).join()}\r\n`);
    expect(await (await read(path, { [parameters.at(-1)?.name ?? ""]: randomUUID() })).text()).toBe("[]");
  });
});

/** With summer time in both halves of the year, at midnight too, with odd offsets, and at both ends of the day. */
const zones = [
  ...["UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "Africa/Cairo", "Asia/Beirut", "America/Havana"],
  ...["Atlantic/Azores", "Australia/Lord_Howe", "Pacific/Chatham", "Asia/Kathmandu"],
  ...["Pacific/Kiritimati", "Etc/GMT+12"],
];

const drawn = fc.record({
  path: fc.constantFrom(...Object.keys(questions)),
  by: fc.shuffledSubarray([...Object.keys(questions["/activity/counts"]?.by ?? {}), "team"], { maxLength: 3 }),
  step: fc.constantFrom(...steps, undefined),
  place: fc.nat(3),
  parameters: fc.subarray([
    ...["since", "until", "time_zone", "category_id", "sender_id", "receiver_id", "team_id"],
    ...["sender_team_id", "receiver_team_id", "limit", "include"],
  ]),
  limit: fc.constantFrom("1", "3", "1000"),
  include: fc.constantFrom("senders", "receivers", "receivers,senders"),
  time_zone: fc.constantFrom(...zones),
  row: fc.nat(1000),
  /** How many characters of a time: all, or a bare date. */
  length: fc.constantFrom(10, 27),
  format: fc.constantFrom({}, { format: "csv" }, { format: "csv", escape_formulas: "true" }),
});

// Proves: questions.2, questions.3, questions.4, questions.6, questions.12, questions.13
test("any window, filters and time zone: the groups are those of the model, and their sum is that of an export", async () => {
  const property = fc.asyncProperty(drawn, async ({ path, by, step, place, row, length, format, ...drawn }) => {
    const { parameters, ...values } = drawn;
    const { list: of = "", by: known = {}, filters = [] } = questions[path] ?? {};
    const names = by.filter((name) => name in known).slice(0, step ? 2 : 3);
    if (step) names.splice(place, 0, step);
    const rows = rowsOf(world, of);
    const [one, two] = [rows[row % rows.length], rows[(row + 7) % rows.length]];
    const [since = "", until = ""] = [iso(one?.at ?? 0n), iso(two?.at ?? 0n)]
      .map((time) => time.slice(0, length))
      .sort();
    const all: Record<string, unknown> = { ...one, ...values, since, until };
    const taken = [...filters, ...(path === "/day-ratings/averages" ? [] : ["include"])];
    const wanted = parameters.filter((name) => all[name] && (!/_id$|^include$/.test(name) || taken.includes(name)));
    const sent: Parameters = Object.fromEntries(wanted.map((name) => [name, String(all[name])]));
    const groups = await expectAnswer(path, { ...sent, ...(names.length > 0 && { by: names.join() }), ...format });

    const { time_zone, limit, include: _, ...window } = sent;
    // The list has no time zones, and no filters by team.
    if ((time_zone && length === 10) || limit || Object.keys(sent).some((name) => /r_team_id$/.test(name))) return;
    // Without since the window begins with a month; all rows of this company are younger.
    const exported = await list(`${of}?${new URLSearchParams({ limit: "1000", ...window })}`, key);
    const sum = groups.reduce((total, { kudos, ratings }) => total + Number(kudos ?? ratings), 0);
    expect(sum).toBe(exported.length);
  });
  const numRuns = count(150, 4000);
  await besideNeighbour(() => fc.assert(property, { numRuns }));
  tried(`questions: ${numRuns} random ones were answered as the model predicts, with the sum of an export`);
});

// Proves: questions.6, questions.12
test("erased people are counted together, as Former member and without a team", async () => {
  const company = (await newWorld(20)).company;
  const { api_key } = await company.makeKey();
  const senders = await sql`
    select distinct sender_id as id from app.kudos where company_id = ${company.id} and sender_id <> receiver_id limit 2`;
  for (const { id } of senders) await sql`select app.erase_member(${company.id}, ${id}, false)`;
  const before = await list("/activity?limit=1000&include=sender_id", api_key);
  const former = before.filter(({ sender_name }) => sender_name === "Former member");
  const groups = await list("/activity/counts?by=sender,sender_team&include=senders", api_key);
  expect(groups.filter(({ sender_name }) => sender_name === "Former member")).toEqual([
    {
      ...{ sender_id: former[0]?.sender_id, sender_name: "Former member", kudos: former.length },
      ...{ sender_team_id: null, sender_team_name: "No Team", senders: 1 },
    },
  ]);
  await company.remove();
});

// Proves: questions.7, questions.13
test("10,000 groups are answered, and one more is a 400 that says what to do, unless only the first are asked for", async () => {
  const { company, kudos } = other;
  const window = "since=2024-01-01&until=2025-01-31";
  /** Kudos each of which is the only one of its sender on its day. */
  const thank = (from: number, count: number) => sql`
    insert into app.kudos (company_id, sender_id, receiver_id, category_id, message, created_at)
    select ${company.id}, m.id, ${kudos[0]?.receiver_id ?? ""}, ${kudos[0]?.category_id ?? ""}, 'Thanks', '2024-01-01Z'::timestamptz + n * interval '1 day'
    from (select id from app.members where company_id = ${company.id} order by id limit 30) as m, generate_series(0, 349) as n
    order by n, m.id offset ${from}::integer limit ${count}::integer`;
  await thank(0, 10_000);
  expect(await list(`/activity/counts?by=day,sender&${window}`, otherKey)).toHaveLength(10_000);
  await thank(10_000, 1);
  const refused = await call(`/activity/counts?by=day,sender&${window}`, otherKey);
  const error =
    "the answer has more than 10000 rows: use limit, fewer names in by, teams instead of people, a shorter time window, or a filter";
  expect([refused.status, await refused.json()]).toEqual([400, { error }]);
  const first = await call(`/activity/counts?by=day,sender&${window}&limit=1000&include=senders`, otherKey);
  expect([first.headers.get("X-Has-More"), (await first.json()).length]).toEqual(["true", 1000]);
  expect(await list(`/activity/counts?by=sender&${window}`, otherKey)).toHaveLength(30);
});
