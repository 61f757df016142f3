import { z } from "zod";
import { keyHashOf } from "./credentials.ts";
import { connect, type Settings } from "./database.ts";
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
    const keyHash = await keyHashOf(request.headers);

    const call = async (rpc: string, args: object): Promise<Response> => {
      const response = await callDatabase(rpc, { key_hash: keyHash, ...args }, endpoint.scope);
      outcome.key_id = response.headers.get("X-Key-Id");
      outcome.company_id = response.headers.get("X-Company-Id");
      return response;
    };

    let parameters: Parameters;
    let rewards: readonly object[] = [];
    try {
      parameters = readParameters(endpoint, query);
      if (endpoint.method === "POST") rewards = await readRewards(request.body);
    } catch (error) {
      // Only who may come in at all is told what is wrong with the request.
      if (error instanceof ApiError) {
        const verified = await call("verify_api_key", { required_scope: endpoint.scope });
        await verified.body?.cancel();
      }
      throw error;
    }

    if (endpoint.method === "POST") {
      const response = await call(endpoint.rpc, { rewards: JSON.stringify(rewards) });
      outcome.rows = rewards.length;
      return json(response.body);
    }
    const response = await call(endpoint.rpc, parameters.args);
    if (endpoint.columns.length === 0) return root(await response.json());
    outcome.rows = Number(response.headers.get("X-Row-Count"));
    return list(endpoint, parameters, response);
  }
}

/** The path relative to the base address, and the raw query. `new URL` would mend odd paths, and throw on an odd Host header. */
function address(url: string): { path: string; query: string } {
  const [, pathname = "", query = ""] = /^[^:]+:\/\/[^/?#]*([^?#]*)\??([^#]*)/.exec(url) ?? [];
  return { path: pathname.replace(/^\/public-api(?=\/|$)/, "") || "/", query };
}

/** Finds the endpoint; there is none for OPTIONS. Throws 404 for an unknown path and 405 for a method that it does not have. */
function route(path: string, method: string): { endpoint: Endpoint | undefined; allowed: string } {
  const name = path === "/" ? path : path.replace(/\/$/, "");
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
function root(verified: unknown): Answer {
  const listed = endpoints.map(({ method, path, aliases, scope }) => ({ method, path, aliases, scope }));
  return json(JSON.stringify({ version, ...verifiedKey.parse(verified), endpoints: listed }));
}

/** A list's rows: JSON is handed on as it arrives, unparsed; only for CSV it is read (`docs/api.md`, Lists and CSV). */
async function list(endpoint: Endpoint, { format, escapeFormulas }: Parameters, response: Response): Promise<Answer> {
  const hasMore = response.headers.get("X-Has-More");
  if (hasMore === null) throw new Error("the database did not say whether there are more rows");
  const answer = json(response.body, { "X-Has-More": hasMore });
  if (format === "json") return answer;
  const body = await csv(await response.text(), endpoint.columns, escapeFormulas);
  const headers = {
    "Content-Type": "text/csv; charset=utf-8; header=present",
    "Content-Disposition": `attachment; filename="${endpoint.path.slice(1)}.csv"`,
    "X-Has-More": hasMore,
  };
  return { status: 200, headers, body };
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
