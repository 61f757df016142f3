// What is noted of the use of a key (docs/api.md, Authentication): the endpoint and the program, which the function
// tells the database beside each call; and the refused use of a dead key.
import type { ServerResponse } from "node:http";
import { expect, test, vi } from "vitest";
import { refusedUses } from "../../functions/public-api/line/refused_uses.ts";
import { programOf, quickCheck } from "../../functions/public-api/request/caller.ts";
import { endpoints } from "../../functions/public-api/table/endpoints.ts";
import { madeUpKey } from "../support/made_up_key.ts";
import { keyHash, list, owner, refusal, refusedKey, startService } from "../support/service.ts";

const service = await startService();
const deadKey = refusal(401, "PT401", owner);
const notes = () => service.calls.filter(({ rpc }) => rpc === "note_refused_use");

test.each([
  ["curl/8.5.0", "curl/8.5.0"],
  ["python-requests/2.32.3", "python-requests/2.32.3"],
  ["Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)", "Microsoft.Data.Mashup"],
  ["Mozilla/5.0 (compatible; Google-Apps-Script; +https://script.google.com; id: UAEmdDd)", "Google-Apps-Script"],
  ["Mozilla/5.0 (Windows NT 10.0; Microsoft Windows 10.0.19045; en-US) PowerShell/7.4.0", "PowerShell/7.4.0"],
  ["Mozilla/5.0 (X11) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36", "Chrome/131.0.0.0"],
  ["Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Safari/605.1.15", "Safari/605.1.15"],
  ["Microsoft Office/16.0 (Windows NT 10.0; Microsoft Excel 16.0.17628; Pro)", "Microsoft Office/16.0"],
  ["libcurl/8.5.0 r-curl/5.2.0 httr/1.4.7", "libcurl/8.5.0"],
  ["public-data-api/1.3.0 sync", "public-data-api/1.3.0 sync"],
  ["Nightly copy of Larkfield", "Nightly copy of Larkfield"],
  ["Reports bob@larkfield.example sk_live_0123456789012345678901234567890123456789", "Reports"],
  ["Rapporte-für-Ünal tool\u0000\u202e/1", undefined],
  ["", undefined],
  ["(nothing", undefined],
  [`(${"x".repeat(500)}) late/1`, undefined],
  [`${"word ".repeat(30)}end`, "word ".repeat(12).trim()],
])("of the User-Agent %j the program is %j", (userAgent, program) => {
  expect(programOf(userAgent)).toBe(program);
});

const endpointsOf = () => service.calls.map(({ headers }) => [headers["x-endpoint"], headers["x-client"]]);

test("every call says the endpoint, by its first name, and the program, and nothing else of the request", async () => {
  service.answer("any", list("[]"));
  const headers = { "User-Agent": "curl/8.5.0", "X-Secret": "of the caller", Cookie: "a=b" };
  for (const { method, path, aliases } of endpoints) {
    service.calls.length = 0;
    const body = method === "POST" ? '{"external_id":"a","name":"a","points_cost":1}' : null;
    await service.send(`${aliases[0] ?? path}${body ? "" : "?since=2026-01-01"}`, { method, headers, body });
    expect(new Set(endpointsOf().map(String))).toEqual(new Set([`${method} ${path},curl/8.5.0`]));
  }
  await service.send("/members", { method: "HEAD" });
  expect(endpointsOf().at(-1)).toEqual(["GET /members", undefined]);
  const own = ["content-type", "accept", "apikey", "x-endpoint", "x-client"];
  const ofFetch = ["host", "connection", "accept-language", "sec-fetch-mode", "user-agent", "accept-encoding"];
  for (const { headers } of service.calls)
    for (const name of Object.keys(headers)) expect([...own, ...ofFetch, "content-length"]).toContain(name);
  expect(JSON.stringify(service.calls)).not.toContain("of the caller");
});

test("the dashboard's quick check is noted as one, of the base address only; that of a dead key is no use", async () => {
  const headers = { "X-Client-Info": quickCheck };
  await service.send("/", { headers });
  await service.send("/members", { headers });
  await service.send("/", { headers: { "X-Client-Info": "supabase-js-web/2.119.0" } });
  expect(service.calls.map(({ headers }) => headers["x-quick-check"])).toEqual(["true", undefined, undefined]);
  service.answer("verify_api_key", deadKey);
  for (const one of [headers, { "User-Agent": "curl/8" }])
    expect((await service.send("/", { headers: { ...one, "X-API-Key": madeUpKey(50) } })).status).toBe(401);
  await expect.poll(notes).toMatchObject([{ headers: { "x-client": "curl/8" } }]);
});

test("the refusal of a dead key is noted in a call of its own, once for many; that of an unknown one is not", async () => {
  service.answer("list_members", refusedKey);
  const unknown = await service.send("/members");
  expect(JSON.parse(service.lines.at(-1) ?? "")).toMatchObject({ status: 401, key_id: null, company_id: null });
  expect(notes()).toEqual([]);

  // Nobody answers the note meanwhile.
  const held: ServerResponse[] = [];
  service.answer("note_refused_use", (response) => void held.push(response));
  service.answer("list_members", deadKey);
  const dead = await service.send("/members", { headers: { "User-Agent": "curl/8.5.0" } });
  expect(await dead.json()).toEqual(await unknown.json());
  const compared = ({ headers }: Response) => [...headers].filter(([name]) => name !== "x-request-id");
  expect(compared(dead)).toEqual(compared(unknown));
  expect(JSON.parse(service.lines.at(-1) ?? "")).toMatchObject({ status: 401, error: "key refused", ...owner });
  await service.send("/members");
  const said = { "x-endpoint": "GET /members", "x-client": "curl/8.5.0" };
  await expect.poll(notes).toMatchObject([{ args: { key_hash: keyHash }, headers: said }]);
  held[0]?.end();
});

test("a note that fails is nobody's failure; of many dead keys two notes are written at once, and in the end all", async () => {
  service.answer("verify_api_key", deadKey);
  service.answer("note_refused_use", { status: 500, body: "{}" });
  const headers = { "X-API-Key": madeUpKey(7) };
  expect((await service.send("/members?limit=0", { headers })).status).toBe(401);
  await expect.poll(notes).toHaveLength(1);

  const held: ServerResponse[] = [];
  service.answer("note_refused_use", (response) => void held.push(response));
  const asked = [1, 2, 3, 4, 1].map((number) => service.send("/", { headers: { "X-API-Key": madeUpKey(number) } }));
  for (const { status } of await Promise.all(asked)) expect(status).toBe(401);
  await expect.poll(notes).toHaveLength(3);
  for (let noted = 4; noted <= 5; noted++) {
    held.shift()?.end();
    await expect.poll(notes).toHaveLength(noted);
  }
  for (const response of held) response.end();
});

test("a company has 200 notes a minute, others have theirs", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: 60_000 });
  const noted: string[] = [];
  const noteRefusedUse = refusedUses(async (_rpc, { key_hash }) => {
    noted.push(String(key_hash));
    return { headers: new Headers(), body: "" as never, logged: {} };
  });
  const caller = { scope: null, noted: {} };
  const note = (keyHash: string, company: string) => noteRefusedUse({ keyHash, caller }, 401, { company_id: company });
  for (let key = 0; key < 250; key++) note(`A ${key}`, "A");
  for (const key of ["B", "B"]) note(key, "B");
  await expect.poll(() => noted.length).toBe(201);
  vi.setSystemTime(120_000);
  for (const key of ["A 0", "A 249"]) note(key, "A");
  await expect.poll(() => noted.slice(201)).toEqual(["A 0", "A 249"]);
  vi.useRealTimers();
});

// Proves: lifecycle.12
test("a wrong import is noted with the field and the rule, never with a value; a good one, and others' 400, are not", async () => {
  const headers = { "X-API-Key": madeUpKey(8), "User-Agent": "curl/8.5.0" };
  const send = (body: string) => service.send("/rewards", { method: "POST", body, headers });
  expect((await send('{"external_id":"a","name":"a","points_cost":1}')).status).toBe(200);
  expect((await service.send("/rewards?limit=0", { headers })).status).toBe(400);
  for (const _ of [1, 2])
    expect((await send('{"external_id":"Secret","name":"a","points_cost":"Secret"}')).status).toBe(400);
  const said = { "x-endpoint": "POST /rewards", "x-client": "curl/8.5.0" };
  const reason = "points_cost must be a number of 0 or more";
  await expect.poll(notes).toMatchObject([{ args: { reason }, headers: said }]);
  expect(JSON.stringify(notes())).not.toContain("Secret");
});
