import { isAuthApiError, isAuthError, isAuthRetryableFetchError, type PostgrestError } from "@supabase/supabase-js";

/** Why something did not work, in words for the person in front of the page. */
export class Problem extends Error {
  override readonly name = "Problem";
  /** unreachable: no answer came, so nobody knows whether it was done. field: `field` says which one. */
  readonly kind: "unreachable" | "session" | "field" | "refused" | "gone" | "failed";
  readonly field: string | null;

  constructor(kind: Problem["kind"], message: string, field: string | null = null) {
    super(message);
    this.kind = kind;
    this.field = field;
  }
}

export const unreachable = (): Problem =>
  new Problem("unreachable", "The service cannot be reached. Check your connection, then try again.");

const failed = (): Problem =>
  new Problem("failed", "Something went wrong on the service's side. Try again in a moment.");

const tooOften = "Too many tries. Wait a few minutes, then try again.";

const authMessages: Record<string, string> = {
  invalid_credentials: "The e-mail address or the password is wrong. Check both, or use “Forgot password?”.",
  email_not_confirmed:
    "This e-mail address is not confirmed yet. Open the link in the mail that we sent to it. If you cannot find that mail, use “Forgot password?”: its link confirms the address too.",
  user_banned: "This account is blocked. Ask whoever runs the service to unblock it.",
  over_request_rate_limit: tooOften,
  over_email_send_rate_limit: "A mail was sent a moment ago. Wait a minute, then try again.",
  same_password: "Choose a password that differs from the old one.",
  validation_failed: "That is not a valid e-mail address.",
};

/** What Supabase Auth answered, in plain words. */
export function authProblem(error: unknown): Problem {
  if (isAuthRetryableFetchError(error)) return unreachable();
  if (!isAuthError(error)) return failed();
  if (error.name === "AuthSessionMissingError") return new Problem("session", "Your session has ended.");
  // Auth says what it asks of a password: its length and characters are settings of the project.
  if (error.code === "weak_password") return new Problem("field", error.message, "password");
  const message = error.code === undefined ? undefined : authMessages[error.code];
  if (message !== undefined) return new Problem("refused", message);
  return isAuthApiError(error) && error.status === 429 ? new Problem("refused", tooOften) : failed();
}

/** What a SQL function answered: the hint of a PT400 names the field. Status 0 is supabase-js's word for no answer. */
export function dataProblem(error: PostgrestError, status: number): Problem {
  if (status === 0) return unreachable();
  if (error.code === "PT400") return new Problem("field", error.message, error.hint);
  if (error.code === "PT403") return new Problem("refused", error.message);
  if (error.code === "PT404") return new Problem("gone", error.message);
  // 42501: without a session the request counts as anon, who may call nothing.
  if (status === 401 || error.code === "42501") return new Problem("session", "Your session has ended.");
  return failed();
}

export const messageOf = (problem: unknown): string => (problem instanceof Problem ? problem : failed()).message;
