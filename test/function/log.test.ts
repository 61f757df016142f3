import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { describe, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import {
  companyId,
  key,
  keyHash,
  keyId,
  list,
  missingScope,
  refusedKey,
  secretKey,
  startService,
  value,
} from "../support/service.ts";

const service = await startService();
const line = () => JSON.parse(service.lines.at(-1) ?? "");

describe("one line of JSON a request", () => {
  test("says when, what, how it ended, how long it took, and for whom", async () => {
    service.answer("list_members", list("[]", { rows: 7 }));
    const before = Date.now();
    const response = await service.send("/users/?limit=7&role=secret");
    expect(service.lines).toHaveLength(1);
    expect(service.lines[0]).not.toContain("\n");
    expect(line()).toEqual({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      request_id: response.headers.get("X-Request-Id"),
      method: "GET",
      path: "/users/",
      status: 200,
      milliseconds: expect.any(Number),
      rows: 7,
      key_id: keyId,
      company_id: companyId,
      waited_milliseconds: 0,
    });
    expect(Date.parse(line().time)).toBeGreaterThanOrEqual(before);
  });

  test("measures how long the request took", async () => {
    const headers = { "Content-Type": "application/json", "X-Has-More": "false" };
    service.answer("list_members", (response) => {
      setTimeout(() => response.writeHead(200, headers).end("[]"), 50);
    });
    const before = performance.now();
    await service.send("/members");
    // The timer of the upstream may fire one millisecond early.
    expect(line().milliseconds).toBeGreaterThanOrEqual(49);
    expect(line().milliseconds).toBeLessThanOrEqual(performance.now() - before + 0.1);
  });

  test("counts the rows of an import", async () => {
    service.answer("upsert_rewards", value({ imported: 2 }));
    const rows = ["a", "b"].map((external_id) => ({ external_id, name: "b", points_cost: 1 }));
    await service.import(JSON.stringify(rows));
    expect(line()).toMatchObject({ method: "POST", path: "/rewards", status: 200, rows: 2, key_id: keyId });
  });

  test("knows whose key lacks a scope, and whose request is bad", async () => {
    service.answer("list_members", missingScope);
    await service.send("/members");
    expect(line()).toMatchObject({ status: 403, key_id: keyId, company_id: companyId, rows: null });
    await service.send("/members?limit=0");
    expect(line()).toMatchObject({ status: 400, key_id: keyId, company_id: companyId, rows: null });
  });

  test("survives a 403 without an owner", async () => {
    for (const details of [null, "no JSON", '{"key_id":"a\\nb"}', 5]) {
      service.answer("list_members", { status: 403, body: JSON.stringify({ code: "PT403", details, message: "" }) });
      await service.send("/members");
      expect(line()).toMatchObject({ key_id: null, company_id: null });
    }
  });

  test("says what was wrong with a key that got 401", async () => {
    service.answer("list_members", refusedKey);
    for (const [headers, error] of [
      [{}, "no key"],
      [{ "X-API-Key": "x" }, "malformed key"],
      [{ "X-API-Key": key }, "key refused"],
    ] as [Record<string, string>, string][]) {
      await service.sendBare("/members", { headers });
      expect(line()).toMatchObject({ status: 401, error, key_id: null });
    }
  });

  test("also when nothing was found, allowed or asked for", async () => {
    for (const [method, path, status] of [
      ["GET", "/nothing", 404],
      ["PUT", "/members", 405],
      ["OPTIONS", "/members", 204],
    ] as const) {
      await service.send(path, { method });
      expect(line()).toMatchObject({ method, path, status });
    }
    expect(service.lines).toHaveLength(3);
  });
});

test.each([
  ["/", "/"],
  ["/day-ratings", "/day-ratings"],
  ["/members/", "/members/"],
  ["/some/other-path", "/some/other-path"],
  [`/${key}`, "/…"],
  [`/members/${key}/x`, "/members/…/x"],
  [`/${key.replace("sk", "%73k")}`, "/…"],
  [`/${keyHash}`, "/…"],
  ["/ann@example.org", "/…"],
  ["/a%0Ab", "/…"],
  ["/abcdefghijklmnopqrstuvwxyz", "/…"],
  [`/members?${key}`, "/members"],
  [`${"/a".repeat(5000)}`, "/a".repeat(100)],
])("the path %s is logged as %s", async (path, logged) => {
  await service.send(path);
  expect(line().path).toBe(logged);
});

// Proves: keys.14
test("no secret gets into the log, wherever a caller may have put it", async () => {
  const mail = "ann@example.org";
  const message = "Thank you for everything";
  service.answer("list_activity", list(JSON.stringify([{ sender_email: mail, message }]), { rows: 1 }));
  await service.send(`/activity?format=csv`);
  await service.send(`/members?role=${key}&${key}=1&team_id=${mail}`);
  await service.send(`/${key}/${mail}?${key}`);
  await service.send("/members", { method: key.slice(0, 30) });
  await service.send("/members", { headers: { Authorization: `Bearer ${key}x` } });
  await service.import(JSON.stringify({ external_id: mail, [key]: message }));
  await service.import(`${key} ${message}`);
  service.answer("list_members", {
    status: 500,
    body: JSON.stringify({ code: "XX000", message: `${mail} ${secretKey}` }),
  });
  await service.send("/members");
  service.answer("list_members", list(`[{"name":"${mail}`));
  await service.send("/members?format=csv");
  service.answer("verify_api_key", value({ company_name: 5, key_name: mail, scopes: mail }));
  await service.send("/");
  expect(service.lines).toHaveLength(10);
  const log = service.lines.join("\n");
  for (const secret of [key, key.slice(0, 30), keyHash, secretKey, mail, message, "example.org"])
    expect(log).not.toContain(secret);
});

// Proves: requests.54
test("an error that nobody foresaw is a 500 whose line tells its kind and place, not its message", async () => {
  const request = new Request("http://host/public-api/members");
  Object.defineProperty(request, "headers", {
    get() {
      throw new RangeError(key);
    },
  });
  const response = await service.app(request);
  expect([response.status, await response.json()]).toEqual([500, { error: "Internal Server Error" }]);
  expect(line().error).toMatch(/^RangeError at [\w-]+(\.test)?\.ts:\d+:\d+$/);
  expect(service.lines.join()).not.toContain(key);
});

describe("docs/operations.md, Logs", async () => {
  const page = await readFile(`${root}/docs/operations.md`, "utf8");
  const [, section = ""] = page.split("\n## Logs\n");
  const [fields = "", errors = ""] = section.split("| `error` | Means |");
  /** The words in code font in the first column of a table. */
  const named = (table: string) =>
    [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = ""]) =>
      [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word),
    );

  test("names each field of the line, in its order", async () => {
    await service.sendBare("/members");
    expect(line()).toHaveProperty("error");
    const everywhere = Object.keys(line());
    // Where there are read replicas: test/function/replicas.test.ts sees them.
    expect(named(fields)).toEqual([...everywhere, "served_by", "replica_lag_milliseconds", "replica_error"]);
  });

  test("names each error that has words of its own", async () => {
    const files = globSync(`${root}/functions/public-api/*.ts`);
    const source = (await Promise.all(files.map((file) => readFile(file, "utf8")))).join("\n");
    const words = [
      ...source.matchAll(/(?:unauthorized|tooManyRequests)\("(.*?)"|logged: \{ (?:\.\.\.owner, )?error: "(.*?)"/g),
    ].map(([, refusal, failure]) => refusal ?? failure);
    expect(words.length).toBeGreaterThan(5);
    expect(named(errors.split("\n\n")[0] ?? "")).toEqual(expect.arrayContaining(words));
  });
});
