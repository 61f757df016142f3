import type { ApiKey } from "../database.ts";

const day = 24 * 60 * 60 * 1000;

/** From so many days before it on, an end is worth a word; and after so many days without use. */
const [soon, long] = [14, 60];

const days = (count: number): string => (count === 1 ? "1 day" : `${count} days`);

/** What an admin should see at a glance about a key that works: that it ends soon, or that nothing uses it. */
export function concerns(key: ApiKey, now = Date.now()): string[] {
  if (key.status !== "active") return [];
  const left = key.expires_at === null ? null : Math.floor((Date.parse(key.expires_at) - now) / day);
  const unused = Math.floor((now - Date.parse(key.last_used_at ?? key.created_at)) / day);
  return [
    ...(left === null || left > soon ? [] : [left < 1 ? "Expires within a day" : `Expires in ${days(left)}`]),
    ...(unused < long ? [] : [`Not used for ${days(unused)}`]),
  ];
}
