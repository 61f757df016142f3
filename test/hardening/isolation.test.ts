// Isolation, with random requests: the answer to any request, as JSON or as CSV, is the one that the model predicts from the
// data of the key's company, and no byte of it comes from another company. What keys without a scope and revoked keys get is in
// test/api/keys.test.ts.
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { count, tried } from "../support/counts.ts";
import { met, rowAt } from "../support/list_requests.ts";
import { cells, type ListRequest, lists, modelOf, predict, readCsv } from "../support/model.ts";
import { type RawResponse, send } from "../support/raw.ts";
import { type World, worldOfFile } from "../support/world.ts";

const tenants = await Promise.all([60, 60, 5].map((size) => worldOfFile(size)));
type Tenant = (typeof tenants)[number];

const nat = (max: number) => fc.nat({ max });
const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

const everyFilter = new Set(Object.values(lists).flatMap(({ filters }) => filters));

/**
 * A request of tenant `who`, with ids and times from the data of tenant `whose`. Rows are drawn as numbers and looked
 * up when the request is sent.
 */
const drawn = fc.record({
  who: nat(2),
  whose: nat(2),
  path: fc.constantFrom(...Object.keys(lists), "/"),
  parameters: fc.subarray(["limit", "starting_after", "include", ...everyFilter]),
  format: fc.constantFrom({}, { format: "json" }, { format: "csv" }, { format: "csv", escape_formulas: "true" }),
  row: nat(1000),
  limit: fc.constantFrom(1, 2, 7, 59, 60, 61, 1000),
  id: fc.constantFrom("row", "row", "random", "company"),
  trick: nat(7),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

function meant({ whose, path, parameters: wanted, format, row, limit, id }: Drawn): ListRequest {
  if (path === "/") return { path, parameters: {} };
  const { world } = pick(tenants, whose);
  const { included } = modelOf(path);
  // Some of these columns, in another order than in the answer.
  const include = included.slice(row % 2).reverse();
  const values = {
    ...met(path, rowAt(world, path, row), rowAt(world, path, row + 7)),
    limit: String(limit),
    include: (include.length > 0 ? include : included).join(),
  };
  const choose = (value: string) => ({ row: value, random: randomUUID(), company: world.company.id })[id] ?? "";
  const parameters = Object.entries(values)
    .filter(([name, value]) => wanted.includes(name) && value !== "")
    .map(([name, value]) => [name, /_id$|^starting_after$/.test(name) ? choose(value) : value]);
  return { path, parameters: { ...Object.fromEntries(parameters), ...format } };
}

/** Headers with the key of a request, which also try to act as another company. */
function headers(key: string, other: Tenant, trick: number): Record<string, string> {
  const otherKey = other.key;
  const companyId = other.world.company.id;
  const own = { "X-API-Key": key };
  const tricks: Record<string, string>[] = [
    own,
    { Authorization: `Bearer ${key}` },
    { ...own, Authorization: `Bearer ${otherKey}` },
    { ...own, "X-Company-Id": companyId, "X-Key-Id": companyId, "X-Tenant-Id": companyId },
    { ...own, Cookie: `api_key=${otherKey}; company_id=${companyId}` },
    { ...own, "Accept-Profile": "app", "Content-Profile": "app", Prefer: "count=exact,tx=rollback", Range: "0-9999" },
    { ...own, "X-Forwarded-For": "127.0.0.1", "X-HTTP-Method-Override": "POST", "X-Original-URL": "/members" },
    { ...own, apikey: otherKey, role: "service_role", "If-None-Match": "*", Accept: "text/html" },
  ];
  return pick(tricks, trick);
}

/** Compares a response with the prediction for a key of this company. */
function expectAnswer(response: RawResponse, query: ListRequest, world: World): void {
  const { status, body } = response;
  const page = predict(world, query);
  const notInList = "starting_after must be the id of a row of this list";
  if (query.path === "/")
    expect(JSON.parse(body)).toMatchObject({ company_name: "World", company_id: world.company.id });
  else if (!page) expect([status, JSON.parse(body)]).toEqual([400, { error: notInList }]);
  else {
    expect([status, response.headers.get("X-Has-More")]).toEqual([200, String(page.hasMore)]);
    if (query.parameters.format === "csv") expect(readCsv(body)).toEqual(cells(query, page.rows));
    // Compared as text, because the order of the fields counts.
    else expect(JSON.stringify(JSON.parse(body))).toBe(JSON.stringify(page.rows));
  }
}

// Proves: service.1, service.5, authentication.5, parameters.3, requests.40, requests.42, requests.44, responses.4, responses.7,
// responses.9, responses.10, responses.12, responses.15, responses.16, responses.17, reaching.4, reaching.6, actor.2, layer.4,
// risk.1
test("every answer is what the model predicts from the key's company, and no byte of it is another company's", async () => {
  const seen = new Map<number, number>();
  const property = fc.asyncProperty(drawn, async (request) => {
    const tenant = pick(tenants, request.who);
    const query = meant(request);
    const other = pick(tenants, request.who + 1);
    const sent = headers(tenant.key, other, request.trick);
    const address = `${query.path}?${new URLSearchParams(query.parameters)}`;
    const response = await send("GET", address, sent);

    const whole = JSON.stringify([response.status, [...response.headers], response.body]);
    for (const { world } of tenants) if (world !== tenant.world) expect(whole).not.toContain(world.canary);
    seen.set(response.status, (seen.get(response.status) ?? 0) + 1);

    expectAnswer(response, query, tenant.world);
  });
  const numRuns = count(300, 6000);
  await fc.assert(property, { numRuns });
  const statuses = [...seen].sort().map(([status, times]) => `${times} × ${status}`);
  tried(`isolation: ${numRuns} random requests of 3 companies answered as the model predicts (${statuses.join(", ")})`);
  expect([...seen.keys()].sort()).toEqual([200, 400]);
});
