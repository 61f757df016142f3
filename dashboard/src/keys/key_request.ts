import { type Scope, scopeNames } from "../scopes.ts";
import { readExpiry } from "./expiry.ts";

/** The values of the form for a new key. `expires_at` is ISO 8601, or null for never. */
export type KeyRequest = { name: string; scopes: Scope[]; expires_at: string | null };

export type Field = keyof KeyRequest;
export type FieldProblems = Partial<Record<Field, string | undefined>>;

/** What is wrong with the name of a key; undefined if this check finds nothing. The database checks more. */
export function nameProblem(name: string): string | undefined {
  if (/^[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*$/u.test(name)) return "Give the key a name.";
  return [...name].length > 100 ? "Use at most 100 characters." : undefined;
}

/** Reads the form. `problems` has a message for each invalid field. The database checks every field again. */
export function readKeyRequest(form: HTMLFormElement): { request: KeyRequest; problems: FieldProblems } {
  const entered = new FormData(form);
  const name = String(entered.get("name")).trim();
  const ticked = new Set(entered.getAll("scopes"));
  const scopes = scopeNames.filter((scope) => ticked.has(scope));
  const expiry = readExpiry(form);

  const problems: FieldProblems = {};
  const atName = nameProblem(name);
  if (atName !== undefined) problems.name = atName;
  if (scopes.length === 0) problems.scopes = "Tick at least one: a key without a scope opens nothing.";
  if (expiry.problem !== undefined) problems.expires_at = expiry.problem;
  return { request: { name, scopes, expires_at: expiry.expires_at }, problems };
}
