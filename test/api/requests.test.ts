// Requests over HTTP (docs/api.md, Requests): the order of checks with real keys, HEAD and OPTIONS, and GET /.
import { expect, test } from "vitest";
import { endpoints, version } from "../../functions/public-api/table/endpoints.ts";
import { accepts, limit } from "../support/bad_requests.ts";
import { companyOfFile } from "../support/companies.ts";
import { send } from "../support/raw.ts";
import { allScopes, call, first, invalidKey, stack } from "../support/stack.ts";

const { company, key: good } = await companyOfFile("Requests");
const [revoked, narrow] = [await company.makeKey(), await company.makeKey(["read:members"])];
await company.revoke(revoked.id);
/** No key, a malformed and a revoked one, one without the scopes that are needed below, and a good one. */
const keys = [null, good.slice(0, -1), revoked.api_key, narrow.api_key, good];

const notFound = Array(5).fill("404 Not Found: /people");
const unauthorized = Array(3).fill(`401 ${invalidKey}`);
const tooEarly = "it ends too early, at character 2";
const forbidden = (scope: string) => `403 Forbidden: this key is missing the "${scope}" scope`;
const leftOut = (path: string, method?: string) => `400 limit is not a parameter of ${accepts(path, method)}`;

// Proves: requests.1, requests.2, requests.3, requests.4, requests.5, requests.8, endpoints.3, actor.1
test.each<[method: string, path: string, errors: string[]]>([
  ["GET", "/people?limit=0", notFound],
  ["DELETE", "/people", notFound],
  ["DELETE", "/members?limit=0", Array(5).fill("405 Method Not Allowed: /members accepts GET, HEAD, OPTIONS")],
  ["GET", "/activity?limit=0", [...unauthorized, forbidden("read:activity"), `400 ${limit}`]],
  ["POST", "/rewards", [...unauthorized, forbidden("write:rewards"), `400 body must be valid JSON: ${tooEarly}`]],
  ["POST", "/rewards?limit=1", [...unauthorized, forbidden("write:rewards"), leftOut("/rewards", "POST")]],
  // Programs probe for assistants, and must find out that a key is wanted.
  ["GET", "/mcp", [...unauthorized, ...Array(2).fill("405 Method Not Allowed: /mcp accepts POST, OPTIONS")]],
  ["DELETE", "/mcp", [...unauthorized, ...Array(2).fill("405 Method Not Allowed: /mcp accepts POST, OPTIONS")]],
  ["GET", "/?limit=1", [...unauthorized, leftOut("/"), leftOut("/")]],
])("%s %s: path and method come first, then the key, its scope, parameters and body", async (method, path, errors) => {
  const answers = [];
  for (const key of keys) {
    const response = await call(path, key, method === "POST" ? { method, body: "{" } : { method });
    answers.push(`${response.status} ${(await response.json()).error}`);
  }
  expect(answers).toEqual(errors);
});

const varying = /^(date|x-request-id|x-changes-until|keep-alive|connection|transfer-encoding|content-length)$/;
/** The headers of a response but what differs from one to the next: in a cursor, when its copy began. */
const stable = (headers: Headers) =>
  [...headers]
    .filter(([name]) => !varying.test(name))
    .map(([name, value]) => [name, value.replace(/([0-9a-f]{8})[0-9a-f]{16}([0-9a-f]{32})[0-9a-f]{16}/g, "$1$2")]);

const known = endpoints
  .filter(({ method }) => method === "GET")
  .flatMap(({ path, aliases }) => [path === "/" ? "" : path, ...aliases]);

// Proves: requests.47, copies.13
test("HEAD has the status and headers of GET and no body", async () => {
  const page = await send("GET", "/kudos?limit=1", { "X-API-Key": first.key });
  const { id, timestamp } = JSON.parse(page.body)[0];
  const next = `/functions/v1/public-api/kudos?limit=1&starting_after=${timestamp}_${id}>; rel="next"`;
  expect(page.headers.get("Link")).toBe(`<${stack.supabase_url}${next}`);
  for (const path of [...known, "/members?format=csv", "/kudos?limit=1", "/members?limit=0", "/people"]) {
    for (const headers of [{ "X-API-Key": first.key }, {}]) {
      const [get, head] = [await send("GET", path, headers), await send("HEAD", path, headers)];
      expect([path, head.status, head.body]).toEqual([path, get.status, ""]);
      // The length of the body that GET would send.
      expect(head.headers.get("Content-Length")).not.toBe("0");
      expect(stable(head.headers)).toEqual(stable(get.headers));
    }
  }
});

// Proves: requests.48, requests.50
test("OPTIONS answers a preflight with 204, without a key and without a body", async () => {
  const preflight = { Origin: "https://bi.example", "Access-Control-Request-Method": "GET" };
  for (const path of [...known, "/rewards/", "/members?limit=0"]) {
    const { status, body, headers } = await send("OPTIONS", path, preflight);
    const methods = /^\/rewards\/?$/.test(path) ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS";
    expect([path, status, body, headers.get("Access-Control-Allow-Methods")]).toEqual([path, 204, "", methods]);
    const allowed = "Authorization, X-API-Key, Content-Type, apikey, X-Client-Info";
    expect(headers.get("Access-Control-Allow-Headers")).toBe(allowed);
  }
});

// Proves: endpoints.1, endpoints.2, authentication.7, versioning.1, responses.1, reaching.10, risk.9
test("the base address answers a key with any scope: the version, the company's and the key's name, the scopes in the order of the specification, the endpoints, the expiry and the company's id", async () => {
  // docs/openapi.released.json holds the table to what was promised (test/repository/versioning.test.ts).
  const listed = endpoints.map(({ method, path, aliases, scope }) => ({ method, path, aliases, scope }));
  for (const scopes of [...allScopes.map((scope) => [scope]), allScopes.toReversed()]) {
    const { api_key, name } = await company.makeKey(scopes);
    const answer = {
      ...{ version, company_name: "Requests", key_name: name, scopes: allScopes.filter((one) => scopes.includes(one)) },
      ...{ endpoints: listed, expires_at: null, company_id: company.id },
    };
    expect(await (await call("", api_key)).text()).toBe(JSON.stringify(answer));
  }
});
