// The function in the process of the test. Its upstream is a real HTTP server, whose answers a test sets.
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http";
import { afterAll, beforeEach } from "vitest";
import { createApp } from "../../functions/public-api/app.ts";
import type { Settings } from "../../functions/public-api/settings.ts";
import { listen } from "../../scripts/stack/ports.ts";
import vectors from "../vectors/api_keys.json" with { type: "json" };

/** A call that the upstream received. */
type Call = { rpc: string; args: Record<string, unknown>; method: string } & Pick<IncomingMessage, "headers">;

/** The parts of an answer of the upstream. */
type Parts = { status?: number; headers?: Record<string, string>; body?: string };
/** The upstream's answer to a call: its parts, or a function that writes the response. */
export type Upstream = Parts | ((response: ServerResponse) => void);

const [vector] = Object.entries(vectors.valid);
if (!vector) throw new Error("there is no valid key among the vectors");

/** A well-formed key and its hash. The answers of the upstream decide what it may do. */
export const [key, keyHash] = vector;

export const secretKey = "sb_secret_not_to_be_seen_anywhere";
export const keyId = "00000000-0000-4000-8000-00000000000a";
export const companyId = "00000000-0000-4000-8000-00000000000b";

export const unauthorized = { error: "Unauthorized: Invalid or missing API Key" };

const headers = { "Content-Type": "application/json; charset=utf-8", "X-Key-Id": keyId, "X-Company-Id": companyId };

/** A list in the form in which the database sends it. */
export function list(body: string, { rows = 0, hasMore = false, next = "" } = {}) {
  const ofList = {
    "X-Has-More": String(hasMore),
    "X-Row-Count": String(rows),
    "X-Next-Page": next,
  };
  return { headers: { ...headers, ...ofList }, body };
}

/** The same answer with Content-Length, as PostgREST sends it. */
export function withLength(answer: Parts): Parts {
  const length = { "Content-Length": String(Buffer.byteLength(answer.body ?? "")) };
  return { ...answer, headers: { ...answer.headers, ...length } };
}

/** A value that is not a list, in the form in which the database sends it. */
export function value(body: object): Upstream {
  return { headers, body: JSON.stringify(body) };
}

/** An error as PostgREST sends it. */
export function refusal(status: number, code: string, details: object | null = null, message = ""): Upstream {
  return { status, body: JSON.stringify({ code, details: details && JSON.stringify(details), hint: null, message }) };
}
/** The owner of the key, as the log and the details of errors name it. */
export const owner = { key_id: keyId, company_id: companyId };
/** PostgREST's answer when `app.authenticate` refuses a key. */
export const refusedKey = refusal(401, "PT401");

/** What `verify_api_key` says of the key. */
export const verifiedKey = {
  company_name: "Larkfield",
  key_name: "BI",
  scopes: ["read:members"],
  expires_at: null,
  company_id: companyId,
  requests_at_once: 4,
};
/** The answer of `verify_api_key`. */
export const verified: Upstream = value(verifiedKey);

/** Answers a call that verifies a key, and says whether it was one. */
export function answersVerifying({ url }: IncomingMessage, response: ServerResponse): boolean {
  if (!url?.endsWith("/verify_api_key")) return false;
  response.writeHead(200, headers).end((verified as Parts).body);
  return true;
}

/** Starts a server on this machine, until the tests of the file are over. Returns its address. */
export async function startServer(answer: RequestListener): Promise<string> {
  const { port, stop } = await listen(createServer(answer), 0);
  afterAll(stop);
  return `http://127.0.0.1:${port}`;
}

/** Starts upstream and function for one test file. Each test begins without calls and with the default answers. */
export async function startService(settings: Partial<Settings> = {}) {
  const calls: Call[] = [];
  const lines: string[] = [];
  let answers: Record<string, Upstream[]> = {};

  const supabaseUrl = await startServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const rpc = (request.url ?? "").replace("/rest/v1/rpc/", "");
    calls.push({ rpc, args: JSON.parse(body), method: request.method ?? "", headers: request.headers });
    const all = answers[rpc] ?? answers.any ?? [rpc === "verify_api_key" ? verified : list("[]")];
    const answer = (all.length > 1 ? all.shift() : all[0]) as Upstream;
    if (typeof answer === "function") return answer(response);
    const headers = answer.headers ?? { "Content-Type": "application/json; charset=utf-8" };
    const content = answer.body ?? "";
    response.writeHead(answer.status ?? 200, { "Content-Length": Buffer.byteLength(content), ...headers }).end(content);
  });
  const all = { supabaseUrl, baseUrl: "https://api.example/v1", secretKey, readUrls: [], ...settings };
  const app = createApp(all, (line) => lines.push(line));

  // The instance knows the key from then on.
  await app(new Request("https://project.example/public-api", { headers: { "X-API-Key": key } }));

  beforeEach(() => {
    calls.length = 0;
    lines.length = 0;
    answers = {};
  });

  return {
    app,
    supabaseUrl,
    /** The calls to the upstream since the test began. */
    calls,
    /** The log lines of the function since the test began, as text. */
    lines,
    /** Sets the upstream's answers for one database function, or for `any`; the last one is given again and again. */
    answer(rpc: string, ...upstream: Upstream[]) {
      answers[rpc] = upstream;
    },
    /** Sends a request with a valid key to a path below the base address. */
    send(path: string, init: RequestInit = {}): Promise<Response> {
      const headers = new Headers(init.headers);
      if (!headers.has("X-API-Key") && !headers.has("Authorization")) headers.set("X-API-Key", key);
      return app(new Request(`https://project.example/public-api${path}`, { ...init, headers }));
    },
    /** Sends a request without adding a key. */
    sendBare(path: string, init: RequestInit = {}): Promise<Response> {
      return app(new Request(`https://project.example/public-api${path}`, init));
    },
    /** Sends an import; a body that is a stream requires `duplex`. */
    import(body: BodyInit, init: RequestInit = {}): Promise<Response> {
      return this.send("/rewards", { method: "POST", body, duplex: "half", ...init } as RequestInit);
    },
  };
}

/** The status of a response and the text of its error. */
export async function problem(response: Response): Promise<[number, string]> {
  const body: { error: string } = await response.json();
  return [response.status, body.error];
}
