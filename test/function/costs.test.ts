// In which line before the database a request waits (docs/api.md, Limits).
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { list, refusal, startService, withLength } from "../support/service.ts";

const service = await startService();
const body = '{"external_id":"1","name":"Mug","points_cost":1}';
const id = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;

// Proves: questions.9
test.each<[times: number, what: string, rpc: string, path: string, init?: RequestInit]>([
  [3, "pages", "list_activity", "/activity?limit=1000"],
  [3, "pages behind a row, with one filter", "list_activity", `/activity?starting_after=${id(1)}&sender_id=${id(2)}`],
  [3, "imports", "upsert_rewards", "/rewards", { method: "POST", body }],
  // These may read all kudos that one of the filters matches, and all names.
  [1, "pages with two filters", "list_activity", `/activity?limit=1&sender_id=${id(2)}&category_id=${id(3)}`],
  [1, "people with a part of a name", "list_members", "/members?limit=1&name=ann"],
  [1, "totals", "count_activity", "/activity/counts"],
  [1, "averages", "average_day_ratings", "/day-ratings/averages?format=csv"],
])("at most %i at a time: %s", async (most, _what, rpc, path, init) => {
  const held: ServerResponse[] = [];
  const answerHeld = () => held.splice(0).map((response) => response.writeHead(200, page.headers).end(page.body));
  const page = withLength(list("[]"));
  service.answer(rpc, (response) => void held.push(response));
  const all = Array.from({ length: most + 1 }, () => service.send(path, init));
  await expect.poll(() => held).toHaveLength(most);
  // One more would come before this has been answered.
  await fetch(`${service.supabaseUrl}/rest/v1/rpc/any`, { method: "POST", body: "{}" });
  expect(held).toHaveLength(most);
  answerHeld();
  await expect.poll(() => held).toHaveLength(1);
  answerHeld();
  for (const response of all) expect((await response).status).toBe(200);
});

test("what is wrong with a request is said once its key is verified, with the scope of the request", async () => {
  expect((await service.send("/activity?limit=0")).status).toBe(400);
  expect(service.calls.map(({ rpc, args }) => [rpc, args.required_scope])).toEqual([
    ["verify_api_key", "read:activity"],
  ]);
  service.answer("verify_api_key", refusal(500, "57014"));
  expect((await service.send("/activity?limit=0")).status).toBe(500);
});
