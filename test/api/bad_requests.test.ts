// Requests that must be refused, over HTTP: each gets its exact status and text, and changes nothing. They are listed in
// test/support/bad_requests.ts and bad_imports.ts; each statement there is one test here.
import { request } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { badImports } from "../support/bad_imports.ts";
import { badRequests } from "../support/bad_requests.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { send } from "../support/raw.ts";
import { expectHeaders, importRewards, sql, stack } from "../support/stack.ts";
import { contents } from "../support/two_projects.ts";

const all = { ...badRequests, ...badImports };

let company: TestCompany;
let key: string;
/** Every row of the company but the time of the last use of its key, which bad requests record too. */
const rows = async () => ({ ...(await contents(sql, company.id)), api_key_uses: [] });
let before: Awaited<ReturnType<typeof rows>>;
beforeAll(async () => {
  company = await newCompany("Bad requests");
  key = (await company.makeKey()).api_key;
  // The rewards that the bad imports name exist already. If a check were missing, an import would change them.
  const rewards = ["bad", "a", "b"].map((external_id) => ({ external_id, name: "Before", points_cost: 5 }));
  expect((await importRewards(key, rewards)).status).toBe(200);
  before = await rows();
});
afterAll(() => company.remove());

test.each(Object.keys(all))("%s", async (statement) => {
  for (const { method = "GET", path, headers = {}, body, status, error } of all[statement] ?? []) {
    const response = await send(
      method,
      path,
      { ...("X-API-Key" in headers ? {} : { "X-API-Key": key }), ...headers },
      body,
    );
    const request = `${method} ${path.slice(0, 200)} ${body === undefined ? "" : Buffer.from(body).subarray(0, 200)}`;
    const answered = { request, status: response.status, body: response.body };
    expect.soft(answered).toEqual({ request, status, body: JSON.stringify({ error }) });
    expect.soft(response.headers.get("Content-Type")).toBe("application/json");
    expectHeaders(response.headers);
    expect(error).not.toMatch(/\[object|\.ts:\d|[\r\n]/);
  }
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

// Proves: errors.6
test("after all bad requests the rows of the company are what they were", async () => {
  expect(await rows()).toEqual(before);
});
