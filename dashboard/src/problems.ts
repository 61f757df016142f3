import {
  type AuthError,
  isAuthApiError,
  isAuthError,
  isAuthRetryableFetchError,
  isAuthWeakPasswordError,
} from "@supabase/auth-js";

/** An error with a message for the person who uses the page. */
export class Problem extends Error {
  override readonly name = "Problem";
  /** `unreachable`: no response, so the request may or may not have taken effect. `field`: an input is wrong. */
  readonly kind: "unreachable" | "offline" | "session" | "second_factor" | "field" | "refused" | "gone" | "failed";
  readonly field: string | null;

  constructor(kind: Problem["kind"], message: string, field: string | null = null) {
    super(message);
    this.kind = kind;
    this.field = field;
  }
}

export const unreachable = (): Problem =>
  new Problem("unreachable", "The service cannot be reached. Check your connection, then try again.");

export const offline = (): Problem =>
  new Problem("offline", "You are offline, so nothing was sent. Check your connection, then try again.");

const failed = (): Problem =>
  new Problem("failed", "Something went wrong on the service's side. Try again in a moment.");

const tooOften = "Too many tries. Wait a few minutes, then try again.";
const askOperator = "Ask whoever runs the service.";
const noFactors = `Second factors are switched off. ${askOperator}`;
const ended = "Your session has ended.";

/** The messages for the error codes of Supabase Auth. */
const authMessages: Record<string, string> = {
  invalid_credentials: "The email address or the password is wrong. Check both, or use “Forgot password?”.",
  email_not_confirmed:
    "This email address is not confirmed yet. Open the link in the email that we sent to it. If you cannot find that email, use “Forgot password?”: its link confirms the address too.",
  user_banned: "This account is blocked. Ask whoever runs the service to unblock it.",
  over_request_rate_limit: tooOften,
  over_email_send_rate_limit:
    "This service has sent as many emails as it may for now. Try again in an hour, or ask whoever runs the service for a link.",
  email_address_not_authorized: `This service may not send emails to that address yet. ${askOperator}`,
  email_address_invalid: "Emails cannot be sent to that address. Check it for a typing error.",
  email_provider_disabled: `Signing in with a password is switched off. ${askOperator}`,
  captcha_failed: `This service asks for a captcha, which this page cannot show. ${askOperator}`,
  mfa_challenge_expired: "That took too long. Enter the code that the app shows now.",
  mfa_totp_enroll_not_enabled: noFactors,
  mfa_totp_verify_not_enabled: noFactors,
  same_password: "Choose a password that differs from the old one.",
  reauthentication_needed:
    "Your sign-in is too long ago to change the password. Use “Forgot password?” and open the link in the email.",
  otp_expired: "This link has expired or was used before. Ask for a new one.",
  request_timeout: "The service took too long to answer. Try again in a moment.",
  validation_failed: "That is not a valid email address.",
};

const sessionCodes = new Set([
  "session_not_found",
  "session_expired",
  "refresh_token_not_found",
  "user_not_found",
  "bad_jwt",
]);

/** The session has not shown the second factor of its account. */
const secondFactorWanted = (): Problem =>
  new Problem("second_factor", "Your account has a second factor. Load the page again, and enter its code.");

/** Why Auth rejects a password as weak. Its rules are settings of the project, so Auth's own message is shown. */
function weakPassword(error: AuthError): Problem {
  const leaked = isAuthWeakPasswordError(error) && error.reasons.includes("pwned");
  const words = "This password is known from a leak elsewhere, so it is easy to guess. Choose another one.";
  return new Problem("field", leaked ? words : error.message, "password");
}

/** Turns an error of Supabase Auth into a Problem. */
export function authProblem(error: unknown): Problem {
  if (isAuthRetryableFetchError(error)) return unreachable();
  if (!isAuthError(error)) return failed();
  const { code = "", message } = error;
  if (error.name === "AuthSessionMissingError" || sessionCodes.has(code)) return new Problem("session", ended);
  if (code === "weak_password") return weakPassword(error);
  if (code === "insufficient_aal") return secondFactorWanted();
  if (code === "mfa_verification_failed")
    return new Problem("field", "This code is wrong. Enter the one that the app shows now.", "code");
  // Auth states the seconds to wait for its limit per address, but not for its limit per project.
  const seconds = /only request this after (\d+) seconds?/.exec(message)?.[1];
  if (seconds) return new Problem("refused", `An email was sent a moment ago. Try again in ${seconds} seconds.`);
  const known = authMessages[code];
  if (known !== undefined) return new Problem("refused", known);
  return isAuthApiError(error) && error.status === 429 ? new Problem("refused", tooOften) : failed();
}

/** What only the database finds wrong with a field. The page checks the rest itself. */
const fieldMessages: Record<string, string> = {
  name: "Use characters that can be seen: no control characters, direction marks or invisible characters.",
  expires_at: "Choose today or a later day.",
};

/** What the Data API says of an error: a SQLSTATE, and of a PT400 the field as a hint. */
export type DataError = { code: string; hint: string | null };

/**
 * Turns an error of a SQL function into a Problem, by its code (sql/schema/0910_managing_api_keys.sql): its own words are for
 * those who call the function. The hint of a PT400 names the field. Null: it was no answer of the Data API.
 * @param conflict what a PT409 of this function means
 */
export function dataProblem(error: DataError | null, status: number, conflict: string): Problem {
  // 42501: a request without a session runs as the role anon, which may call no function.
  if (status === 401 || error?.code === "42501") return new Problem("session", ended);
  const atField = error?.code === "PT400" ? fieldMessages[error.hint ?? ""] : undefined;
  if (atField !== undefined) return new Problem("field", atField, error?.hint);
  if (error?.code === "PT403" && error.hint === "second_factor") return secondFactorWanted();
  if (error?.code === "PT403") return new Problem("refused", "Only admins may do this, and you are no admin any more.");
  if (error?.code === "PT404") return new Problem("gone", "This key is not among your company's keys any more.");
  return error?.code === "PT409" ? new Problem("refused", conflict) : failed();
}

export const messageOf = (problem: unknown): string => (problem instanceof Problem ? problem : failed()).message;
