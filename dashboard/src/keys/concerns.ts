import type { ApiKey } from "../database.ts";

const day = 24 * 60 * 60 * 1000;

/** In days: a key that expires within `soon`, or that has not been used for `long`, gets a note. */
const [soon, long] = [14, 60];

const days = (count: number): string => (count === 1 ? "1 day" : `${count} days`);

/**
 * Notes for an admin about an active key: that it expires soon, or that it is not used. For a replaced key: whether it
 * is still in use, so that the admin knows whether to revoke it.
 * @param successor the key that replaces it
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
