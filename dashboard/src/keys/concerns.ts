import type { ApiKey } from "../database.ts";

const day = 24 * 60 * 60 * 1000;

/** From so many days before it on, an end is worth a word; and after so many days without use. */
const [soon, long] = [14, 60];

const days = (count: number): string => (count === 1 ? "1 day" : `${count} days`);

/**
 * What an admin should see at a glance about a key that works: that it ends soon, or that nothing uses it; of one that has been replaced,
 * whether it may go.
 * @param successor the key that takes its place
 */
export function concerns(key: ApiKey, successor: ApiKey | undefined, now = Date.now()): string[] {
  if (key.status !== "active") return [];
  if (successor) {
    const usedSince = key.last_used_at !== null && key.last_used_at > successor.created_at;
    return [usedSince ? "Still in use" : "Not used since it was replaced"];
  }
  const left = key.expires_at === null ? null : Math.floor((Date.parse(key.expires_at) - now) / day);
  const unused = Math.floor((now - Date.parse(key.last_used_at ?? key.created_at)) / day);
  return [
    ...(left === null || left > soon ? [] : [left < 1 ? "Expires within a day" : `Expires in ${days(left)}`]),
    ...(unused < long ? [] : [`Not used for ${days(unused)}`]),
  ];
}
