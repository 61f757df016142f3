// Every list of the table of endpoints (docs/api.md, Lists): its rows, their order and fields, its filters, windows and
// pages. What each answer must be is computed from the same data by the model (test/support), which shares no code with
// the API. test/hardening/isolation.test.ts shows that rows are the company's own, and the lists as CSV.
import { describe, expect, test } from "vitest";
import { lists } from "../../functions/public-api/table/endpoints.ts";
import { companyOfFile, companyOfTest } from "../support/companies.ts";
import { everyCombination, met, rowAt, tied } from "../support/list_requests.ts";
import { modelOf, predict, readCsv, rowsOf } from "../support/model.ts";
import { call, list, nextPage, type Row, sql } from "../support/stack.ts";
import { iso, worldOfFile } from "../support/world.ts";

type Parameters = Record<string, string>;

const windowed = lists.filter(({ parameters }) => parameters.some(({ name }) => name === "since"));

const { world, key } = await worldOfFile(120, "pt-br");
const { company: other, key: otherKey } = await companyOfFile("Other");

const read = (path: string, parameters: Parameters, apiKey = key): Promise<Response> =>
  call(`${path}?${new URLSearchParams(parameters)}`, apiKey);

/** Compares a page with the prediction: rows, their order, fields and the order of these, and whether there are more. */
async function expectPage(path: string, parameters: Parameters): Promise<Row[]> {
  const response = await read(path, parameters);
  const body = await response.text();
  const { rows, hasMore } = predict(world, { path, parameters }) ?? { rows: [], hasMore: "a 400" };
  const where = `${path} ${JSON.stringify(parameters)}`;
  expect([where, response.status, response.headers.get("X-Has-More")]).toEqual([where, 200, String(hasMore)]);
  if (JSON.stringify(JSON.parse(body)) !== JSON.stringify(rows)) expect(JSON.parse(body), where).toEqual(rows);
  return rows;
}

describe.each(lists)("GET $path", ({ path, aliases, parameters, columns, included }) => {
  test("has the columns and the parameters that the model knows, and no other", () => {
    expect(columns.map(({ name }) => name)).toEqual(modelOf(path).columns);
    expect(included.map(({ name }) => name)).toEqual(modelOf(path).included);
    const common = ["limit", "format", "escape_formulas", "starting_after"];
    if (included.length > 0) common.push("include");
    expect(parameters.map(({ name }) => name)).toEqual([...common, ...modelOf(path).filters, ...modelOf(path).unique]);
  });

  // That no column names the person of a day rating or a pulse answer is in the model.
  // Proves: service.2, service.6, service.8, service.9, member.1, member.2, kudos.1, kudos.2, reward.1, reward.2,
  // reward.3, rating.1, rating.2, pulse.1, parameters.1, parameters.2, parameters.16, endpoints.4, endpoints.6,
  // endpoints.8, endpoints.9, endpoints.10, authentication.12, limits.1, limits.2, responses.2, responses.3,
  // responses.6, responses.21, responses.22, responses.23, rows.10, reaching.8, reaching.9, risk.3
  test("answers every row of the company, newest first, ties by id descending, up to limit, 100 when it is absent", async () => {
    const all = path === "/rewards" ? { include_archived: "true" } : {};
    const rows = await expectPage(path, { ...all, limit: "1000" });
    expect(rows.map(({ id }) => id)).toEqual(rowsOf(world, path).map(({ id }) => id));
    await expectPage(path, {});
    for (const limit of [1, 2, rows.length - 1, rows.length]) await expectPage(path, { ...all, limit: String(limit) });
  });

  // Proves: reaching.2
  test("starts after any row, also one of several of the same instant, and one that the filters leave out", async () => {
    expect(tied(world, path).length).toBeGreaterThan(2);
    const [archived = tied(world, path)[0]] = rowsOf(world, path).filter(({ is_archived }) => is_archived);
    for (const start of [...tied(world, path).slice(0, 8), archived])
      await expectPage(path, { limit: "5", starting_after: String(start?.id) });
  });

  // Proves: reaching.1, copies.14
  test.each(["json", "csv"])(
    "by its Link alone every row is reached once, in the order of the list, as %s",
    async (format) => {
      const more: Parameters = path === "/rewards" ? { include_archived: "true" } : {};
      const ids: unknown[] = [];
      const query = new URLSearchParams({ ...more, limit: "7", format });
      for (let next: string | undefined = `${path}?${query}`; next !== undefined; ) {
        const response = await call(next, key);
        const body = await response.text();
        const rows = format === "csv" ? readCsv(body).slice(1) : JSON.parse(body).map(Object.values);
        ids.push(...rows.map(([id]: unknown[]) => id));
        next = nextPage(response);
      }
      expect(ids).toEqual(rowsOf(world, path).map(({ id }) => id));
    },
  );

  // Proves: service.2, parameters.4, parameters.5, parameters.6, parameters.7, parameters.8, parameters.9,
  // parameters.10, parameters.11, parameters.12, responses.24, reaching.3, reaching.6
  test("each filter, since, until, starting_after and include hold in every combination", async () => {
    for (const [index, request] of everyCombination(world, path).entries()) {
      const { length } = predict(world, { path, parameters: { ...request, limit: "1000" } })?.rows ?? [];
      // All rows, exactly as many as there are, and one less: there are more then.
      const limit = [1000, Math.max(1, length), Math.max(1, length - 1)][index % 3];
      await expectPage(path, { ...request, limit: String(limit) });
    }
  });

  // Proves: questions.10, questions.11
  test("a filter that one row meets finds that row and no other, whatever else is sent", async () => {
    const name = modelOf(path).unique[0] ?? "";
    const rows = rowsOf(world, path).filter((row) => (row[name] ?? null) !== null);
    const ids = tied(world, path)
      .slice(0, 8)
      .map(({ id }) => id);
    const starts = ids.map((id) => ({ starting_after: id }));
    const few = rows.filter(({ id }, index) => index < 8 || ids.includes(id));
    for (const [index, row] of few.entries()) {
      const value = String(row[name]);
      // Those that the row meets, and those of another one.
      const { starting_after, ...filters } = met(path, rowAt(world, path, index + ((index + 1) % 2)));
      const each = Object.entries(filters).map((filter) => Object.fromEntries([filter]));
      const sent = [{}, filters, ...each, ...starts, { starting_after, ...filters }, { limit: "1" }];
      const more = [{}, ...included.slice(0, 1).map(({ name }) => ({ include: name }))];
      for (const others of sent.flatMap((one) => more.map((column) => ({ ...one, ...column }))))
        await expectPage(path, { ...others, [name]: value } as Parameters);
      await expectPage(path, { [name]: name === "email" ? value.toUpperCase() : `${value}0` });
    }
  });

  // Proves: responses.11
  test("is an empty array, or a CSV of the header, when there are no rows", async () => {
    // The admin is a member.
    const nobody: Parameters = path === "/members" ? { role: "nobody" } : {};
    const json = await read(path, nobody, otherKey);
    expect([await json.text(), json.headers.get("X-Has-More")]).toEqual(["[]", "false"]);
    const csv = await read(path, { ...nobody, format: "csv" }, otherKey);
    expect([await csv.text(), csv.headers.get("X-Has-More")]).toEqual([`${modelOf(path).columns.join()}\r\n`, "false"]);
  });

  // The read follows no redirect.
  // Proves: service.7, parameters.3, endpoints.5, endpoints.7, requests.45, requests.46, responses.8, responses.18
  test("answers the same under its aliases, with a slash at its end, as JSON by default and with format=json", async () => {
    const answer = async (path: string, parameters: Parameters) => {
      const response = await read(path, parameters);
      const headers = ["Content-Type", "Content-Disposition"].map((name) => response.headers.get(name));
      return [...headers, await response.text()];
    };
    const [json, csv] = [await answer(path, {}), await answer(path, { format: "csv" })];
    expect(json).toEqual(["application/json", null, expect.any(String)]);
    const file = `attachment; filename="${path.slice(1)}.csv"`;
    expect(csv).toEqual(["text/csv; charset=utf-8; header=present", file, expect.any(String)]);
    expect(await answer(path, { format: "json" })).toEqual(json);
    for (const alias of [...aliases, ...[path, ...aliases].map((name) => `${name}/`)])
      expect([await answer(alias, {}), await answer(alias, { format: "csv" })]).toEqual([json, csv]);
  });
});

test("GET /members?name= finds the people whose names contain it, with every other parameter", async () => {
  const rows = rowsOf(world, "/members");
  for (const [index, row] of rows.slice(0, 6).entries()) {
    const [, digits = ""] = /([0-9]+)\D*$/.exec(String(row.name)) ?? [];
    for (const name of [digits || "0", world.canary.toUpperCase()]) {
      await expectPage("/members", { name, limit: "7" });
      await expectPage("/members", { ...met("/members", rowAt(world, "/members", index)), name });
    }
  }
  for (const { id } of tied(world, "/members").slice(0, 8))
    await expectPage("/members", { name: world.canary, starting_after: String(id) });
});

test("GET /members?name= ignores case and accents, and takes ß for ss", async () => {
  const { company, key } = await companyOfTest("Without accents");
  await company.addMember("Zoë Groß", "employee");
  for (const name of ["ZOE GROSS", "zoë groß", "GROẞ"])
    expect(await list(`/members?${new URLSearchParams({ name })}`, key), name).toMatchObject([{ name: "Zoë Groß" }]);
});

describe.each(windowed)("the window of $path", ({ path }) => {
  const micros = (text: string, by: number): string =>
    text.replace(/\d{6}Z$/, (digits) => `${String(Number(digits.slice(0, 6)) + by).padStart(6, "0")}Z`);

  // Proves: parameters.4, parameters.5, requests.27, responses.5, responses.25
  test("since and until are inclusive, to the microsecond", async () => {
    for (const { at } of tied(world, path).slice(0, 6)) {
      const time = iso(at);
      for (const by of [-1, 0, 1])
        for (const bound of ["since", "until"])
          for (const include of [{}, { include: String(modelOf(path).included.at(-1)) }])
            await expectPage(path, { ...include, limit: "1000", [bound]: micros(time, by) });
    }
  });

  // Proves: requests.29, requests.32
  test("takes every year from 0001 to 9999, whatever the zone, and digits past the sixth", async () => {
    const [{ at } = { at: 0n }] = rowsOf(world, path);
    const counts: [query: string, rows: number][] = [
      ["since=0001-01-01T00:00%2B23:59&until=9999-12-31T23:59:59-23:59", 120],
      ["until=0001-01-01T00:00%2B23:59", 0],
      ["since=9999-12-31T23:59:59.999999999-23:59", 0],
      [`since=${iso(at).replace("Z", "001Z")}`, 0],
      [`until=${iso(at).replace("Z", "999Z")}`, 120],
    ];
    for (const [query, rows] of counts)
      expect([query, (await list(`${path}?limit=1000&${query}`, key)).length]).toEqual([query, rows]);
  });
});

// Proves: requests.39
test("a filter is exact: a role's letter case and blanks count, % and _ are no patterns", async () => {
  for (const role of ["Admin", "admi", "admin ", "%", "adm_n", "admin' or true --"])
    expect(await list(`/members?${new URLSearchParams({ role })}`, key)).toEqual([]);
});

// Proves: pulse.2, responses.13, responses.14, responses.20
test("any JSON of a pulse value is answered exactly, as JSON and as CSV", async () => {
  const values = [
    ...['"text"', '""', '"true"', '"5"', '"quotes \\" and \\\\ and \u2028"', '"👍🏽"', "0", "-1", "3.5", "true"],
    ...["false", "null", "[]", '["a", ["b", null]]', "{}", '{"": [true], "z": 1}', "[".repeat(999) + "]".repeat(999)],
    ...["1.10", "0.00", "12345678901234567890.000", `${"9".repeat(400)}.5`],
  ];
  await sql`
    insert into app.pulse_responses (company_id, value, created_at)
    select ${other.id}, value::jsonb, '2026-11-20Z'::timestamptz - place * interval '1 minute'
    from unnest(${[...values, null]}::text[]) with ordinality as v (value, place)`;
  // As text: JSON.parse would round the numbers.
  const body = await (await read("/pulse-responses", {}, otherKey)).text();
  const sent = [...body.matchAll(/"value":(.*?),"comment":/gs)].map(([, value]) => value);
  expect(sent).toEqual([...values, "null"]);
  const csv = readCsv(await (await read("/pulse-responses", { format: "csv" }, otherKey)).text());
  const cell = (value = "") => {
    if (value === "null") return "";
    if (value.startsWith('"')) return JSON.parse(value);
    // Without blanks between its parts.
    return /^[[{]/.test(value) ? JSON.stringify(JSON.parse(value)) : value;
  };
  expect(csv.slice(1).map((row) => row[4])).toEqual(sent.map(cell));
});
