// What a request costs in the line before the database (docs/api.md, Limits).
import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { list, startService } from "../support/service.ts";
import vectors from "../vectors/api_keys.json" with { type: "json" };

const service = await startService();
const rewards = Array.from({ length: 101 }, (_, n) => ({ external_id: `${n}`, name: "Mug", points_cost: 1 }));

test.each<[what: string, rpc: string, path: string, init?: RequestInit]>([
  ["pages of 101 rows", "list_activity", "/activity?limit=101"],
  ["pages of 101 rows in CSV", "list_activity", "/activity?limit=101&format=csv"],
  // Proves: questions.9
  ["questions", "count_activity", "/activity/counts"],
  ["imports of 101 rewards", "upsert_rewards", "/rewards", { method: "POST", body: JSON.stringify(rewards) }],
])("two %s are served at a time", async (_what, rpc, path, init) => {
  const held: ServerResponse[] = [];
  const answerHeld = () => held.splice(0).map((response) => response.writeHead(200, page.headers).end(page.body));
  const page = list("[]");
  service.answer(rpc, (response) => void held.push(response));
  const large = Array.from({ length: 3 }, () => service.send(path, init));
  await vi.waitFor(() => expect(held).toHaveLength(2));
  // A third one would come before this has been answered.
  const small = service.send("/members");
  answerHeld();
  expect((await small).status).toBe(200);
  await vi.waitFor(() => expect(held).toHaveLength(1));
  answerHeld();
  for (const response of large) expect((await response).status).toBe(200);
});

test("a new key is verified before its first call, with the scope of the request: a 403 is no use of a key", async () => {
  const headers = { "X-API-Key": vectors.valid[1]?.key ?? "" };
  for (const _ of ["new", "known"]) await service.send("/activity", { headers });
  expect(service.calls.map(({ rpc }) => rpc)).toEqual(["verify_api_key", "list_activity", "list_activity"]);
  expect(service.calls[0]?.args.required_scope).toBe("read:activity");
});
