import { ApiError, badRequest } from "./responses.ts";
import { checkRow, readRows, type SentRow } from "./reward_rows.ts";

/** The limits of a body: bytes, rewards, milliseconds until it is complete, and pieces beyond one per 1500 bytes. */
const limits = { bytes: 8 * 1024 * 1024, rewards: 500, milliseconds: 10_000, pieces: 512 };

/**
 * Reads the body of an import and checks every row (`docs/api.md`, Import). Returns the rows as `upsert_rewards` takes
 * them: known fields only, `points_cost` rounded to a whole number, optional fields only where they were sent.
 * Throws a 400 ApiError that names the rows and their problems, or a 408 when the body is not complete in time.
 */
export async function readRewards(body: ReadableStream<Uint8Array> | null): Promise<Record<string, unknown>[]> {
  const text = await readText(body);
  if (text === "") throw badRequest(["body must not be empty"]);

  const problems: string[] = [];
  const firstWith = new Map<unknown, number>();
  const checked: Record<string, unknown>[] = [];
  const visit = (sent: SentRow, index: number) => {
    const { row, problems: ofRow } = checkRow(sent);
    const id = row.external_id;
    const first = firstWith.get(id);
    if (first !== undefined) ofRow.unshift(`external_id must be unique in the request, rewards[${first}] has it too`);
    else if (id !== undefined) firstWith.set(id, index);
    for (const problem of ofRow) problems.push(`rewards[${index}]: ${problem}`);
    checked.push(row);
  };
  const { rows, more } = readRows(text, limits.rewards, visit);
  if (rows === 0) throw badRequest(["body must not be empty"]);
  if (rows > limits.rewards) throw badRequest([`body must hold at most ${limits.rewards} rewards`]);
  if (problems.length > 0) throw badRequest(problems, more);
  return checked;
}

/** Reads a body as UTF-8, and stops at the limits for bytes, time and pieces. */
async function readText(body: ReadableStream<Uint8Array> | null): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const stop = () => reader.cancel().catch(() => {});
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    stop();
  }, limits.milliseconds);
  try {
    const pieces: string[] = [];
    let bytes = 0;
    for (;;) {
      const { done, value } = await reader.read();
      if (isLate) throw new ApiError(408, "Request Timeout");
      if (done) return pieces.join("") + decoder.decode();
      bytes += value.length;
      if (bytes > limits.bytes) throw badRequest([`body must be at most 8 MiB and ${limits.rewards} rewards`]);
      pieces.push(decoder.decode(value, { stream: true }));
      // Each piece needs 64 KiB of memory, and as much time as several KiB: a body in pieces of one byte would take
      // minutes.
      if (pieces.length > limits.pieces + bytes / 1500) throw badRequest(["body must come in fewer and larger pieces"]);
    }
  } catch (error) {
    stop();
    // The decoder throws if the body is not UTF-8, the reader if the caller disconnects.
    throw error instanceof ApiError ? error : badRequest(["body must be valid JSON"]);
  } finally {
    clearTimeout(timer);
  }
}
