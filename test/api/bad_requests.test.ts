// Requests that must be refused, over HTTP: each gets its exact status and text, and changes nothing. They are listed in
// test/support/bad_requests.ts and bad_imports.ts; each statement there is one test here.
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { badImports } from "../support/bad_imports.ts";
import { badRequests } from "../support/bad_requests.ts";
import { companyOfFile } from "../support/companies.ts";
import { besideNeighbour } from "../support/neighbour.ts";
import { contents } from "../support/project_companies.ts";
import { send } from "../support/raw.ts";
import { importRewards, sql } from "../support/stack.ts";

const all = { ...badRequests, ...badImports };

const { company, key } = await companyOfFile("Bad requests");
/** Every row of the company but the time of the last use of its key, which bad requests record too. */
const rows = async () => ({ ...(await contents(sql, company.id)), api_key_uses: [] });
// The rewards that the bad imports name exist already. If a check were missing, an import would change them.
const rewards = ["bad", "a", "b"].map((external_id) => ({ external_id, name: "Before", points_cost: 5 }));
expect((await importRewards(key, rewards)).status).toBe(200);
const before = await rows();
const begun = new PassThrough();
begun.write("[");
/** The answer to a body that never ends. It takes ten seconds, so the request begins before all others. */
const slow = send("POST", "/rewards", { "X-API-Key": key }, begun);

test.each(Object.keys(all))("%s", async (statement) => {
  for (const { method = "GET", path, headers, body, status, error } of all[statement] ?? []) {
    const response = await send(method, path, { "X-API-Key": key, ...headers }, body);
    const request = `${method} ${path.slice(0, 200)} ${body === undefined ? "" : Buffer.from(body).subarray(0, 200)}`;
    const answered = { request, status: response.status, body: response.body };
    expect.soft(answered).toEqual({ request, status, body: JSON.stringify({ error }) });
    expect.soft(response.headers.get("Content-Disposition")).toBeNull();
    expect(error).not.toMatch(/\[object|\.ts:\d|[\r\n]/);
  }
});

// Proves: requests.67
test("a body that is not complete after 10 seconds is a 408", async () => {
  expect(await besideNeighbour(() => slow)).toMatchObject({ status: 408, body: '{"error":"Request Timeout"}' });
});

// Proves: errors.6
test("after all bad requests the rows of the company are what they were", async () => {
  expect(await rows()).toEqual(before);
});
