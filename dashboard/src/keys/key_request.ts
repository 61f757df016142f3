import { type Scope, scopeNames } from "../scopes.ts";

/** What an admin asks for. `expires_at` is ISO 8601, or null: never. */
export type KeyRequest = { name: string; scopes: Scope[]; expires_at: string | null };

export type Field = keyof KeyRequest;
export type FieldProblems = Partial<Record<Field, string>>;

/** The moment at which a day of the viewer's calendar (`2026-12-31`) is over. */
function endOfDay(day: string): Date {
  const end = new Date(`${day}T00:00`);
  end.setDate(end.getDate() + 1);
  return end;
}

/** Reads the form; what is wrong with a field stands in `problems`. The database checks all of it again. */
export function readKeyRequest(form: HTMLFormElement): { request: KeyRequest; problems: FieldProblems } {
  const entered = new FormData(form);
  const name = String(entered.get("name")).trim();
  const ticked = new Set(entered.getAll("scopes"));
  const scopes = scopeNames.filter((scope) => ticked.has(scope));
  const day = String(entered.get("expires_at"));
  // A half-typed date counts as no date for the browser's FormData, and would quietly make a key that never expires.
  const dayField = form.elements.namedItem("expires_at");
  const halfTyped = dayField instanceof HTMLInputElement && dayField.validity.badInput;

  const problems: FieldProblems = {};
  if (name === "") problems.name = "Give the key a name: what will use it?";
  else if ([...name].length > 100) problems.name = "Use at most 100 characters.";
  if (scopes.length === 0) problems.scopes = "Tick at least one: a key without a scope opens nothing.";
  if (halfTyped) problems.expires_at = "Enter the whole date, or clear it.";
  else if (day !== "" && endOfDay(day) <= new Date()) problems.expires_at = "Choose today or a later day.";
  else if (day !== "" && endOfDay(day).getUTCFullYear() > 9998) problems.expires_at = "Choose an earlier day.";

  const ends = day !== "" && !problems.expires_at;
  return { request: { name, scopes, expires_at: ends ? endOfDay(day).toISOString() : null }, problems };
}
