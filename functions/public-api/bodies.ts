import { ApiError, badRequest, gone } from "./responses.ts";

/** The milliseconds until a body is complete, and its pieces beyond one per 1500 bytes. */
const limits = { milliseconds: 10_000, pieces: 512 };

/** How many bytes the body has at most: what the request says, else 8 MiB. */
export function bodySize(headers: Headers): number {
  return Math.min(Number(headers.get("Content-Length") ?? 8 * 1024 * 1024), 8 * 1024 * 1024);
}

/** Throws a 415 for a body that is compressed: nothing unpacks it, and as JSON it would only be invalid. */
export function refuseEncoded(headers: Headers): void {
  const encoding = headers.get("Content-Encoding");
  if (encoding === null || encoding.toLowerCase() === "identity") return;
  throw new ApiError(
    415,
    "Unsupported Media Type: the header Content-Encoding must be left out, send the body as it is",
  );
}

/**
 * Reads a body as UTF-8, without a byte-order mark, and stops at the limits for time and pieces, and at `most` bytes.
 * `tooLarge` is the text of the 400 for more bytes.
 */
export async function readText(
  body: ReadableStream<Uint8Array> | null,
  most: number,
  tooLarge: string,
): Promise<string> {
  if (!body) return "";
  const reader = body.getReader();
  // The caller may still be sending the rest.
  const refuse = (error: ApiError): never => {
    reader.cancel().catch(() => {});
    throw new ApiError(error.status, error.message, { headers: { Connection: "close" } });
  };
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    reader.cancel().catch(() => {});
  }, limits.milliseconds);
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => Promise.reject(gone()));
      if (isLate) return refuse(new ApiError(408, "Request Timeout"));
      if (done) return textOf(pieces);
      bytes += value.length;
      if (bytes > most) return refuse(badRequest([tooLarge]));
      // A copy: each piece comes in a buffer of 64 KiB.
      pieces.push(value.slice());
      // Each piece takes as much time as several KiB: a body in pieces of one byte would take minutes.
      if (pieces.length > limits.pieces + bytes / 1500) {
        return refuse(badRequest(["body must come in fewer and larger pieces"]));
      }
    }
  } finally {
    clearTimeout(timer);
  }
}

function textOf(pieces: readonly Uint8Array[]): string {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    return pieces.map((piece) => decoder.decode(piece, { stream: true })).join("") + decoder.decode();
  } catch {
    throw badRequest(["body must be valid JSON"]);
  }
}
