// HTTP in general (docs/api.md, Requests): HEAD, OPTIONS, slashes, headers, request ids, and what is logged of a
// request.
import { Agent, type IncomingMessage, request } from "node:http";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { madeUpKey } from "../support/made_up_key.ts";
import { send } from "../support/raw.ts";
import { call, expectHeaders, first, functionLog, sql, stack } from "../support/stack.ts";

const lists = ["/members", "/users", "/activity", "/kudos", "/rewards", "/day-ratings", "/pulse-responses"];
const known = ["", ...lists];

let company: TestCompany;
let underScoped: string;
beforeAll(async () => {
  company = await newCompany("HTTP");
  underScoped = (await company.makeKey(["write:rewards"])).api_key;
});
afterAll(() => company.remove());

const withKey = { "X-API-Key": first.key };

/** Headers that differ from one response to the next. */
const volatile = new Set(["date", "x-request-id", "keep-alive", "connection", "transfer-encoding", "content-length"]);

const stable = (headers: Headers) => [...headers].filter(([name]) => !volatile.has(name)).sort();

// Proves: requests.47
test("HEAD answers as GET without a body: the same status, the same headers", async () => {
  const paths = [...known, "/members?format=csv", "/rewards?limit=3", "/members?limit=0", "/people"];
  for (const path of paths) {
    for (const headers of [withKey, { "X-API-Key": underScoped }, {}]) {
      const get = await send("GET", path, headers);
      const head = await send("HEAD", path, headers);
      expect([path, head.status, head.body]).toEqual([path, get.status, ""]);
      // The length of the body that GET would send.
      expect(head.headers.get("Content-Length")).not.toBe("0");
      expect(stable(head.headers)).toEqual(stable(get.headers));
      expectHeaders(head.headers);
    }
  }
});

// Half of an upload that is refused is still on its way when the answer comes.
test("after a refused upload the connection is closed, and the caller's next request is answered", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const ask = (method: string, path: string, key: string, body: Buffer): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = { "X-API-Key": key, "Content-Length": body.length };
      request(`${stack.api_url}${path}`, { agent, method, headers }, (response) => resolve(response.resume()))
        .on("error", reject)
        .end(body);
    });
  for (const key of [madeUpKey(1), first.key]) {
    // The second is longer than a body may be.
    const refused = await ask("POST", "/rewards", key, Buffer.alloc(9 * 1024 * 1024, " ")).catch(() => undefined);
    expect([undefined, key === first.key ? 400 : 401]).toContain(refused?.statusCode);
    expect((await ask("GET", "/members?limit=1", first.key, Buffer.alloc(0))).statusCode).toBe(200);
  }
  agent.destroy();
});

// Proves: requests.48, requests.50
test("OPTIONS answers the CORS preflight with 204 on every path, without a key and without a body", async () => {
  for (const path of [...known, "/", "/members/", "/rewards?limit=5"]) {
    const preflight = {
      Origin: "https://bi.example",
      "Access-Control-Request-Method": "GET",
      "Access-Control-Request-Headers": "x-api-key",
    };
    for (const headers of [{}, preflight, withKey]) {
      const { status, body, headers: received } = await send("OPTIONS", path, headers);
      expect([path, status, body]).toEqual([path, 204, ""]);
      const methods = path.startsWith("/rewards") ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS";
      expect(received.get("Access-Control-Allow-Methods")).toBe(methods);
      expect(received.get("Access-Control-Allow-Headers")).toBe("Authorization, X-API-Key, Content-Type");
      expectHeaders(received);
    }
  }
});

// Proves: requests.45
test("a trailing slash changes nothing", async () => {
  for (const path of lists) {
    const plain = await call(`${path}?limit=5`, first.key);
    const slashed = await call(`${path}/?limit=5`, first.key);
    expect([slashed.status, await slashed.text()]).toEqual([200, await plain.text()]);
  }
  const body = JSON.stringify({ external_id: "slash", name: "Slash", points_cost: 1 });
  expect((await call("/rewards/", underScoped, { method: "POST", body })).status).toBe(200);
});

// Proves: requests.46
test("there are no redirects", async () => {
  for (const path of [
    "",
    "/",
    "/members",
    "/members/",
    "/Members",
    "//members",
    "/members//",
    "/index.html",
    "/..",
    "/https://evil.example",
  ]) {
    const { status, headers } = await send("GET", path, withKey);
    expect(status < 300 || status >= 400, `${path}: ${status}`).toBe(true);
    expect(headers.get("Location")).toBeNull();
  }
});

// Proves: requests.57
test("every response has a request id of its own, which is never taken from the request", async () => {
  const sent = "11111111-1111-4111-8111-111111111111";
  const ids = new Set<string | null>();
  for (const path of [...known, "/people", "/members?limit=0"]) {
    for (const headers of [{ ...withKey, "X-Request-Id": sent }, { "X-Request-Id": `${sent}\t"quoted"` }, {}]) {
      ids.add((await send("GET", path, headers)).headers.get("X-Request-Id"));
    }
  }
  expect(ids.size).toBe(30);
  expect(ids).not.toContain(sent);
});

/** Waits for the log line of a request and returns it. */
async function logged({ headers }: Response): Promise<Record<string, unknown>> {
  const id = headers.get("X-Request-Id") ?? "no request id";
  const find = () =>
    functionLog()
      .split("\n")
      .find((line) => line.includes(id)) ?? expect.fail(`${id} is not in the log`);
  return JSON.parse(await vi.waitFor(find, { timeout: 60_000 }));
}

test("a request is one line of the log: time, request id, method, path, status, milliseconds, rows, key and company", async () => {
  const [key] = await sql`select id::text from app.api_keys where key_hash = sha256(convert_to(${first.key}, 'UTF8'))`;
  const response = await call("/members?limit=7", first.key);
  expect(await logged(response)).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    request_id: response.headers.get("X-Request-Id"),
    method: "GET",
    path: "/members",
    status: 200,
    milliseconds: expect.any(Number),
    rows: 7,
    key_id: key?.id,
    company_id: first.id,
    waited_milliseconds: expect.any(Number),
  });
  expect(functionLog().split(response.headers.get("X-Request-Id") ?? "")).toHaveLength(2);
});
