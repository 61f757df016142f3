// changed_after and Link over HTTP: clients that follow Link and know nothing else of this API, and the loop of
// docs/api.md (Keeping a copy), which keeps a copy up to date.
import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { readCsv } from "../support/model.ts";
import { needs } from "../support/optional_tool.ts";
import { call, sql, stack } from "../support/stack.ts";

const rows = 5000;
let company: TestCompany;
let key: string;
beforeAll(async () => {
  company = await newCompany("Copied");
  key = (await company.makeKey()).api_key;
  await sql`insert into app.day_ratings (company_id, rating, comment) select ${company.id}, 3, 'day ' || n from generate_series(1, ${rows}::integer) as n`;
});
afterAll(() => company.remove());

const get = (path: string): Promise<Response> => call(path, key);

/** The pattern by which octokit finds the next page. */
const next = (response: Response): string | undefined =>
  (response.headers.get("link") ?? "").match(/(?<=<)([\S]*)(?=>; rel="next")/i)?.[0];

// Proves: copies.14
test.each([
  "/day-ratings?limit=1000",
  "/day-ratings?limit=700&format=csv&include=team_name",
  "/day-ratings?changed_after=start&limit=1000",
])("%s is read to its end by a client that follows Link", async (path) => {
  const ids = new Set<string>();
  for (let url: string | undefined = path; url !== undefined; ) {
    const response = await get(url);
    const text = await response.text();
    const page = path.includes("csv") ? readCsv(text).slice(1) : JSON.parse(text).map(({ id }: { id: string }) => [id]);
    for (const [id] of page) ids.add(id);
    const link = next(response);
    url = link && `/day-ratings${new URL(link, `${stack.api_url}/day-ratings`).search}`;
  }
  expect(ids.size).toBe(rows);
});

/** Runs Python with the address, the key and the loop of docs/api.md, and returns what it printed, as JSON. */
async function python(program: string): Promise<unknown> {
  const api = await readFile(`${root}/docs/api.md`, "utf8");
  const loop = /```python\n(def update[\s\S]*?)```/.exec(api)?.[1] ?? "";
  const text = `import json, requests\nurl, key = ${JSON.stringify(stack.api_url)}, ${JSON.stringify(key)}\n${loop}\n${program}`;
  return JSON.parse((await promisify(execFile)("python3", ["-c", text], { maxBuffer: 2 ** 26 })).stdout);
}
const hasRequests = spawnSync("python3", ["-c", "import requests"]).status === 0;

// Proves: copies.14
test("Python's requests, which reads Link by itself, reads all rows", async (context) => {
  needs(context, "requests of Python", hasRequests);
  const program = `
ids, next_url = set(), url + "/day-ratings?limit=1000"
while next_url:
    page = requests.get(next_url, headers={"X-API-Key": key})
    ids.update(row["id"] for row in page.json())
    link = page.links.get("next", {}).get("url")
    next_url = link and requests.compat.urljoin(page.url, link)
print(len(ids))`;
  expect(await python(program)).toBe(rows);
});

test("the loop of docs/api.md keeps a copy that is equal to the list", async (context) => {
  needs(context, "requests of Python", hasRequests);
  const keep = (...state: [copy: object, cursor: string]) => `
copy, cursor = json.loads(${JSON.stringify(JSON.stringify(state))})
copy, cursor = update(copy, cursor, url + "/day-ratings", key)
print(json.dumps([copy, cursor]))`;
  const [begun, cursor] = (await python(keep({}, "start"))) as [Record<string, object>, string];
  expect(Object.keys(begun)).toHaveLength(rows);
  const changed =
    await sql`update app.day_ratings set comment = 'corrected' where id in (select id from app.day_ratings where company_id = ${company.id} limit 3) returning id`;
  const deleted =
    await sql`delete from app.day_ratings where id in (select id from app.day_ratings where company_id = ${company.id} and comment <> 'corrected' limit 3) returning id`;
  const few = Object.fromEntries(deleted.map(({ id }) => [id, begun[id]]));
  // Other tests may be writing: a change waits for every transaction that began before it.
  const kept = async () => Object.keys(((await python(keep(few, cursor))) as [object, string])[0]).sort();
  await expect.poll(kept, { timeout: 60_000 }).toEqual(changed.map(({ id }) => id).sort());
});

// Proves: copies.4, copies.7
test("a deleted row has its id, cursor and deleted in JSON and CSV; a cursor of another list is a 410", async () => {
  const first = await (await get("/day-ratings?changed_after=start&limit=1")).json();
  const cursor = first[0].cursor;
  const last = (await (await get("/day-ratings?limit=1")).json())[0].id;
  await sql`delete from app.day_ratings where id = ${last}`;
  const seen = async () => {
    for (let url: string | undefined = `?changed_after=${cursor}&limit=1000&include=team_name`; url; ) {
      const response = await get(`/day-ratings${url}`);
      const row = (await response.json()).find(({ id }: { id: string }) => id === last);
      if (row) return row;
      url = next(response);
    }
  };
  const empty = { rating: null, comment: null, team_id: null, points_awarded: null, created_at: null, team_name: null };
  const row = { id: last, ...empty, cursor: expect.stringMatching(/^[0-9a-f]{56}$/), deleted: true };
  await expect.poll(seen, { timeout: 60_000 }).toEqual(row);
  const csv = await (await get(`/day-ratings?changed_after=${cursor}&limit=1&format=csv`)).text();
  expect(readCsv(csv)[0]?.slice(-2)).toEqual(["cursor", "deleted"]);
  const gone = await get(`/members?changed_after=${cursor}`);
  const error = "Gone: this cursor is no longer known, begin again with changed_after=start";
  expect([gone.status, await gone.json()]).toEqual([410, { error }]);
});
