import { lists as all, endpoints } from "../../functions/public-api/table/endpoints.ts";
import type { AggregatesEndpoint, ListEndpoint } from "../../functions/public-api/table/types.ts";

/** What an export reads: a list, or totals. */
export type Source = ListEndpoint | AggregatesEndpoint;

const without = (columns: RegExp): readonly ListEndpoint[] =>
  all.map((list) => ({ ...list, included: list.included.filter(({ name }) => !columns.test(name)) }));

/** The lists of copies, without the teams of kudos that are those of today: they are joined by the ids of people. */
export const lists = without(/^(sender|receiver)_team_(id|name)$/);

/** The lists of files, without any teams of kudos: people load them into tables that have the other columns. */
export const exportedLists = without(/^(sender|receiver)_team_/);

/** The list that an import writes. */
export const rewards = lists.find(({ path }) => path === "/rewards") as ListEndpoint;

/** Totals of lists, each in one answer (docs/api.md, Questions). */
export const totals = endpoints.filter(({ kind }) => kind === "aggregates") as AggregatesEndpoint[];

/** The name of a list, as in `day-ratings`. */
export const nameOf = ({ path }: Source): string => path.slice(1);

/** The parameter for every column: files and copies are joined with others, which needs the ids. */
export function everyColumn({ included }: ListEndpoint): Record<string, string> {
  return included.length > 0 ? { include: included.map(({ name }) => name).join(",") } : {};
}

/** Whether a key has the scope of a list. If not, warns that the list is left out. */
export function opens(key: { scopes: string[] }, list: Source, warn: (line: string) => void): boolean {
  const isOpen = list.scope === null || key.scopes.includes(list.scope);
  if (!isOpen) warn(`${nameOf(list)} left out: the key has no scope ${list.scope}`);
  return isOpen;
}
