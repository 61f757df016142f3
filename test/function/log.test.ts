import { globSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { read } from "../support/pages.ts";
import { key, keyHash, list, owner, refusal, refusedKey, startService, value } from "../support/service.ts";

const service = await startService();
const line = () => JSON.parse(service.lines.at(-1) ?? "");

describe("one line of JSON per request", () => {
  test("says when, what, how it ended, how long it took, and for whom", async () => {
    const { headers, body } = list("[]", { rows: 7 });
    const late = (response: ServerResponse) => response.writeHead(200, headers).end(body);
    service.answer("list_members", (response) => void setTimeout(late, 50, response));
    const [before, began] = [Date.now(), performance.now()];
    const response = await service.send("/users/?limit=7&role=secret");
    expect(service.lines).toEqual([expect.not.stringContaining("\n")]);
    expect(line()).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request_id: response.headers.get("X-Request-Id"),
      method: "GET",
      path: "/users/",
      status: 200,
      milliseconds: expect.any(Number),
      rows: 7,
      ...owner,
      waited_milliseconds: 0,
    });
    expect(Date.parse(line().time)).toBeGreaterThanOrEqual(before);
    // The timer of the upstream may fire one millisecond early.
    expect(line().milliseconds).toBeGreaterThanOrEqual(49);
    expect(line().milliseconds).toBeLessThanOrEqual(performance.now() - began + 0.1);
  });

  const row = { external_id: "a", name: "b", points_cost: 1 };
  const badKey = { headers: { "X-API-Key": "x" } };
  const [ofScope, ofMethod] = [/read:activity/, /^Method/].map((words) => expect.stringMatching(words));

  test.each<[what: string, send: () => Promise<Response>, logged: object]>([
    ["the rows of an import", () => service.import(JSON.stringify([row])), { method: "POST", status: 200, rows: 1 }],
    ["whose key lacks a scope", () => service.send("/activity"), { status: 403, ...owner, reason: ofScope }],
    ["that there was no key", () => service.sendBare("/members"), { status: 401, error: "no key", key_id: null }],
    ["that a key was malformed", () => service.send("/", badKey), { status: 401, error: "malformed key" }],
    ["that a key was refused", () => service.send("/teams"), { status: 401, error: "key refused", key_id: null }],
    ["an unknown path", () => service.send("/nothing"), { status: 404, reason: "the path is unknown" }],
    ["a wrong method", () => service.send("/", { method: "PUT" }), { method: "PUT", status: 405, reason: ofMethod }],
    ["a preflight", () => service.sendBare("/", { method: "OPTIONS" }), { method: "OPTIONS", status: 204 }],
  ])("says %s", async (_what, send, logged) => {
    service.answer("upsert_rewards", value({ imported: 1 }));
    service.answer("list_activity", refusal(403, "PT403", owner));
    service.answer("list_teams", refusedKey);
    await send();
    expect(service.lines).toHaveLength(1);
    expect(line()).toMatchObject(logged);
  });

  const accepted = "limit, format, escape_formulas, starting_after";

  test.each<[sent: string | object[], reason: string]>([
    ["/members?limit=0&role=", "limit must be an integer from 1 to 1000"],
    ["/teams?secret=1", `a name is not a parameter of GET /teams, which accepts ${accepted}`],
    ["/day-ratings?include=secret,%20)%20(sent:%20x", "include must be one or more of team_name, each once"],
    [[{ ...row, points_cost: "secret" }], "points_cost must be a number of 0 or more"],
    [[{ ...row, secret: 1 }], "a field must be left out that a reward does not have"],
    [[row, row], "external_id must be unique in the request"],
  ])("says the first rule that %j broke, without the caller's names and places", async (sent, reason) => {
    await (typeof sent === "string" ? service.send(sent) : service.import(JSON.stringify(sent)));
    expect(service.lines).toHaveLength(1);
    expect(line()).toMatchObject({ status: 400, ...owner, rows: null, reason });
  });

  test("says whose key it is, where the database does not", async () => {
    for (const details of [null, "no JSON", '{"key_id":"a\\nb"}', 5]) {
      service.answer("list_members", { status: 403, body: JSON.stringify({ code: "PT403", details, message: "" }) });
      await service.send("/members");
      expect(line()).toMatchObject(owner);
    }
  });
});

test.each([
  ["/some/other-path", "/some/other-path"],
  [`/${key}`, "/…"],
  [`/members/${key}/x`, "/members/…/x"],
  [`/${key.replace("sk", "%73k")}`, "/…"],
  [`/${keyHash}`, "/…"],
  ["/ann@example.org", "/…"],
  ["/a%0Ab", "/…"],
  ["/abcdefghijklmnopqrstuvwxyz", "/…"],
  [`${"/a".repeat(5000)}`, "/a".repeat(100)],
])("the path %s is logged as %s", async (path, logged) => {
  await service.send(path);
  expect(line().path).toBe(logged);
});

// What callers and people may put elsewhere, and what answers hold, is in test/serial/logs.test.ts.
// Proves: keys.14
test("a method that may be a key is not logged", async () => {
  await service.send("/members", { method: key.slice(0, 30) });
  expect(line()).toMatchObject({ method: "…", status: 405 });
});

// Proves: requests.54
test("an unexpected error is a 500 whose line has its kind and place, not its message", async () => {
  const request = new Request("http://host/public-api/members");
  Object.defineProperty(request, "headers", {
    get() {
      throw new RangeError(key);
    },
  });
  expect((await service.app(request)).status).toBe(500);
  expect(line().error).toMatch(/^RangeError at [\w-]+(\.test)?\.ts:\d+:\d+$/);
  expect(service.lines.join()).not.toContain(key);
});

describe("docs/operate/logs-and-errors.md", () => {
  const page = read("docs/operate/logs-and-errors.md");
  const [fields = "", errors = ""] = page.split("\n## Fields\n")[1]?.split("| `error` | Means |") ?? [];
  /** The words in code font in the first column of a table. */
  const named = (table: string) =>
    [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word),
    );

  test("names each field of the line, in its order", async () => {
    await service.sendBare("/members");
    expect(line()).toHaveProperty("error");
    // Of tools and where there are read replicas: mcp.test.ts and replicas.test.ts see them.
    const ofOthers = ["tool", "served_by", "replica_lag_milliseconds", "replica_error"];
    expect(named(fields)).toEqual([...Object.keys(line()), ...ofOthers]);
  });

  test("names each error that has words of its own", () => {
    const source = globSync("functions/public-api/**/*.ts", { cwd: root }).map(read).join("\n");
    const own = /(?<=(unauthorized|tooManyRequests)\(")[^"]+|(?<=logged: \{ (\.\.\.owner, )?error: ")[^"]+/g;
    const words = source.match(own) ?? [];
    expect(words.length).toBeGreaterThan(5);
    expect(named(errors.split("\n\n")[0] ?? "")).toEqual(expect.arrayContaining(words));
  });
});
