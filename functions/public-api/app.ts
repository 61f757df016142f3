import { z } from "zod";
import { keyHashOf } from "./credentials.ts";
import { asStream, asText, connect, type Reader, type Reply, type Settings } from "./database.ts";
import { type Endpoint, endpoints, version } from "./endpoints.ts";
import { type Parameters, readParameters } from "./parameters.ts";
import { type Answer, ApiError, csv, errorAnswer, json, preflight, toResponse } from "./responses.ts";
import { readRewards } from "./rewards.ts";

/** What a log line says of the outcome: never a key, a hash, a parameter's value or data. */
type Outcome = { rows: number | null; key_id: string | null; company_id: string | null; error?: string };

/**
 * Makes the handler of the API: path, method, key, parameters, body, one database call, response (`docs/api.md`, Requests).
 * The handler never throws: what it did not expect becomes a 500. `log` gets one line of JSON a request, when its headers are sent.
 */
export function createApp(settings: Settings, log: (line: string) => void): (request: Request) => Promise<Response> {
  const callDatabase = connect(settings);

  return async (request) => {
    const started = performance.now();
    const requestId = crypto.randomUUID();
    const { path, query } = address(request.url);
    const outcome: Outcome = { rows: null, key_id: null, company_id: null };
    let answer: Answer;
    try {
      answer = await respond(request, path, query, outcome);
    } catch (thrown) {
      const error = thrown instanceof ApiError ? thrown : unexpected(thrown);
      Object.assign(outcome, error.logged);
      answer = errorAnswer(error);
    }
    const line = {
      time: new Date().toISOString(),
      request_id: requestId,
      method: loggable(request.method),
      path: loggable(path),
      status: answer.status,
      milliseconds: Math.round((performance.now() - started) * 10) / 10,
      ...outcome,
    };
    log(JSON.stringify(line));
    return toResponse(answer, requestId, request.method === "HEAD");
  };

  async function respond(request: Request, path: string, query: string, outcome: Outcome): Promise<Answer> {
    const { endpoint, allowed } = route(path, request.method);
    if (!endpoint) return preflight(allowed);
    const keyHash = keyHashOf(request.headers);

    const call = async <Body>(rpc: string, args: object, read: Reader<Body>): Promise<Reply<Body>> => {
      const reply = await callDatabase(rpc, { key_hash: keyHash, ...args }, endpoint.scope, read);
      outcome.key_id = reply.headers.get("X-Key-Id");
      outcome.company_id = reply.headers.get("X-Company-Id");
      const rows = reply.headers.get("X-Row-Count");
      if (rows !== null) outcome.rows = Number(rows);
      return reply;
    };

    let parameters: Parameters;
    let rewards: readonly object[] = [];
    try {
      parameters = readParameters(endpoint, query);
      if (endpoint.method === "POST") rewards = await readRewards(request.body);
    } catch (error) {
      // Only who may come in at all is told what is wrong with the request.
      if (error instanceof ApiError) await call("verify_api_key", { required_scope: endpoint.scope }, asText);
      throw error;
    }

    if (endpoint.method === "POST") {
      const { body } = await call(endpoint.rpc, { rewards: JSON.stringify(rewards) }, asText);
      outcome.rows = rewards.length;
      return json(body);
    }
    if (endpoint.columns.length === 0) return root((await call(endpoint.rpc, {}, asText)).body);

    if (parameters.format === "json") {
      const { headers, body } = await call(endpoint.rpc, parameters.args, asStream);
      return json(body, hasMore(headers));
    }
    const { headers, body } = await call(endpoint.rpc, parameters.args, asText);
    return csv(body, endpoint, parameters.escapeFormulas, hasMore(headers));
  }
}

/** The path relative to the base address, and the raw query. `new URL` would mend odd paths, and throw on an odd Host header. */
function address(url: string): { path: string; query: string } {
  const [, pathname = "", query = ""] = /^[^:]+:\/\/[^/?#]*([^?#]*)\??([^#]*)/.exec(url) ?? [];
  return { path: pathname.replace(/^\/public-api(?=\/|$)/, "") || "/", query };
}

/** Finds the endpoint; there is none for OPTIONS. Throws 404 for an unknown path and 405 for a method that it does not have. */
function route(path: string, method: string): { endpoint: Endpoint | undefined; allowed: string } {
  const name = path.replace(/([^/])\/$/, "$1");
  const here = endpoints.filter((endpoint) => endpoint.path === name || endpoint.aliases.includes(name));
  if (here.length === 0) throw new ApiError(404, `Not Found: ${path}`);
  const methods = here.flatMap((endpoint) => (endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method]));
  const allowed = [...methods, "OPTIONS"].join(", ");
  const endpoint = here.find((endpoint) => endpoint.method === (method === "HEAD" ? "GET" : method));
  if (endpoint || method === "OPTIONS") return { endpoint, allowed };
  throw new ApiError(405, `Method Not Allowed: ${name} accepts ${allowed}`, { headers: { Allow: allowed } });
}

const verifiedKey = z.object({ company_name: z.string(), key_name: z.string(), scopes: z.array(z.string()) });

/** The body of `GET /`: the version, what the key is and may do, and the endpoints (`docs/api.md`, Versioning). */
function root(verified: string): Answer {
  const listed = endpoints.map(({ method, path, aliases, scope }) => ({ method, path, aliases, scope }));
  return json(JSON.stringify({ version, ...verifiedKey.parse(JSON.parse(verified)), endpoints: listed }));
}

/** The one header of the database that goes on to the caller (`docs/api.md`, Lists). */
function hasMore(headers: Headers): Record<string, string> {
  const value = headers.get("X-Has-More");
  if (value === null) throw new Error("the database did not say whether there are more rows");
  return { "X-Has-More": value };
}

/** A failure nobody foresaw. The log gets its kind and place, not its message: that may quote data. */
function unexpected(error: unknown): ApiError {
  const { name, stack } = error instanceof Error ? error : new Error();
  const place = /[\w-]+\.ts:\d+:\d+/.exec(stack ?? "")?.[0];
  return new ApiError(500, "Internal Server Error", { logged: { error: `${name} at ${place}` } });
}

/** A path or a method without what a caller may have put there by mistake, such as a key or an e-mail address. */
function loggable(text: string): string {
  return text.slice(0, 200).replace(/[^/]+/g, (word) => (/^[A-Za-z_-]{1,24}$/.test(word) ? word : "…"));
}
