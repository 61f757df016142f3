// A key expires at a moment. Whoever picks a day means the end of it, where they are.

/** The moment at which a day of the viewer's calendar (`2026-12-31`) is over. */
export function endOfDay(day: string): Date {
  const end = new Date(`${day}T00:00`);
  end.setDate(end.getDate() + 1);
  return end;
}

/** The end of the day so many days from now. */
export function endAfter(days: number): Date {
  const end = new Date();
  end.setHours(0, 0, 0, 0);
  end.setDate(end.getDate() + days + 1);
  return end;
}

/** Whether a text of a date field is a whole day that the API's date-times can say. */
export const isDay = (day: string): boolean => /^\d{4}-\d\d-\d\d$/.test(day) && endOfDay(day).getUTCFullYear() <= 9998;

/** Reads the fields of an `ExpiryField`: ISO 8601, or null for never; or what is wrong with the date. */
export function readExpiry(form: HTMLFormElement): { expires_at: string | null; problem?: string } {
  const entered = new FormData(form);
  const choice = String(entered.get("expiry"));
  if (choice === "") return { expires_at: null };
  if (choice !== "date") return { expires_at: endAfter(Number(choice)).toISOString() };

  const day = String(entered.get("expires_at"));
  if (day === "") return { expires_at: null, problem: "Enter the whole date." };
  if (!isDay(day)) return { expires_at: null, problem: "Choose an earlier day." };
  if (endOfDay(day) <= new Date()) return { expires_at: null, problem: "Choose today or a later day." };
  return { expires_at: endOfDay(day).toISOString() };
}
