import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { describe, expect, test } from "vitest";
import { endpoints, version } from "../../functions/public-api/endpoints.ts";
import { scopes } from "../../functions/public-api/scopes.ts";
import { companyId, key, list, startService, value } from "../support/service.ts";

const service = await startService();
const listHeaders = { "Content-Type": "application/json", "X-Has-More": "false", "X-Row-Count": "1" };

test("GET / tells the version, what the key is and may do, and the endpoints", async () => {
  const verified = {
    ...{ company_name: "Ä & Co", key_name: "Power BI", scopes: ["read:members"] },
    ...{ expires_at: "2027-01-01T00:00:00.000000Z", company_id: companyId },
  };
  service.answer("verify_api_key", value({ ...verified, more: "of a newer database" }));
  const listed = endpoints.map(({ method, path, aliases, scope }) => ({ method, path, aliases, scope }));
  expect(await (await service.send("/")).json()).toEqual({ version, ...verified, endpoints: listed });
});

test("the scopes that endpoints need are the scopes that there are", () => {
  const needed = new Set(endpoints.flatMap(({ scope }) => scope ?? []));
  expect(new Set<string>(scopes.map(({ name }) => name))).toEqual(needed);
});

describe("a JSON list", () => {
  test("is passed on byte for byte", async () => {
    const body = ' [ {"value" : 1.10, "big": 12345678901234567890, "text": "\\u00e9"} ]\n';
    service.answer("list_pulse_responses", list(body, { rows: 1, hasMore: true }));
    const response = await service.send("/pulse-responses");
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(response.headers.get("X-Has-More")).toBe("true");
    expect(await response.text()).toBe(body);
  });

  test("starts before it is complete", async () => {
    let upstream: ServerResponse | undefined;
    service.answer("list_members", (response) => {
      upstream = response;
      response.writeHead(200, listHeaders);
      response.write('[{"id":1},');
    });
    const reader = (await service.send("/members")).body?.pipeThrough(new TextDecoderStream()).getReader();
    expect((await reader?.read())?.value).toBe('[{"id":1},');
    upstream?.end('{"id":2}]');
    expect((await reader?.read())?.value).toBe('{"id":2}]');
    expect((await reader?.read())?.done).toBe(true);
  });

  // Proves: requests.58
  test("that breaks off upstream breaks off here", async () => {
    service.answer("list_members", (response) => {
      response.writeHead(200, listHeaders);
      response.write("[]");
      response.on("error", () => {});
      setImmediate(() => response.destroy());
    });
    const response = await service.send("/members");
    await expect(response.text()).rejects.toThrow();
  });

  test("that nobody reads on is given up upstream", async () => {
    const closed = new Promise((resolve) => {
      service.answer("list_members", (response) => {
        response.writeHead(200, listHeaders);
        response.write("[");
        once(response, "close").then(resolve);
      });
    });
    await (await service.send("/members")).body?.cancel();
    await closed;
  });
});

describe("Link", () => {
  const link = async (path: string, url = `https://host/public-api${path}`): Promise<string | null> => {
    for (const rpc of ["list_members", "list_activity", "list_changes"])
      service.answer(rpc, list("[]", { hasMore: true, next: "NEXT" }));
    const request = new Request("https://host/", { headers: { "X-API-Key": key } });
    Object.defineProperty(request, "url", { value: url });
    return (await service.app(request)).headers.get("Link");
  };
  const id = "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d";
  const cursor = "0f".repeat(28);

  // Proves: copies.13
  test.each([
    ["/members", "starting_after=NEXT"],
    ["/members?", "starting_after=NEXT"],
    ["/members?limit=5&format=csv", "limit=5&format=csv&starting_after=NEXT"],
    [`/members?starting_after=${id}&limit=5`, "limit=5&starting_after=NEXT"],
    [`/members?starting%5Fafter=${id}&limit=5`, "limit=5&starting_after=NEXT"],
    ["/members?&limit=5&&role=Team+Lead%2B%26", "limit=5&role=Team+Lead%2B%26&starting_after=NEXT"],
    ["/kudos?since=2026-01-01T10:00%2B02:00", "since=2026-01-01T10:00%2B02:00&starting_after=NEXT"],
    ["/kudos?include=sender_id,category_id", "include=sender_id%2Ccategory_id&starting_after=NEXT"],
    ["/members?changed_after=start&limit=5", "limit=5&changed_after=NEXT"],
    [`/kudos?changed_after=${cursor}&include=sender_id`, "include=sender_id&changed_after=NEXT"],
    // What ends a link, or a header, or what readers of the header split it at.
    [
      `/members?role=a>; rel="prev", <https://evil.example`,
      "role=a%3E%3B%20rel=%22prev%22%2C%20%3Chttps://evil.example&starting_after=NEXT",
    ],
    ["/members?role=\r\nX-Evil: 1\0".replace("\0", ""), "role=%0D%0AX-Evil:%201&starting_after=NEXT"],
    ["/members?role=größe😀\u007f", "role=gr%C3%B6%C3%9Fe%F0%9F%98%80%7F&starting_after=NEXT"],
  ])("of a page with more rows is the query as it was sent, from the next row on: %j", async (path, query) => {
    expect(await link(path)).toBe(`<?${query}>; rel="next"`);
  });

  // Proves: copies.13
  test("is not there when there are no more rows, or the database is older and does not say what is next", async () => {
    service.answer("list_members", list("[]", { hasMore: false, next: id }));
    expect((await service.send("/members")).headers.get("Link")).toBeNull();
    service.answer("list_members", list("[]", { hasMore: true }));
    expect((await service.send("/members")).headers.get("Link")).toBeNull();
  });
});

test("nothing but X-Has-More of the database's headers goes on", async () => {
  const { headers } = await service.send("/members");
  for (const name of ["X-Key-Id", "X-Company-Id", "X-Row-Count", "X-Next"]) expect(headers.get(name)).toBeNull();
});

describe("every response", () => {
  // Proves: requests.49, requests.51, requests.56, requests.68, risk.8
  test.each<[string, () => Promise<Response>, number]>([
    ["a list", () => service.send("/members"), 200],
    ["a CSV", () => service.send("/members?format=csv"), 200],
    ["HEAD", () => service.send("/members", { method: "HEAD" }), 200],
    ["the root", () => service.send("/"), 200],
    ["a preflight", () => service.sendBare("/members", { method: "OPTIONS" }), 204],
    ["a bad parameter", () => service.send("/members?limit=0"), 400],
    ["a bad body", () => service.import(""), 400],
    ["no key", () => service.sendBare("/members"), 401],
    ["an unknown path", () => service.send("/nothing"), 404],
    ["a wrong method", () => service.send("/members", { method: "PUT" }), 405],
    ["a failure", () => service.send("/activity"), 500],
  ])("has its common headers: %s", async (_what, send, status) => {
    service.answer("list_activity", { status: 500 });
    const response = await send();
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-request-id": expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "access-control-expose-headers": "X-Request-Id, X-Has-More, Link, Retry-After, Content-Disposition",
    });
    expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
  });

  // Proves: requests.57
  test("has a request id of its own, never the caller's", async () => {
    const ids = new Set<string | null>(["mine"]);
    for (const path of ["/members", "/members", "/people", "/members?limit=0"])
      ids.add((await service.send(path, { headers: { "X-Request-Id": "mine" } })).headers.get("X-Request-Id"));
    expect(ids.size).toBe(5);
  });
});

describe("HEAD", () => {
  // Proves: requests.47
  test.each(["/", "/members", "/members?format=csv", "/rewards?include_archived=true", "/members?limit=0", "/people"])(
    "%s answers as GET without a body",
    async (path) => {
      const [get, head] = [await service.send(path), await service.send(path, { method: "HEAD" })];
      expect([head.status, await head.text()]).toEqual([get.status, ""]);
      const stable = ({ headers }: Response) => [...headers].filter(([name]) => name !== "x-request-id");
      expect(stable(head)).toEqual(stable(get));
      expect(service.calls[0]?.args).toEqual(service.calls[1]?.args);
    },
  );

  test("does not wait for the rows", async () => {
    const closed = new Promise((resolve) => {
      service.answer("list_members", (response) => {
        response.writeHead(200, listHeaders);
        response.write("[");
        once(response, "close").then(resolve);
      });
    });
    expect((await service.send("/members", { method: "HEAD" })).status).toBe(200);
    await closed;
  });
});

// Proves: requests.48, requests.50
test.each([
  ["/", "GET, HEAD, OPTIONS"],
  ["/users", "GET, HEAD, OPTIONS"],
  ["/rewards/", "GET, HEAD, POST, OPTIONS"],
])("OPTIONS %s answers a preflight with 204, without a key and without a body", async (path, methods) => {
  const response = await service.sendBare(`${path}?anything=1`, { method: "OPTIONS" });
  expect([response.status, await response.text()]).toEqual([204, ""]);
  expect(response.headers.get("Access-Control-Allow-Methods")).toBe(methods);
  expect(response.headers.get("Access-Control-Allow-Headers")).toBe("Authorization, X-API-Key, Content-Type");
  expect(service.calls).toEqual([]);
});

test.each([
  ["http://a b/public-api/members?limit=5", 200],
  ["http://[::1/public-api/members?limit=5", 200],
  ["http://host/public-api/a/../members", 404],
  ["http://host/public-api/members?limit=5#limit=0", 200],
  ["http://host?limit=5", 401],
  ["http://x?y#z//public-api/members", 401],
  ["", 401],
  ["*", 401],
])("an address that only a server would hand on as it is: %s", async (url, status) => {
  const request = new Request("http://host/");
  Object.defineProperty(request, "url", { value: url });
  if (status === 200) request.headers.set("X-API-Key", key);
  expect((await service.app(request)).status).toBe(status);
});
