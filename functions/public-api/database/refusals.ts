import { ApiError, badRequest, type Logged, tooManyRequests, unauthorized } from "../answers/errors.ts";
import { textOf } from "../answers/responses.ts";
import { jsonIn } from "../request/json_text.ts";
import { kinds } from "../table/kinds.ts";

/** The error of a call that the database cannot serve now, but may soon: it is busy with the company, or was away. */
export class Busy extends ApiError {
  constructor({ status, message, ...details }: ApiError) {
    super(status, message, details);
  }
}

/** What is not sent again when it may have been done: counts would be wrong, a code used up. Their callers repeat. */
export const sentOnce = ["upsert_rewards", "redeem_assistant_code"];

/** What the log says when the database lacks something that a migration brings. */
export const isOlder = "the database is older than this function, push the migrations (docs/operate/upgrade.md)";

/** The error for the caller when the database did not return the expected response. */
export async function refusal(rpc: string, args: object, scope: string | null, response: Response): Promise<ApiError> {
  const { code, details } = await readError(response);
  const owner = ownerOfKey(details);
  // A status is ours only with its code: a gateway has the same.
  const isOurs = code === `PT${response.status}`;
  const status = isOurs && response.status;
  const words: Readonly<Record<number, string>> = {
    400: "starting_after must be the id of a row of this list",
    403: `Forbidden: this key is missing the "${scope}" scope`,
    410: "Gone: this cursor is no longer known, begin again with after=start",
  };
  if (status && words[status]) return new ApiError(status, words[status], { logged: owner });
  if (status === 401) return unauthorized("key refused", owner);
  if (status === 429) return new Busy(tooManyRequests("refused by the database", owner));
  // The database may know fewer time zones than the function.
  if (response.status === 400 && code === "22023" && "time_zone" in args)
    return badRequest([`time_zone ${kinds.time_zone.rule}`]);
  const error = failure(rpc, `answered ${response.status} with ${code || "no code"}${remedy(code)}`);
  return isAway(rpc, response.status, code) ? new Busy(error) : error;
}

/** What to do when the Data API knows no such function, the function needs another one, or a right is missing. */
function remedy(code: string | undefined): string {
  if (code === "42501")
    return ": a right is missing, run npm run check-database (docs/operate/backup-and-restore.md, Check the database)";
  return code === "PGRST202" || code === "42883" ? `: ${isOlder}` : "";
}

/** Whether there is no database now: no code, or an empty one (it broke off); PGRST003: no connection was free. */
function isAway(rpc: string, status: number, code: string | undefined): boolean {
  if (!code) return !sentOnce.includes(rpc);
  return status === 503 || code === "PGRST003";
}

/** The 500 for a call that failed. */
export function failure(rpc: string, what: string): ApiError {
  return new ApiError(500, "Internal Server Error", { logged: { error: `${rpc} ${what}` } });
}

/** The code and details of a PostgREST error body, or neither if it is another body. Reads only the first few KiB. */
async function readError(response: Response): Promise<{ code?: string; details?: string }> {
  try {
    const { code, details } = JSON.parse((await textOf(response.body, 4096)).text);
    // Of another program any text may be there.
    return /^([0-9A-Z]{3,8})?$/.test(code) ? { code, details } : {};
  } catch {
    return {};
  }
}

/** The key's id and company for the log, from the `details` of an error, which hold them as JSON text. */
function ownerOfKey(details: string | undefined): Logged {
  const { key_id, company_id } = Object(jsonIn(details));
  return [key_id, company_id].every((id) => /^[0-9a-f-]{36}$/.test(id)) ? { key_id, company_id } : {};
}
