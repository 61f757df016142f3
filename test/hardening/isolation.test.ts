// Isolation, with random requests: the answer to any request with any key is the one that the model predicts from the
// data of the key's company, and no byte of it comes from another company.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { version } from "../../functions/public-api/endpoints.ts";
import { count, tried } from "../support/counts.ts";
import { cells, type ListRequest, lists, predict, readCsv } from "../support/model.ts";
import { type RawResponse, send } from "../support/raw.ts";
import { allScopes, importRewards, invalidKey, sql } from "../support/stack.ts";
import { iso, newWorld, type World } from "../support/world.ts";

type Tenant = { world: World; keys: { key: string; scopes: string[] }[]; refused: string };

let tenants: Tenant[];
beforeAll(async () => {
  tenants = await Promise.all(
    [60, 60, 5].map(async (size) => {
      const world = await newWorld(size);
      const keys = [];
      for (const scopes of [allScopes, ...allScopes.map((scope) => [scope])])
        keys.push({ key: (await world.company.makeKey(scopes)).api_key, scopes });
      const revoked = await world.company.makeKey();
      await world.company.revoke(revoked.id);
      return { world, keys, refused: revoked.api_key };
    }),
  );
});
afterAll(async () => {
  for (const { world } of tenants) await world.company.remove();
});

const nat = (max: number) => fc.nat({ max });
const pick = <T>(values: readonly T[], index: number): T => values[index % values.length] as T;

const everyList = ["limit", "starting_after", "include"];

/**
 * A request of tenant `who`, with ids and times from the data of tenant `whose`. Rows are drawn as numbers and looked
 * up when the request is sent.
 */
const drawn = fc.record({
  who: nat(2),
  whose: nat(2),
  // 0 to 5 is the key with every scope, the next ones have one scope each, 11 is the revoked key.
  key: nat(11),
  path: fc.constantFrom(...Object.keys(lists), "/"),
  parameters: fc.subarray([...everyList, ...new Set(Object.values(lists).flatMap(({ filters }) => filters))]),
  format: fc.constantFrom("none", "json", "csv", "escaped"),
  row: nat(1000),
  limit: fc.constantFrom(1, 2, 7, 59, 60, 61, 1000),
  id: fc.constantFrom("row", "row", "random", "company"),
  trick: nat(9),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

function meant({ whose, path, parameters: wanted, format, row, limit, id }: Drawn): ListRequest {
  if (path === "/") return { path, parameters: {} };
  const { world } = pick(tenants, whose);
  const { filters, included, rows: rowsOf } = lists[path] as (typeof lists)[string];
  const meantRow = pick(rowsOf(world), row);
  const choose = (fromRow: string) => ({ row: fromRow, random: randomUUID(), company: world.company.id })[id];
  const [earlier = "", later = ""] = [iso(pick(world.kudos, row).at), iso(pick(world.kudos, row + 7).at)].sort();
  const narrowing = Object.entries(meantRow.filters).map(([name, value]) => [
    name,
    name.endsWith("_id") ? choose(value ?? randomUUID()) : (value ?? ""),
  ]);
  const values: Record<string, string> = {
    limit: String(limit),
    since: earlier,
    until: later,
    include_archived: "true",
    ...Object.fromEntries(narrowing),
    starting_after: choose(String(meantRow.row.id)),
    // Some of these columns, in another order than in the answer.
    include:
      included
        .slice(row % 2)
        .reverse()
        .join() || included.join(),
  };
  const accepted = wanted.filter((name) => (everyList.includes(name) || filters.includes(name)) && values[name] !== "");
  const parameters = Object.fromEntries(accepted.map((name) => [name, values[name] ?? ""]));
  if (format === "json" || format === "csv") parameters.format = format;
  if (format === "escaped") Object.assign(parameters, { format: "csv", escape_formulas: "true" });
  return { path, parameters };
}

/** Headers with the key of a request, which also try to act as another company. */
function headers(key: string, other: Tenant, trick: number): Record<string, string> {
  const otherKey = other.keys[0]?.key ?? "";
  const companyId = other.world.company.id;
  const basic = (text: string) => `Basic ${Buffer.from(text).toString("base64")}`;
  const own = { "X-API-Key": key };
  const tricks: Record<string, string>[] = [
    own,
    { Authorization: `Bearer ${key}` },
    { Authorization: basic(`${key}:`) },
    { Authorization: basic(`x:${key}`) },
    { ...own, Authorization: `Bearer ${otherKey}` },
    { ...own, "X-Company-Id": companyId, "X-Key-Id": companyId, "X-Tenant-Id": companyId },
    { ...own, Cookie: `api_key=${otherKey}; company_id=${companyId}` },
    { ...own, "Accept-Profile": "app", "Content-Profile": "app", Prefer: "count=exact,tx=rollback", Range: "0-9999" },
    { ...own, "X-Forwarded-For": "127.0.0.1", "X-HTTP-Method-Override": "POST", "X-Original-URL": "/members" },
    { ...own, apikey: otherKey, role: "service_role", "If-None-Match": "*", Accept: "text/html" },
  ];
  return pick(tricks, trick);
}

const address = ({ path, parameters }: ListRequest): string => {
  const query = new URLSearchParams(parameters).toString();
  return query ? `${path}?${query}` : path;
};

/** The whole response, without the parts that always differ between two equal requests. */
function everything({ status, headers, body }: RawResponse): string {
  const rest = [...headers].filter(([name]) => name !== "x-request-id" && name !== "date");
  return JSON.stringify([status, rest, body]);
}

/** Compares a response with the prediction for a key of this company with these scopes; null for a revoked key. */
function expectAnswer(response: RawResponse, asked: ListRequest, world: World, scopes: string[] | null): void {
  const { status, body } = response;
  const scope = lists[asked.path]?.scope;
  if (!scopes) expect([status, JSON.parse(body)]).toEqual([401, { error: invalidKey }]);
  else if (!scope) expect(JSON.parse(body)).toMatchObject({ company_name: "World", scopes, version });
  else if (!scopes.includes(scope)) {
    const error = `Forbidden: this key is missing the "${scope}" scope`;
    expect([status, JSON.parse(body)]).toEqual([403, { error }]);
  } else {
    const page = predict(world, asked);
    const error = "starting_after must be the id of a row of this list";
    if (!page) {
      expect([status, JSON.parse(body)]).toEqual([400, { error }]);
      return;
    }
    const { rows, hasMore } = page;
    expect([status, response.headers.get("X-Has-More")]).toEqual([200, String(hasMore)]);
    if (asked.parameters.format === "csv") expect(readCsv(body)).toEqual(cells(asked, rows));
    // Compared as text, because the order of the fields counts.
    else expect(JSON.stringify(JSON.parse(body))).toBe(JSON.stringify(rows));
  }
}

// Proves: service.5, authentication.5, reaching.6, actor.2
test("every answer is what the model predicts from the key's company, and no byte of it is another company's", async () => {
  const seen = new Map<number, number>();
  const property = fc.asyncProperty(drawn, async (request) => {
    const tenant = pick(tenants, request.who);
    const { key, scopes } = pick(tenant.keys, Math.max(0, request.key - 5));
    const refused = request.key === 11;
    const asked = meant(request);
    const other = pick(tenants, request.who + 1);
    const sent = headers(refused ? tenant.refused : key, other, request.trick);
    const response = await send("GET", address(asked), sent);

    const whole = JSON.stringify([response.status, [...response.headers], response.body]);
    for (const { world } of tenants) if (world !== tenant.world) expect(whole).not.toContain(world.canary);
    seen.set(response.status, (seen.get(response.status) ?? 0) + 1);

    expectAnswer(response, asked, tenant.world, refused ? null : scopes);
  });
  const numRuns = count(300, 6000);
  await fc.assert(property, { numRuns });
  const statuses = [...seen].sort().map(([status, times]) => `${times} × ${status}`);
  tried(`isolation: ${numRuns} random requests of 3 companies answered as the model predicts (${statuses.join(", ")})`);
  expect([...seen.keys()].sort()).toEqual([200, 400, 401, 403]);
}, 600_000);

// Proves: reaching.4, risk.1
test("an id of another company is answered exactly as a random one is", async () => {
  const [own, foreign] = tenants as [Tenant, Tenant];
  const { teams, members, categories, kudos, rewards } = foreign.world;
  const ids: [path: string, id: string | undefined][] = [
    ["/members?team_id=", teams[0]?.id],
    ["/day-ratings?team_id=", teams[0]?.id],
    ["/activity?sender_id=", kudos[0]?.sender_id],
    ["/kudos?receiver_id=", kudos[0]?.sender_id],
    ["/activity?category_id=", categories[0]?.id],
    ["/members?team_id=", members[0]?.id],
    ["/members?team_id=", foreign.world.company.id],
    ["/day-ratings?format=csv&team_id=", teams[1]?.id],
    ["/activity?starting_after=", kudos[0]?.id],
    ["/members?starting_after=", members[0]?.id],
    ["/teams?starting_after=", teams[0]?.id],
    ["/rewards?format=csv&starting_after=", rewards[0]?.id],
  ];
  const key = { "X-API-Key": own.keys[0]?.key ?? "" };
  for (const [path, id] of ids) {
    const [theirs, nobodys] = [await send("GET", path + id, key), await send("GET", path + randomUUID(), key)];
    expect(everything(theirs)).toBe(everything(nobodys));
  }
});

// Proves: risk.1
test("an import that names another company's external ids touches its own rows only", async () => {
  const [own, foreign] = tenants as [Tenant, Tenant];
  const checksum = (id: string) =>
    sql`select md5(string_agg(r::text || xmin::text, '' order by id)) from app.rewards as r where company_id = ${id}`;
  const before = await checksum(foreign.world.company.id);
  const taken = foreign.world.rewards.flatMap(({ external_id }) => external_id ?? []);
  const sent = taken.map((external_id) => ({ external_id, name: own.world.canary, points_cost: 7 }));
  const response = await importRewards(own.keys[0]?.key ?? "", sent);
  expect(await response.json()).toEqual({ imported: taken.length });
  expect(await checksum(foreign.world.company.id)).toEqual(before);
  const page = await send("GET", "/rewards?limit=1000", { "X-API-Key": own.keys[0]?.key ?? "" });
  const named = JSON.parse(page.body).filter(({ name }: { name: string }) => name === own.world.canary);
  const archived = own.world.rewards.filter((reward) => reward.is_archived && taken.includes(reward.external_id ?? ""));
  expect(named).toHaveLength(taken.length - archived.length);
});

test("no canary stands in any log", () => {
  for (const name of ["function.log", "gateway.log", "postgres.log"]) {
    const log = readFileSync(`${dirname(process.env.STACK_FILE ?? "")}/${name}`, "utf8");
    for (const { world } of tenants) expect(log.includes(world.canary), name).toBe(false);
  }
});
