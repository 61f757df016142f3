import { writeFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";

type Lists = "/members" | "/teams" | "/activity" | "/categories" | "/rewards" | "/day-ratings" | "/pulse-responses";
type Row<List extends Lists> = paths[List]["get"]["responses"][200]["content"]["application/json"][number];
type Query<List extends Lists> = NonNullable<paths[List]["get"]["parameters"]["query"]>;

const { PUBLIC_API_URL, PUBLIC_API_KEY } = process.env;
if (!PUBLIC_API_URL || !PUBLIC_API_KEY) throw new Error("Set PUBLIC_API_URL and PUBLIC_API_KEY");
const api = createClient<paths, "application/json">({
  baseUrl: PUBLIC_API_URL,
  headers: { "X-API-Key": PUBLIC_API_KEY.replace(/\s/g, "") }, // fetch's error about a line break in a header would print the key
  redirect: "error", // followed, it would carry the key to another host
  querySerializer: { array: { style: "form", explode: false } }, // include=a,b
  fetch: patiently,
});

/** The lists, and the columns that are only sent on request: the ids that join the lists. */
const lists: { [List in Lists]: Query<List> } = {
  "/members": {},
  "/teams": {},
  "/activity": { include: ["sender_id", "receiver_id", "category_id"] },
  "/categories": {},
  "/rewards": { include: ["external_id"] },
  "/day-ratings": { include: ["team_name"] },
  "/pulse-responses": { include: ["question_id"] },
};

/** Retries while the API is busy: six requests at most. */
async function patiently(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(request.clone());
    if ((response.status !== 429 && response.status < 500) || attempt === 6) return response;
    const seconds = Number(response.headers.get("Retry-After") ?? 2 ** (attempt - 1));
    await pause(Math.min(seconds || 1, 120) * 1000);
  }
}

/** The rows of one request, and whether there are more. */
async function ask<List extends Lists>(list: List, query: Query<List>): Promise<{ rows: Row<List>[]; more: boolean }> {
  const { data, error, response } = await api.GET(list as Lists, { params: { query } });
  if (!data) throw new Error(`${response.status}: ${error?.error}`);
  return { rows: data as Row<List>[], more: response.headers.get("X-Has-More") !== "false" };
}

/** Every row of a list, newest first. */
async function whole<List extends Lists>(list: List, filters: Query<List>): Promise<Row<List>[]> {
  const all: Row<List>[] = [];
  for (let place = {}; ; ) {
    const { rows, more } = await ask(list, { ...lists[list], ...filters, limit: 1000, ...place });
    all.push(...rows);
    const last = all.at(-1);
    if (!more || !last) return all;
    place = { starting_after: `${"timestamp" in last ? last.timestamp : last.created_at}_${last.id}` };
  }
}

for (const row of (await ask("/activity", { limit: 100 })).rows) console.log(JSON.stringify(row));

for (const list of Object.keys(lists) as Lists[])
  await writeFile(`.${list}.json`, JSON.stringify(await whole(list, {}), null, 2));
