import type { ApiKey } from "../database.ts";

const day = 24 * 60 * 60 * 1000;

/** In days: a key that expires within `soon`, or that has not been used for `long`, needs attention. */
const [soon, long] = [14, 90];

const days = (count: number): string => (count === 1 ? "1 day" : `${count} days`);

/**
 * Notes about an active key that an admin has to look at: it expires soon, is not used, or is replaced and still used.
 * @param successor the key that replaces it
 */
export function concerns(key: ApiKey, successor: ApiKey | undefined, now = Date.now()): string[] {
  if (key.status !== "active") return [];
  if (successor) {
    return key.last_used_at !== null && key.last_used_at > successor.created_at ? ["Replaced, still in use"] : [];
  }
  const left = key.expires_at === null ? null : Math.floor((Date.parse(key.expires_at) - now) / day);
  const unused = Math.floor((now - Date.parse(key.last_used_at ?? key.created_at)) / day);
  return [
    ...(left === null || left >= soon ? [] : [left < 1 ? "Expires within a day" : `Expires in ${days(left)}`]),
    ...(unused < long ? [] : [`Not used for ${days(unused)}`]),
  ];
}

export const needsAttention = (key: ApiKey, successor: ApiKey | undefined): boolean =>
  concerns(key, successor).length > 0;
