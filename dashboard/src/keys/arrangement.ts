// What the page shows: which keys, in what order, on which page, and which of them in full. It stands in the page's address.
import type { ApiKey } from "../database.ts";
import { ago } from "../parts/when.tsx";
import { labelOf, type Scope } from "../scopes.ts";
import { assistantName } from "./assistant.ts";
import { clientName } from "./client_name.ts";

export const tabs = { keys: "Keys", assistants: "Assistants", history: "History" } as const;
export const views = { active: "Active", attention: "Needs attention", inactive: "Inactive" } as const;
/** The orders, with what stands first in each, and in the reversed one. `descends`: it begins with the latest date. */
export const orders = {
  name: { words: "Name", first: "A", last: "Z", descends: false },
  created: { words: "Created", first: "newest", last: "oldest", descends: true },
  used: { words: "Last used", first: "newest", last: "oldest", descends: true },
  expiry: { words: "Expires", first: "next", last: "last", descends: false },
} as const;

export type Tab = keyof typeof tabs;
export type View = keyof typeof views;
export type Order = keyof typeof orders;

/**
 * A search looks at all keys, whatever the view. `order`: null is the view's own, the newest first or the most urgent.
 * `reversed`: from the end of the order. `page` counts from 1. `key`: the id of the key that is shown in full.
 */
export type Arrangement = {
  tab: Tab;
  view: View;
  search: string;
  order: Order | null;
  reversed: boolean;
  page: number;
  key: string | null;
};

export const pageSize = 25;

/** A key that is pasted into the search, or the beginning of one: the page's address gets its last four characters. */
export const withoutKeys = (text: string): string => text.replace(/sk_live_\S*(?=\S{4})/g, "");

const isIn = <T extends object>(known: T, name: string | null): name is keyof T & string =>
  name !== null && Object.hasOwn(known, name);

/** Reads the query of an address. What it does not understand is as without it. */
export function readArrangement(query: string): Arrangement {
  const given = new URLSearchParams(query);
  const [tab, view, order] = [given.get("tab"), given.get("view"), given.get("order")];
  const page = Number(given.get("page"));
  return {
    tab: isIn(tabs, tab) ? tab : "keys",
    view: isIn(views, view) ? view : "active",
    search: withoutKeys(given.get("search") ?? ""),
    order: isIn(orders, order) ? order : null,
    reversed: given.has("reversed"),
    page: Number.isInteger(page) && page > 0 ? page : 1,
    key: given.get("key"),
  };
}

/** What a visitor sees first. */
const first: Record<string, unknown> = readArrangement("");

/** The query for an address: what differs from the first view. */
export function queryOf(arrangement: Arrangement): string {
  const chosen = Object.entries(arrangement).filter(([name, value]) => value !== first[name]);
  const query = new URLSearchParams(chosen.map(([name, value]) => [name, String(value)])).toString();
  return query === "" ? "" : `?${query}`;
}

const day = 24 * 60 * 60 * 1000;

/** In days: a key that expires within `soon`, that has not been used for `long`, or that is dead and was called within `recent`. */
const [soon, long, recent] = [14, 90, 7];

const days = (count: number): string => (count === 1 ? "1 day" : `${count} days`);

/** What an admin can do with a key. `rescope`: replace it, with other scopes. `connect`: let its assistant ask for another one. */
export type KeyAction = "details" | "replace" | "rescope" | "connect" | "rename" | "revoke" | "again";

/** What puts another key in the place of this one, if none that works is there. An assistant asks again itself. */
function successionOf({ status, assistant, replaced_by }: ApiKey, successors: ApiKey[]): KeyAction | null {
  if (assistant !== null) return "connect";
  if (replaced_by !== null && successors.at(-1)?.status === "active") return null;
  return replaced_by === null && status === "active" ? "replace" : "again";
}

/** What can be done with a key in its status. */
export function actionsFor(key: ApiKey, keys: ApiKey[]): KeyAction[] {
  const succession = successionOf(key, successorsOf(key, keys));
  const change = key.status === "revoked" ? [] : (["rename", "revoke"] as const);
  return ["details", ...(succession ? [succession] : []), ...change];
}

/**
 * Something that an admin has to look at, and what can be done about it. The most urgent have the lowest `urgency`: first what
 * fails already, then in the order in which it will, then what is only untidy.
 */
export type Concern = { words: string; urgency: number; state?: State; remedy?: KeyAction | null };

/** Whole days from a moment until now. */
const daysSince = (moment: string): number => Math.floor((Date.now() - Date.parse(moment)) / day);

/** The keys in the place of one, the next one first: what replaced it, or was made under its name since it ended. */
function successorsOf(old: ApiKey, keys: ApiKey[]): ApiKey[] {
  const { name, status, replaced_by, revoked_at, expires_at } = old;
  if (replaced_by === null && status === "active") return [];
  const [end = ""] = [revoked_at, expires_at].filter((moment) => moment !== null).sort();
  const isLater = ({ created_at }: ApiKey): boolean => created_at > end && created_at > old.created_at;
  const next = keys.find((key) => (replaced_by === null ? key.name === name && isLater(key) : key.id === replaced_by));
  return next ? [next, ...successorsOf(next, keys)] : [];
}

/** `, and sk_live_…, which replaces it, is not used yet`; nothing without a successor. */
function stateOfLast(successors: ApiKey[]): string {
  const last = successors.at(-1);
  if (!last) return "";
  const state = last.status !== "active" ? last.status : last.last_used_at === null ? "not used yet" : "in use";
  return `, and ${last.hint}, which replaces it, is ${state}`;
}

/** A key that no longer works, and is still called: until the same program has used a successor. */
function stillCalled(key: ApiKey, keys: ApiKey[]): Concern[] {
  const { status, refused_at, refused_client, revoked_at, expires_at } = key;
  const end = status === "revoked" ? revoked_at : expires_at;
  if (refused_at === null || end === null || daysSince(refused_at) >= recent) return [];
  const program = refused_client && clientName(refused_client);
  const successors = successorsOf(key, keys);
  const hasMoved = ({ last_used_at, last_client }: ApiKey): boolean =>
    (last_used_at ?? "") > refused_at && (last_client && clientName(last_client)) === program;
  if (successors.some(hasMoved)) return [];
  const ended = status === "revoked" ? "was revoked" : "expired";
  const words = `${program ?? "A program"} still calls it; it ${ended} ${ago(end)}${stateOfLast(successors)}`;
  const remedy = successors.at(-1)?.status === "active" ? null : successionOf(key, successors);
  return [{ words, urgency: -1, state: { words: "still called", tone: "bad" }, remedy }];
}

/** The scope that a key lacked in its last requests, until one that it may do comes. */
export function lackOf({ forbidden_at, forbidden_scope, last_used_at }: ApiKey): Scope | null {
  const isOver = forbidden_at === null || daysSince(forbidden_at) >= recent || (last_used_at ?? "") > forbidden_at;
  return isOver ? null : forbidden_scope;
}

/** A key whose last import was wrong, or that lacks a scope. When it is replaced, until a successor is used. */
function forbidden(key: ApiKey, successors: ApiKey[]): Concern[] {
  const { forbidden_at: at, forbidden_client: client, forbidden_reason: reason } = key;
  const lack = lackOf(key);
  const by = client === null ? "" : ` by ${clientName(client)}`;
  const concern: Omit<Concern, "words"> = { urgency: -1, state: { words: "refused", tone: "bad" } };
  if (reason !== null && at !== null && daysSince(at) < recent)
    return [{ words: `An import${by} was refused ${ago(at)}: ${reason}`, ...concern }];
  if (lack === null || successors.some(({ last_used_at }) => last_used_at !== null)) return [];
  const words = `A request${by} was refused: it needs ${labelOf(lack)}${stateOfLast(successors)}`;
  const remedy = successionOf(key, successors);
  return [{ words, ...concern, remedy: remedy === "replace" ? "rescope" : remedy }];
}

/**
 * A key is of concern when it no longer works and is still called, when its last request was refused, when it expires soon, when
 * it is replaced and still used, when who made it has left, and when nothing uses it.
 */
function concernsOfKey(key: ApiKey, keys: ApiKey[]): Concern[] {
  const { expires_at, last_used_at, created_at } = key;
  if (key.status !== "active") return stillCalled(key, keys);
  const left = expires_at === null ? Infinity : -daysSince(expires_at) - 1;
  const successors = successorsOf(key, keys);
  const found = forbidden(key, successors);
  const remedy = successionOf(key, successors);
  const successor = successors.find(({ status }) => status === "active");
  if (successor && remedy === null) {
    const isUsed = (last_used_at ?? "") > successor.created_at;
    return isUsed ? [...found, { words: "Replaced, still in use", urgency: Math.min(left, soon) }] : found;
  }
  if (left < soon) {
    const words = `Expires ${left < 1 ? "within a day" : `in ${days(left)}`}${stateOfLast(successors)}`;
    found.push({ words, urgency: left, state: { words: "expiring", tone: "soon" }, remedy });
  }
  const deed = key.assistant === null ? "made" : "agreed to";
  if (!key.creator_is_admin)
    found.push({ words: `${key.created_by}, who ${deed} it, is no admin any more`, urgency: soon, remedy });
  const unused = daysSince(last_used_at ?? created_at);
  if (unused >= long && found.length === 0)
    found.push({ words: `Not used for ${days(unused)}`, urgency: soon + 1, remedy: "revoke" });
  return found;
}

/** What a row says first, in a word and with a color. */
export type State = { words: string; tone: "good" | "soon" | "bad" | "idle" };

export function stateOf({ status, last_used_at }: ApiKey, [first]: Concern[]): State {
  if (first?.state) return first.state;
  if (status !== "active") return { words: status, tone: "idle" };
  if (last_used_at === null) return { words: "not used yet", tone: "idle" };
  const isToday = new Date(last_used_at).toDateString() === new Date().toDateString();
  return isToday ? { words: "used today", tone: "good" } : { words: "quiet", tone: "idle" };
}

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

/** Whether every word of the search is in what the row of a key shows and knows. Blanks do not count: `PowerBI`. */
function matches(key: ApiKey, concerns: Concern[], search: string): boolean {
  const { name, hint, scopes, status, created_by, revoked_by } = key;
  const clients = [key.last_client, key.refused_client, key.forbidden_client].filter((client) => client !== null);
  const endpoints = [key.last_endpoint, key.refused_endpoint, key.forbidden_endpoint];
  const concern = [stateOf(key, concerns).words, ...concerns.map(({ words }) => words)];
  const uses = [...clients, ...clients.map(clientName), ...endpoints, assistantName(key)];
  const all = [name, hint, ...scopes, ...scopes.map(labelOf), status, created_by, revoked_by, ...uses, ...concern];
  const shown = all.join("\n").toLowerCase();
  const words = search.toLowerCase().split(/\s+/);
  return words.every((word) => shown.includes(word) || shown.replaceAll(" ", "").includes(word));
}

/** The concerns about each key that has any, by its id. */
export function concernsOf(keys: ApiKey[]): Map<string, Concern[]> {
  const all = keys.map((key) => [key.id, concernsOfKey(key, keys)] as const);
  return new Map(all.filter(([, some]) => some.length > 0));
}

/** The keys of each view, and those that the search finds. */
export function groupsOf(keys: ApiKey[], concerns: Map<string, Concern[]>, search: string) {
  const isActive = ({ status }: ApiKey): boolean => status === "active";
  return {
    active: keys.filter(isActive),
    attention: keys.filter(({ id }) => concerns.has(id)),
    inactive: keys.filter((key) => !isActive(key)),
    found: search === "" ? [] : keys.filter((key) => matches(key, concerns.get(key.id) ?? [], search)),
  };
}

export function sorted(keys: ApiKey[], concerns: Map<string, Concern[]>, arrangement: Arrangement): ApiKey[] {
  const { order, reversed, view, search } = arrangement;
  const urgency = ({ id }: ApiKey): number =>
    Math.min(soon + 2, ...(concerns.get(id) ?? []).map((concern) => concern.urgency));
  const newest = keys.toSorted(compare.created);
  const inOrder =
    order !== null
      ? keys.toSorted(compare[order])
      : view === "attention" && search === ""
        ? newest.toSorted((one, other) => urgency(one) - urgency(other))
        : newest;
  return reversed ? inOrder.reverse() : inOrder;
}
