// How PostgREST 16.2 answers when something goes wrong, as it was recorded (test/recorded).

/** A status, with words in place of the usual ones, the headers besides those of the body, and the body. */
export type Answer = { status: number; words?: string; headers: Record<string, string>; body: string };

/** What PostgREST refuses by itself. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: string | null;

  constructor(status: number, code: string, message: string, details: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** The statuses of SQLSTATEs and of their classes. Any other is a 400. */
const statuses: Record<string, number> = {
  ...Object.fromEntries(
    ["09", "25", "2D", "38", "39", "3B", "40", "54", "55", "57", "58", "F0", "HV", "P0", "XX", "53400"].map((one) => [
      one,
      500,
    ]),
  ),
  ...{ "08": 503, "53": 503, "57P01": 503, "0L": 403, "0P": 403, "28": 403, "42501": 403 },
  ...{ "23503": 409, "23505": 409, "25006": 405, "42883": 404, "42P01": 404, P0001: 400 },
};

function statusOf(code: string, isAnonymous: boolean): number {
  if (/^PT\d{3}$/.test(code)) return Number(code.slice(2));
  if (code === "42501" && isAnonymous) return 401;
  return statuses[code] ?? statuses[code.slice(0, 2)] ?? 400;
}

/** The error of a query, as pg has it. */
type DatabaseError = Error & { code?: string; detail?: string; hint?: string };

/** The answer for what PostgREST or PostgreSQL refuses, and for a connection that was lost. */
export function refusal(error: Refusal | DatabaseError, isAnonymous = false): Answer {
  const { code = "", message } = error;
  const ofConnection = !(error instanceof Refusal) && !/^[0-9A-Z]{5}$/.test(code);
  // It broke while it was used, and nothing has said why.
  if (ofConnection) return { status: 400, headers: {}, body: '{"code":"","message":""}' };
  const own = error instanceof Refusal;
  const status = own ? error.status : statusOf(code, isAnonymous);
  const details = own ? error.details : (error.detail ?? null);
  const hint = own ? null : (error.hint ?? null);
  const invalid = code.startsWith("PGRST3") ? ` error="invalid_token", error_description="${message}"` : "";
  return {
    status,
    ...(code.startsWith("PT") && { words: message }),
    headers: {
      ...(status === 503 && { "Retry-After": "0" }),
      "Proxy-Status": `PostgREST; error=${code}`,
      ...(status === 401 && { "WWW-Authenticate": `Bearer${invalid}` }),
    },
    body: JSON.stringify({ code, details, hint, message }),
  };
}
