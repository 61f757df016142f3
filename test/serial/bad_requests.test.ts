// Requests that must be refused, each with its exact status and text. They must change nothing in the database. The
// requests are listed in test/support/bad_requests.ts and bad_imports.ts; each statement there is one test here.
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { badImports } from "../support/bad_imports.ts";
import { type BadRequest, type BadRequests, badRequests } from "../support/bad_requests.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { send } from "../support/raw.ts";
import { expectHeaders, importRewards, sql, stack } from "../support/stack.ts";

const all: BadRequests = { ...badRequests, ...badImports };

let company: TestCompany;
let key: string;
let before: Record<string, string>;
beforeAll(async () => {
  company = await newCompany("Bad requests");
  key = (await company.makeKey()).api_key;
  // The rewards that the bad imports name exist already. If a check were missing, an import would change them.
  const rows = ["bad", "a", "b"].map((external_id) => ({
    external_id,
    name: "Before",
    points_cost: 5,
    description: "Before",
  }));
  expect((await importRewards(key, rows)).status).toBe(200);
  before = await checksums();
});
afterAll(() => company.remove());

/** A checksum of every table of schema app, over all its rows, sorted. */
async function checksums(): Promise<Record<string, string>> {
  const tables = await sql<{ name: string; columns: string }[]>`
    select c.relname as name, string_agg(quote_ident(a.attname), ', ' order by a.attnum) as columns
    from pg_class as c join pg_attribute as a on a.attrelid = c.oid
    where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      -- A request that gets a 400 has a valid key, whose use is recorded.
      and (c.relname, a.attname) <> ('api_key_uses', 'last_used_at')
    group by c.relname`;
  expect(tables.length).toBeGreaterThan(10);
  const sums: Record<string, string> = {};
  for (const { name, columns } of tables) {
    const lines = `select row(${columns})::text as line from app.${name}`;
    const [row] = await sql.unsafe(
      `select md5(string_agg(line, chr(10) order by line collate "C")) as sum from (${lines}) as lines`,
    );
    sums[name] = row?.sum ?? "no rows";
  }
  return sums;
}

async function refuse({ method = "GET", path, headers = {}, body, status, error }: BadRequest): Promise<void> {
  const ownKey = "X-API-Key" in headers || "Authorization" in headers;
  const response = await send(method, path, { ...(!ownKey && { "X-API-Key": key }), ...headers }, body);
  const request = `${method} ${path.slice(0, 200)} ${body === undefined ? "" : Buffer.from(body).subarray(0, 200)}`;
  const answered = { request, status: response.status, body: response.body };
  expect.soft(answered).toEqual({ request, status, body: JSON.stringify({ error }) });
  expect.soft(response.headers.get("Content-Type")).toBe("application/json");
  expectHeaders(response.headers);
}

test.each(Object.keys(all))("%s", async (statement) => {
  for (const bad of all[statement] ?? []) await refuse(bad);
});

test("a raw < in a path is refused by the platform's server, before the function sees it", async () => {
  const { hostname, port, pathname } = new URL(stack.api_url);
  const status = await new Promise((resolve, reject) => {
    const path = `${pathname}/<script>`;
    const sent = request({ hostname, port, path, agent: false }, (response) => resolve(response.resume().statusCode));
    sent.on("error", reject).end();
  });
  expect(status).toBe(400);
});

test("these were at least 150 bad requests, and no error text has a line break or a place in the code", () => {
  const requests = Object.values(all).flat();
  expect(requests.length).toBeGreaterThanOrEqual(150);
  for (const { error } of requests) expect(error).not.toMatch(/\[object|\.ts:\d|[\r\n]/);
});

// Proves: errors.6
test("after all bad requests the database's contents are what they were, byte for byte", async () => {
  expect(await checksums()).toEqual(before);
});
