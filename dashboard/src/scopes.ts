import { type Scope, scopes } from "../../functions/public-api/table/scopes.ts";

export { type Scope, scopes } from "../../functions/public-api/table/scopes.ts";

/** The scopes in the order in which they are always shown. */
export const scopeNames: readonly Scope[] = scopes.map((scope) => scope.name);

/** Those that only read. */
export const readScopes = scopeNames.filter((scope) => scope.startsWith("read:"));

/** The scopes of a new key unless its creator chooses others (`docs/api.md`, Authentication). */
export const defaultScopes: readonly Scope[] = ["read:members", "read:activity"];

/** What a key has that takes the place of one with other scopes: `, with People`, `, without Moods`; empty for the same. */
export function changedScopes(before: Scope[], after: Scope[]): string {
  const labels = (some: Scope[], others: Scope[]): string =>
    some
      .filter((scope) => !others.includes(scope))
      .map(labelOf)
      .join(", ");
  const [gained, lost] = [labels(after, before), labels(before, after)];
  return (gained && `, with ${gained}`) + (lost && `, without ${lost}`);
}

/** The plain word for a scope: `People`. */
export const labelOf = (scope: string): string => scopes.find(({ name }) => name === scope)?.label ?? scope;
