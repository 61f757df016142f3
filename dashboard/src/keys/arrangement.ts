// Which keys are listed, and in what order.
import type { ApiKey } from "../database.ts";

export const orders = {
  created: "Newest first",
  name: "Name",
  used: "Last used first",
  expiry: "Expiring first",
} as const;

export type Arrangement = { search: string; order: keyof typeof orders; onlyActive: boolean };

export const everything: Arrangement = { search: "", order: "created", onlyActive: false };

const byName = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });
/** Compares the API's date-times as text: all have the same length and the same time zone. */
const descending = (one: string, other: string): number => (one < other ? 1 : one > other ? -1 : 0);

const compare: Record<keyof typeof orders, (one: ApiKey, other: ApiKey) => number> = {
  created: () => 0,
  name: (one, other) => byName.compare(one.name, other.name),
  used: (one, other) => descending(one.last_used_at ?? "", other.last_used_at ?? ""),
  expiry: (one, other) => {
    const end = (key: ApiKey): string => (key.status === "active" ? (key.expires_at ?? "later") : "never");
    return descending(end(other), end(one));
  },
};

/** Whether the row shows every word of the search: in the name, the last four characters, the scopes or the people. */
function matches(key: ApiKey, search: string): boolean {
  const shown = [key.name, key.hint, ...key.scopes, key.created_by, key.revoked_by ?? ""].join("\n").toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.includes(word));
}

/** @param keep id of the key that has just been changed: it is always listed */
export function arranged(keys: ApiKey[], { search, order, onlyActive }: Arrangement, keep: string | null): ApiKey[] {
  return keys
    .filter((key) => key.id === keep || ((!onlyActive || key.status === "active") && matches(key, search)))
    .sort(compare[order]);
}
