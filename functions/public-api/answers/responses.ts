import { ApiError, type Logged, unexpected } from "./errors.ts";

/** A `Uint8Array` with its own buffer: older TypeScript allows no type argument for it, newer ones require it. */
export type Bytes = ReturnType<TextEncoder["encode"]>;

/** The answer to the caller, without the headers that toResponse adds to every response. */
export type Answer = {
  status: number;
  headers?: Record<string, string>;
  body: BodyInit | null;
};

/** The outcome of a request: the answer, and fields for the log, never with a key, a hash, a parameter or data. */
export type Outcome = { answer: Answer; logged: Logged };

/** A 200 with a JSON body, as text or as the database sent it. */
export function json(body: BodyInit, headers: Record<string, string> = {}): Answer {
  return { status: 200, headers: { "Content-Type": "application/json", ...headers }, body };
}

/** The outcome for an error, whose body is JSON (`docs/api.md`, Errors); an unexpected one is a 500. */
export function failed(thrown: unknown): Outcome {
  const { status, message, headers, logged } = thrown instanceof ApiError ? thrown : unexpected(thrown);
  return { answer: { ...json(JSON.stringify({ error: message }), headers), status }, logged };
}

/** The answer to a CORS preflight (`docs/api.md`, Requests). */
export function preflight(allowed: string, isMcp: boolean): Outcome {
  const names = "Authorization, X-API-Key, Content-Type, apikey, X-Client-Info";
  const headers = {
    "Access-Control-Allow-Methods": allowed,
    "Access-Control-Allow-Headers": isMcp ? `${names}, MCP-Protocol-Version, Mcp-Method, Mcp-Name` : names,
  };
  return { answer: { status: 204, headers, body: null }, logged: {} };
}

/** What a web page may read of the headers. */
export const exposedHeaders = "X-Request-Id, X-Has-More, Link, X-Changes-Until, Retry-After, Content-Disposition";

/** Builds the response, with `more` headers; a HEAD request gets the headers of the GET (`docs/api.md`, Requests). */
export function toResponse({ status, headers, body }: Answer, more: Record<string, string>, isHead: boolean): Response {
  if (isHead && body instanceof ReadableStream) body.cancel().catch(() => {});
  // An empty stream: for null the server would send Content-Length: 0.
  const sent = isHead ? new ReadableStream({ start: (controller) => controller.close() }) : body;
  return new Response(sent, {
    status,
    headers: {
      "Cache-Control": "private, no-store",
      "X-Content-Type-Options": "nosniff",
      "Access-Control-Allow-Origin": "*",
      "Access-Control-Expose-Headers": exposedHeaders,
      ...headers,
      ...more,
    },
  });
}

/** The text of a body, or, if it has more bytes, its beginning: then the rest is not read. */
export async function textOf(body: BodyInit | null, maxBytes: number): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder();
  let [text, bytes] = ["", 0];
  for await (const piece of new Response(body).body ?? []) {
    bytes += piece.length;
    text += decoder.decode(piece, { stream: true });
    if (bytes > maxBytes) return { text, isWhole: false };
  }
  return { text: text + decoder.decode(), isWhole: true };
}
