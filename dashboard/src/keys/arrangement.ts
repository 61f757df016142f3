// Which keys are listed, in what order, and on which page. It stands in the page's address.
import type { ApiKey } from "../database.ts";

export const views = { active: "Active", attention: "Needs attention", inactive: "Inactive" } as const;
export const orders = { name: "Name", created: "Created", used: "Last used", expiry: "Expires" } as const;
/** What stands first in each order, and in the reversed one. */
export const ends: Record<keyof typeof orders, [first: string, last: string]> = {
  name: ["A", "Z"],
  created: ["newest", "oldest"],
  used: ["newest", "oldest"],
  expiry: ["next", "last"],
};

export type View = keyof typeof views;
export type Order = keyof typeof orders;

/** A search looks at all keys, whatever the view. `reversed`: from the end of the order. `page` counts from 1. */
export type Arrangement = { view: View; search: string; order: Order; reversed: boolean; page: number };

export const pageSize = 25;

/** A key that is pasted into the search, or the beginning of one: the page's address gets its last four characters. */
const withoutKeys = (text: string): string => text.replace(/sk_live_\S*(?=\S{4})/g, "");

const isIn = <T extends object>(known: T, name: string | null): name is keyof T & string =>
  name !== null && Object.hasOwn(known, name);

/** Reads the query of an address. What it does not understand is as without it. */
export function readArrangement(query: string): Arrangement {
  const given = new URLSearchParams(query);
  const [view, order] = [given.get("view"), given.get("order")];
  const page = Number(given.get("page"));
  return {
    view: isIn(views, view) ? view : "active",
    search: withoutKeys(given.get("search") ?? ""),
    order: isIn(orders, order) ? order : "created",
    reversed: given.has("reversed"),
    page: Number.isInteger(page) && page > 0 ? page : 1,
  };
}

/** The query for an address: empty for what a visitor sees first. */
export function queryOf({ view, search, order, reversed, page }: Arrangement): string {
  const query = new URLSearchParams({
    ...(view === "active" ? {} : { view }),
    ...(search === "" ? {} : { search }),
    ...(order === "created" ? {} : { order }),
    ...(reversed ? { reversed: "" } : {}),
    ...(page === 1 ? {} : { page: String(page) }),
  }).toString();
  return query === "" ? "" : `?${query}`;
}

export const searchFor = (text: string): Partial<Arrangement> => ({ search: withoutKeys(text), page: 1 });

const byName = new Intl.Collator(undefined, { sensitivity: "base", numeric: true });
/** Compares the API's date-times as text: all have the same length and the same time zone. */
const descending = (one: string, other: string): number => (one < other ? 1 : one > other ? -1 : 0);

const compare: Record<Order, (one: ApiKey, other: ApiKey) => number> = {
  name: (one, other) => byName.compare(one.name, other.name),
  created: (one, other) => descending(one.created_at, other.created_at),
  used: (one, other) => descending(one.last_used_at ?? "", other.last_used_at ?? ""),
  // The next one first. Behind those that expire: what does not, then what no longer works.
  expiry: (one, other) => {
    const end = (key: ApiKey): string => (key.status === "active" ? (key.expires_at ?? "later") : "never");
    return descending(end(other), end(one));
  },
};

/** Whether every word of the search is in the name, the last four characters, the scopes, the status or the people. */
function matches(key: ApiKey, search: string): boolean {
  const shown = [key.name, key.hint, ...key.scopes, key.status, key.created_by, key.revoked_by ?? ""].join("\n");
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => shown.toLowerCase().includes(word));
}

/** The keys of each view, and those that the search finds. */
export function groupsOf(keys: ApiKey[], search: string): Record<View | "found", ApiKey[]> {
  const successors = new Map(keys.map((key) => [key.id, key]));
  const isActive = ({ status }: ApiKey): boolean => status === "active";
  return {
    active: keys.filter(isActive),
    attention: keys.filter((key) => needsAttention(key, successors.get(key.replaced_by ?? ""))),
    inactive: keys.filter((key) => !isActive(key)),
    found: keys.filter((key) => matches(key, search)),
  };
}

export function sorted(keys: ApiKey[], { order, reversed }: Arrangement): ApiKey[] {
  const inOrder = keys.toSorted(compare[order]);
  return reversed ? inOrder.reverse() : inOrder;
}

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
