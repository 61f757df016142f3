// The order of checks (docs/api.md, Requests): path 404, method 405, key 401, scope 403, parameters 400, body 400.
import { afterAll, beforeAll, test } from "vitest";
import { accepts } from "../support/bad_requests.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { call, expectError, invalidKey } from "../support/stack.ts";

let company: TestCompany;
let keys: { missing: null; malformed: string; revoked: string; underScoped: string; good: string };
beforeAll(async () => {
  company = await newCompany("Order");
  const good = (await company.makeKey()).api_key;
  const revoked = await company.makeKey();
  await company.revoke(revoked.id);
  // It has one scope, which none of the requests below needs.
  const underScoped = (await company.makeKey(["read:members"])).api_key;
  keys = { missing: null, malformed: good.slice(0, -1), revoked: revoked.api_key, underScoped, good };
});
afterAll(() => company.remove());

type BadRequest = { path: string; scope: string; body?: string; error: string };

const badRequests: BadRequest[] = [
  { path: "/activity?limit=0", scope: "read:activity", error: "limit must be an integer from 1 to 1000" },
  { path: "/kudos?since=yesterday", scope: "read:activity", error: "since must be an ISO 8601 date-time" },
  { path: "/activity?sender_id=me", scope: "read:activity", error: "sender_id must be a uuid" },
  { path: "/rewards?include_archived=false", scope: "read:rewards", error: "include_archived must be true" },
  {
    path: "/rewards?since=2026-01-01",
    scope: "read:rewards",
    error: `since must be left out: ${accepts("/rewards")}`,
  },
  { path: "/day-ratings?format=xml", scope: "read:analytics", error: "format must be json or csv" },
  {
    path: "/pulse-responses?limit=1&limit=1",
    scope: "read:analytics",
    error: `limit must be given once: ${accepts("/pulse-responses")}`,
  },
  { path: "/rewards", scope: "write:rewards", body: "{", error: "body must be valid JSON" },
  { path: "/rewards", scope: "write:rewards", body: "", error: "body must not be empty" },
  {
    path: "/rewards",
    scope: "write:rewards",
    body: '{"external_id":"a","name":"A","points_cost":-1}',
    error: "rewards[0]: points_cost must be a number of 0 or more",
  },
  {
    path: "/rewards?dry_run=true",
    scope: "write:rewards",
    body: "[]",
    error: "dry_run must be left out: POST /rewards accepts no parameters",
  },
];

function request({ path, body }: BadRequest, key: string | null): Promise<Response> {
  return call(path, key, body === undefined ? {} : { method: "POST", body });
}

// Proves: requests.3, requests.8, actor.1
test("a bad request without a good key gets 401, whether it is missing, malformed or revoked", async () => {
  for (const key of [keys.missing, keys.malformed, keys.revoked])
    for (const bad of badRequests) await expectError(await request(bad, key), 401, invalidKey);
});

// Proves: requests.4, requests.8
test("a bad request with a key that lacks the scope gets 403", async () => {
  for (const bad of badRequests) {
    const error = `Forbidden: this key is missing the "${bad.scope}" scope`;
    await expectError(await request(bad, keys.underScoped), 403, error);
  }
});

// Proves: requests.5, requests.26
test("a bad request with a good key gets 400", async () => {
  for (const bad of badRequests) await expectError(await request(bad, keys.good), 400, bad.error);
});

// Proves: requests.1, requests.2
test("an unknown path is 404 and a wrong method is 405, whatever the key", async () => {
  for (const key of Object.values(keys)) {
    await expectError(await call("/people?limit=0", key), 404, "Not Found: /people");
    await expectError(await call("/people", key, { method: "DELETE" }), 404, "Not Found: /people");
    const deleted = await call("/members?limit=0", key, { method: "DELETE" });
    await expectError(deleted, 405, "Method Not Allowed: /members accepts GET, HEAD, OPTIONS");
  }
});

// Proves: endpoints.3
test("the root's parameters are checked after its key", async () => {
  const error = "limit must be left out: GET / accepts no parameters";
  await expectError(await call("/?limit=1", keys.missing), 401, invalidKey);
  await expectError(await call("/?limit=1", keys.revoked), 401, invalidKey);
  await expectError(await call("/?limit=1", keys.underScoped), 400, error);
});

// Proves: requests.5
test("parameters are checked before the body", async () => {
  const response = await call("/rewards?limit=1", keys.good, { method: "POST", body: "{" });
  await expectError(response, 400, "limit must be left out: POST /rewards accepts no parameters");
});
