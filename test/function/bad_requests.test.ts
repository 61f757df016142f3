// Every bad request of the table (test/support/bad_requests.ts, bad_imports.ts), sent to the function itself: its answer,
// and that the database is called once, to verify the key and the scope of the endpoint.
import { expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/table/endpoints.ts";
import { badImports } from "../support/bad_imports.ts";
import { type BadRequest, badRequests } from "../support/bad_requests.ts";
import { key, refusal, startService } from "../support/service.ts";

const service = await startService();
const all = { ...badRequests, ...badImports };

/** The request as a Request, or undefined for a path or a header that a Request does not take as it is. */
function requestOf({ method = "GET", path, headers = {}, body }: BadRequest): Request | undefined {
  const url = `https://project.example/public-api${path}`;
  try {
    const sent = new Headers({ "X-API-Key": key, ...(headers as Record<string, string>) });
    const request = new Request(url, { method, headers: sent, ...(body === undefined ? {} : { body }) });
    return request.url === url ? request : undefined;
  } catch {
    return undefined;
  }
}

/** The calls to the database, without the note of a wrong import: only a 400 needs to know that the key is good. */
function expectedCalls({ method = "GET", path, status }: BadRequest): unknown[] {
  const [name = ""] = path.split("?");
  const endpoint = endpoints.find((one) => one.method === method && [one.path, ...one.aliases].includes(name || "/"));
  return status === 400 ? [["verify_api_key", endpoint?.scope]] : [];
}

test("a wrong request is answered 500 when its key cannot be verified", async () => {
  service.answer("verify_api_key", refusal(500, "57014"));
  expect((await service.send("/members?limit=0")).status).toBe(500);
});

let tried = 0;
test.each(Object.keys(all))("%s", async (statement) => {
  for (const bad of all[statement] ?? []) {
    const request = requestOf(bad);
    if (!request) continue;
    tried++;
    service.calls.length = 0;
    const response = await service.app(request);
    const answering = service.calls.filter(({ rpc }) => rpc !== "note_refused_use");
    const calls = answering.map(({ rpc, args }) => [rpc, args.required_scope]);
    const { path, status, error } = bad;
    expect.soft([path, response.status, await response.json()]).toEqual([path, status, { error }]);
    if (status === 405) expect.soft(response.headers.get("Allow")).toBe(error.split(" accepts ")[1]);
    expect.soft([path, ...calls]).toEqual([path, ...expectedCalls(bad)]);
  }
});

test("most of the table has been tried", () => {
  expect(tried).toBeGreaterThan(0.8 * Object.values(all).flat().length);
});
