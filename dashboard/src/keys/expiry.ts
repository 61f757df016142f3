// A key expires at a date-time. When a person chooses a day, it is the end of that day in their own time zone.

/** The end of a day (`2026-12-31`) in the viewer's own time zone. */
export function endOfDay(day: string): Date {
  const end = new Date(`${day}T00:00`);
  end.setDate(end.getDate() + 1);
  return end;
}

/** The end of the day that is `days` days from now. */
export function endAfter(days: number): Date {
  const end = new Date();
  end.setHours(0, 0, 0, 0);
  end.setDate(end.getDate() + days + 1);
  return end;
}

/** Whether the text of a date field is a complete date whose year the API's date-times can represent. */
export const isDay = (day: string): boolean => /^\d{4}-\d\d-\d\d$/.test(day) && endOfDay(day).getUTCFullYear() <= 9998;

/** Reads the fields of an `ExpiryField`. `expires_at`: ISO 8601, or null for never. `problem`: what is wrong. */
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
