// Calls that the function makes again (docs/api.md, Limits): the database is busy or away for a moment, or a connection was
// closed.
import { expect, test } from "vitest";
import { madeUpKey } from "../support/made_up_key.ts";
import { list, owner, problem, refusal, refusedKey, startService, type Upstream, value } from "../support/service.ts";

const service = await startService();
const logged = () => JSON.parse(service.lines.at(-1) ?? "");
const reward = '{"external_id":"a","name":"b","points_cost":1}';

const tooMany = refusal(429, "PT429", { ...owner, requests_at_once: 4 });
const closed: Upstream = (response) => void response.destroy();

test.each<[string, Upstream]>([
  ["too many requests of the company", tooMany],
  // What PostgREST answers while the database restarts and until it has read the schema again.
  ["no database", refusal(503, "PGRST001")],
  ["no free connection", refusal(504, "PGRST003")],
  ["no Data API behind the gateway", { status: 502, headers: { "Content-Type": "text/html" }, body: "<html>" }],
  ["a Data API that does not answer the gateway", { status: 504, body: "" }],
  ["an error of a gateway as JSON", { status: 500, body: '{"message":"An invalid response was received"}' }],
  ["an error whose code is none", refusal(500, "no code; but text")],
  ["a page of a gateway with status 200", { headers: { "Content-Type": "text/html" }, body: "<html>" }],
  // What it answers when the process of the database that served it was killed.
  ["a connection that broke", refusal(400, "")],
])("%s for a moment: the caller waits, and gets the answer that comes after it", async (_what, busy) => {
  service.answer("list_members", busy, busy, busy, list("[]"));
  expect((await service.send("/members")).status).toBe(200);
  expect(service.calls).toHaveLength(4);
  expect(logged().waited_milliseconds).toBeGreaterThan(0);
});

test.each<[made: number, what: string, Upstream]>([
  [2, "cannot have been made", refusal(503, "PGRST001")],
  [2, "had no connection", refusal(504, "PGRST003")],
  [1, "may have been made, says a gateway", { status: 502, body: "" }],
  [1, "may have been made, says a gateway that lost its answer", { status: 503, body: "upstream connect error" }],
  [1, "may have been made, and whose connection broke", refusal(400, "")],
  [1, "may have been made, and whose connection was closed before any answer", closed],
])("an import is made %i times when it %s", async (made, _what, busy) => {
  service.answer("upsert_rewards", busy, value({ imported: 1 }));
  expect((await service.import(reward)).status).toBe(made === 1 ? 500 : 200);
  expect(service.calls.filter(({ rpc }) => rpc === "upsert_rewards")).toHaveLength(made);
});

// Proves: requests.54, requests.60
test.each<[what: string, rpc: string, send: () => Promise<Response>]>([
  ["an import", "upsert_rewards", () => service.import(reward)],
  // The instance knows nothing of this key but what the refusal says.
  ["a list", "any", () => service.send("/members", { headers: { "X-API-Key": madeUpKey(1) } })],
])("after two seconds too many requests are a 429 that the log says whose it is: %s", async (_what, rpc, send) => {
  service.answer(rpc, tooMany);
  const response = await send();
  expect(response.headers.get("Retry-After")).toBe("1");
  expect(await problem(response)).toEqual([429, "Too Many Requests"]);
  expect(logged()).toMatchObject({ ...owner, error: "refused by the database" });
  // How often it is tried in this time: test/function/waiting_line.test.ts.
  expect(service.calls.length).toBeGreaterThan(2);
  expect(service.calls.length).toBeLessThan(90);
});

// Proves: requests.54
test("a connection that was closed before any answer is opened again, but only once", async () => {
  service.answer("list_members", closed);
  expect(await problem(await service.send("/members"))).toEqual([500, "Internal Server Error"]);
  expect(logged().error).toMatch(/^list_members gave no complete answer \(\w+\)$/);
  expect(service.calls).toHaveLength(2);
  service.answer("list_members", closed, refusedKey);
  expect((await service.send("/members")).status).toBe(401);
});
