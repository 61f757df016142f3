// Reads complete lists of the public data API (programs.md).
import { setTimeout as pause } from "node:timers/promises";

const base = process.env.PUBLIC_API_URL.replace(/\/$/, "");
const key = process.env.PUBLIC_API_KEY.replace(/\s/g, ""); // fetch's error about a line break in a header would print the key

/** The columns that are only sent on request: the ids that join the lists. */
const include = {
  "/activity": { include: "sender_id,receiver_id,category_id" },
  "/rewards": { include: "external_id" },
  "/day-ratings": { include: "team_name" },
  "/pulse-responses": { include: "question_id" },
};

/** The rows of one request, and whether there are more. Retries while the API is busy: six requests at most. */
async function ask(path, parameters) {
  for (let attempt = 1; ; attempt++) {
    const query = new URLSearchParams({ ...include[path], ...parameters, limit: 1000 });
    const response = await fetch(`${base}${path}?${query}`, {
      headers: { "X-API-Key": key },
      redirect: "error", // followed, it would carry the key to another host
    });
    if (response.ok) return { rows: await response.json(), more: response.headers.get("X-Has-More") !== "false" };
    const isBusy = response.status === 429 || response.status >= 500;
    if (!isBusy || attempt === 6) throw new Error(`${response.status}: ${await response.text()}`);
    const seconds = Number(response.headers.get("Retry-After") ?? 2 ** (attempt - 1));
    await pause(Math.min(seconds || 1, 120) * 1000);
  }
}

/** Every row of a list, newest first. */
export async function whole(path, filters = {}) {
  const all = [];
  for (let place = {}; ; ) {
    const { rows, more } = await ask(path, { ...filters, ...place });
    all.push(...rows);
    if (!more) return all;
    const { timestamp, created_at, id } = all.at(-1);
    place = { starting_after: `${timestamp ?? created_at}_${id}` };
  }
}
