import { scopes } from "../../functions/public-api/endpoints.ts";

export type Scope = (typeof scopes)[number]["name"];

/** The scopes in the order in which they are always shown. */
export const scopeNames: readonly Scope[] = scopes.map((scope) => scope.name);

/** What a key gets unless its creator decides otherwise (`docs/api.md`, Authentication). */
export const defaultScopes: readonly Scope[] = ["read:members", "read:activity"];

/** What a scope opens, in plain words. A scope without words here does not compile. */
export const opens: Record<Scope, string> = {
  "read:members": "names, e-mail addresses, roles and teams of your people",
  "read:activity": "kudos: who thanked whom, with names and e-mail addresses, and the message",
  "read:rewards": "the reward catalogue, with prices in points and stock",
  "read:analytics": "moods: day ratings and pulse survey answers, without names",
  "write:rewards": "lets the system add and change rewards in your catalogue",
};
