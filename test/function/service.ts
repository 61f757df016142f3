// The function in this process, over an upstream that is a real HTTP server on this machine and answers what a test tells it to.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeEach } from "vitest";
import { createApp } from "../../functions/public-api/app.ts";
import vectors from "../vectors/api_keys.json" with { type: "json" };

/** A call that the upstream got. */
export type Call = { rpc: string; args: Record<string, unknown>; method: string; headers: IncomingHttpHeaders };

/** What the upstream does with a call: an answer, or anything that can be done with a response. */
export type Upstream =
  | { status?: number; headers?: Record<string, string>; body?: string }
  | ((response: ServerResponse) => void);

const [vector] = vectors.valid;
if (!vector) throw new Error("there is no valid key among the vectors");

/** A well-formed key and its hash. The upstream decides what it may do. */
export const key = vector.key;
export const keyHash = vector.sha256;

export const secretKey = "sb_secret_not_to_be_seen_anywhere";
export const keyId = "00000000-0000-4000-8000-00000000000a";
export const companyId = "00000000-0000-4000-8000-00000000000b";

export const unauthorized = { error: "Unauthorized: Invalid or missing API Key" };
export const internalServerError = { error: "Internal Server Error" };

const owner = { "Content-Type": "application/json; charset=utf-8", "X-Key-Id": keyId, "X-Company-Id": companyId };

/** A list as the database sends it. */
export function list(body: string, { rows = 0, hasMore = false } = {}): Upstream {
  return { headers: { ...owner, "X-Has-More": String(hasMore), "X-Row-Count": String(rows) }, body };
}

/** A value that is no list, as the database sends it. */
export function value(body: object): Upstream {
  return { headers: owner, body: JSON.stringify(body) };
}

/** PostgREST's answers when `app.authenticate` refuses a key. */
export const refusedKey: Upstream = {
  status: 401,
  body: '{"code":"PT401","details":null,"hint":null,"message":"unknown, revoked or expired key"}',
};
export const missingScope: Upstream = {
  status: 403,
  body: JSON.stringify({
    code: "PT403",
    details: JSON.stringify({ key_id: keyId, company_id: companyId }),
    hint: null,
    message: "scope missing",
  }),
};

const verified: Upstream = value({
  company_name: "Larkfield",
  key_name: "BI",
  scopes: ["read:members"],
  expires_at: null,
});

/** Starts upstream and function for one test file; every test begins with an upstream that answers well and has not been called. */
export async function startService() {
  const calls: Call[] = [];
  const lines: string[] = [];
  let answers: Record<string, Upstream> = {};

  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const rpc = (request.url ?? "").replace("/rest/v1/rpc/", "");
    calls.push({ rpc, args: JSON.parse(body), method: request.method ?? "", headers: request.headers });
    const answer = answers[rpc] ?? answers.any ?? (rpc === "verify_api_key" ? verified : list("[]"));
    if (typeof answer === "function") return answer(response);
    response.writeHead(answer.status ?? 200, answer.headers ?? { "Content-Type": "application/json; charset=utf-8" });
    response.end(answer.body ?? "");
  });
  // A kept connection is closed by the client. Closed from here it may be in the moment in which the client uses it again.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const supabaseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const app = createApp({ supabaseUrl, secretKey }, (line) => lines.push(line));

  beforeEach(() => {
    calls.length = 0;
    lines.length = 0;
    answers = {};
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  return {
    app,
    supabaseUrl,
    /** What the upstream was asked since the test began. */
    calls,
    /** The lines that the function logged since the test began, as text. */
    lines,
    /** Tells the upstream what to answer to one database function, or to `any`. */
    answer(rpc: string, upstream: Upstream) {
      answers[rpc] = upstream;
    },
    /** Sends a request with a good key to a path below the base address. */
    send(path: string, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers);
      if (!headers.has("X-API-Key") && !headers.has("Authorization")) headers.set("X-API-Key", key);
      return app(new Request(`https://project.example/public-api${path}`, { ...init, headers }));
    },
    /** Sends a request as it is. */
    sendBare(path: string, init: RequestInit = {}): Promise<Response> {
      return app(new Request(`https://project.example/public-api${path}`, init));
    },
    /** Sends an import; `duplex` is what a body that is a stream asks for. */
    import(body: BodyInit, init: RequestInit = {}): Promise<Response> {
      return this.send("/rewards", { method: "POST", body, duplex: "half", ...init } as RequestInit);
    },
  };
}

/** The text of the error that a response carries, and its status. */
export async function problem(response: Response): Promise<[number, string]> {
  const body: { error: string } = await response.json();
  return [response.status, body.error];
}
