import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { key, list, refusal, startService } from "../support/service.ts";

const service = await startService();

describe("a JSON list", () => {
  test("is passed on byte for byte, and of the database's headers nothing but X-Has-More", async () => {
    const body = ' [ {"value" : 1.10, "big": 12345678901234567890, "text": "\\u00e9"} ]\n';
    service.answer("list_pulse_responses", list(body, { rows: 1, hasMore: true }));
    const response = await service.send("/pulse-responses");
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(response.headers.get("X-Has-More")).toBe("true");
    for (const name of ["X-Key-Id", "X-Company-Id", "X-Row-Count", "X-Next", "X-Next-Page"])
      expect(response.headers.get(name)).toBeNull();
    expect(await response.text()).toBe(body);
  });

  // Proves: copies.18
  test("of changes has X-Changes-Until if the database says it", async () => {
    const until = "2026-11-28T10:15:30.123456Z";
    const { headers, body } = list("[]");
    service.answer("list_changes", { headers: { ...headers, "X-Changes-Until": until }, body });
    expect((await service.send("/members/changes?format=csv")).headers.get("X-Changes-Until")).toBe(until);
    service.answer("list_changes", { headers, body });
    expect((await service.send("/members/changes")).headers.has("X-Changes-Until")).toBe(false);
  });

  // A HEAD does not wait for the rows of a stream. What is not given up is closed too, but only when memory is cleaned up.
  test("whose rows nobody reads is given up upstream", { timeout: 4000, retry: 2 }, async () => {
    for (const method of ["GET", "HEAD"]) {
      const closed = new Promise((resolve) => {
        service.answer("list_members", (response) => {
          response.writeHead(200, list("").headers).write("[");
          once(response, "close").then(resolve);
        });
      });
      const response = await service.send("/members", { method });
      expect(response.status).toBe(200);
      if (method === "GET") await response.body?.cancel();
      await closed;
    }
  });
});

describe("Link", () => {
  const id = "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d";
  const cursor = "0f".repeat(28);

  // Proves: copies.13
  test.each([
    ["/members", "starting_after=NEXT"],
    ["/users/?limit=5", "limit=5&starting_after=NEXT"],
    ["/kudos?include=sender_id&include=category_id", "include=sender_id&include=category_id&starting_after=NEXT"],
    ["/members?", "starting_after=NEXT"],
    ["/members?limit=5&format=csv", "limit=5&format=csv&starting_after=NEXT"],
    [`/members?starting_after=${id}&limit=5`, "limit=5&starting_after=NEXT"],
    [`/members?starting%5Fafter=${id}&limit=5`, "limit=5&starting_after=NEXT"],
    ["/members?&limit=5&&role=Team+Lead%2B%26", "limit=5&role=Team+Lead%2B%26&starting_after=NEXT"],
    ["/kudos?since=2026-01-01T10:00%2B02:00", "since=2026-01-01T10:00%2B02:00&starting_after=NEXT"],
    ["/kudos?include[]=sender_id,category_id", "include%5B%5D=sender_id%2Ccategory_id&starting_after=NEXT"],
    ["/members/changes?after=start&limit=5", "limit=5&after=NEXT"],
    [`/kudos/changes?after=${cursor}&include=sender_id`, "include=sender_id&after=NEXT"],
    // What ends a link, or a header, or what readers of the header split it at.
    [`/members?role=a>; rel="prev", <http://a`, "role=a%3E%3B%20rel=%22prev%22%2C%20%3Chttp://a&starting_after=NEXT"],
    ["/members?role=\r\nX-Evil: 1\0".replace("\0", ""), "role=%0D%0AX-Evil:%201&starting_after=NEXT"],
    ["/members?role=größe😀\u007f", "role=gr%C3%B6%C3%9Fe%F0%9F%98%80%7F&starting_after=NEXT"],
  ])("of a page with more rows has the query as it was sent, from the next row on: %j", async (path, query) => {
    service.answer("any", list("[]", { hasMore: true, next: "NEXT" }));
    const request = new Request("https://host/", { headers: { "X-API-Key": key } });
    // A Request would normalize the address.
    Object.defineProperty(request, "url", { value: `https://host/public-api${path}` });
    expect((await service.app(request)).headers.get("Link")).toBe(
      `<https://api.example/v1${path.split("?")[0]}?${query}>; rel="next"`,
    );
  });

  // Proves: copies.13
  test("is not there when there are no more rows, or the database is older and does not say what is next", async () => {
    for (const next of [{ hasMore: false, next: id }, { hasMore: true }]) {
      service.answer("list_members", list("[]", next));
      expect((await service.send("/members")).headers.get("Link")).toBeNull();
    }
  });
});

// Proves: requests.49, requests.51, requests.56, requests.57, requests.68, risk.8
test.each<[method: string, path: string, status: number]>([
  ["GET", "/members", 200],
  ["GET", "/members?format=csv", 200],
  ["HEAD", "/", 200],
  ["OPTIONS", "/members", 204],
  ["GET", "/members?limit=0", 400],
  ["GET", "/nothing", 404],
  ["GET", "/activity", 500],
])("every response has its common headers, and a request id of its own: %s %s", async (method, path, status) => {
  service.answer("list_activity", refusal(500, "57014"));
  const ids = new Set<string | null>(["mine"]);
  for (const size of [2, 3]) {
    const response = await service.send(path, { method, headers: { "X-Request-Id": "mine" } });
    expect(response.status).toBe(status);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "x-request-id": expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      "cache-control": "private, no-store",
      "x-content-type-options": "nosniff",
      "access-control-allow-origin": "*",
      "access-control-expose-headers":
        "X-Request-Id, X-Has-More, Link, X-Changes-Until, Retry-After, Content-Disposition",
    });
    expect(response.headers.get("Access-Control-Allow-Credentials")).toBeNull();
    expect(ids.add(response.headers.get("X-Request-Id")).size).toBe(size);
    if (method !== "GET") expect(await response.text()).toBe("");
  }
});

test.each([
  ["http://a b/public-api/members?limit=5", 200],
  ["http://[::1/public-api/members?limit=5", 200],
  ["http://host/public-api/a/../members", 404],
  ["http://host/public-apix/members", 404],
  ["http://host/public-api/members?limit=5#limit=0", 200],
  ["http://host?limit=5", 401],
  ["http://x?y#z//public-api/members", 401],
  ["", 401],
  ["*", 401],
])("an address is not normalized: %s", async (url, status) => {
  const request = new Request("http://host/");
  Object.defineProperty(request, "url", { value: url });
  if (status === 200) request.headers.set("X-API-Key", key);
  expect((await service.app(request)).status).toBe(status);
});
