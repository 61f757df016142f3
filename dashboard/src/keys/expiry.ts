// A key expires at a date-time. When a person chooses a day, it is the end of that day in their own time zone: midnight, or
// one o'clock where summer time leaves it out. It is made from year, month and day: a date that is set to the next day keeps
// its hour.

/** The end of a day (`2026-12-31`) in the viewer's own time zone. */
export function endOfDay(day: string): Date {
  const [year = 0, month = 0, date = 0] = day.split("-").map(Number);
  return new Date(year, month - 1, date + 1);
}

/** The end of the day that is `days` days from now. */
export function endAfter(days: number): Date {
  const now = new Date();
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() + days + 1);
}

/** A day as `2026-12-31`, which is how Swedish writes it. */
const dayOf = (date: Date): string => date.toLocaleDateString("sv");

/** The numbers of days that can be chosen without a date. */
export const lifetimes = [30, 90, 365];

/** What an `ExpiryField` begins with: a number of days (`365`), a date (`2026-12-31`), or empty for no expiry. */
export type Lifetime = string;

/** The lifetime of a key, for the key that takes its place. */
export function sameLifetime(key: { created_at: string; expires_at: string | null }): Lifetime {
  if (key.expires_at === null) return "";
  const [created, last] = [new Date(key.created_at), new Date(Date.parse(key.expires_at) - 1)];
  for (const date of [created, last]) date.setHours(12, 0, 0, 0);
  const days = Math.max(0, Math.round((last.getTime() - created.getTime()) / (24 * 3600 * 1000)));
  if (lifetimes.includes(days)) return String(days);
  return dayOf(new Date(endAfter(days).getTime() - 1));
}

/** Whether the text of a date field is a complete date whose year the API's date-times can represent. */
export const isDay = (day: string): boolean => /^\d{4}-\d\d-\d\d$/.test(day) && endOfDay(day).getUTCFullYear() <= 9998;

/** What is chosen in an `ExpiryField`, to begin another one with. */
export const lifetimeIn = (entered: FormData): Lifetime =>
  String(entered.get("expires_at") ?? entered.get("expiry") ?? "");

/** Reads the fields of an `ExpiryField`. `expires_at`: ISO 8601, or null for never. `problem`: what is wrong. */
export function readExpiry(entered: FormData): { expires_at: string | null; problem?: string } {
  const choice = String(entered.get("expiry"));
  if (choice === "") return { expires_at: null };
  if (choice !== "date") return { expires_at: endAfter(Number(choice)).toISOString() };

  const day = String(entered.get("expires_at"));
  if (day === "") return { expires_at: null, problem: "Enter the whole date." };
  if (!isDay(day)) return { expires_at: null, problem: "Choose an earlier day." };
  if (endOfDay(day) <= new Date()) return { expires_at: null, problem: "Choose today or a later day." };
  return { expires_at: endOfDay(day).toISOString() };
}
