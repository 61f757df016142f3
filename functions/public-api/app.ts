import { logLine } from "./answers/log.ts";
import { exposedHeaders, failed, json, type Outcome, preflight, toResponse } from "./answers/responses.ts";
import { connect, readVerifiedKey } from "./database/data_api.ts";
import { connectReplicas } from "./database/replicas.ts";
import { bodyLimits } from "./limits.ts";
import { refusedUses } from "./line/refused_uses.ts";
import { type Visit, Wait } from "./line/visit.ts";
import { WaitingLine } from "./line/waiting_line.ts";
import { watched } from "./line/watched_answer.ts";
import { rows } from "./lists/rows.ts";
import { callerOf } from "./request/caller.ts";
import { keyHashOf } from "./request/key.ts";
import { readParameters } from "./request/parameters.ts";
import { type Received, route, splitUrl } from "./request/route.ts";
import type { Settings } from "./settings.ts";
import { endpoints, version } from "./table/endpoints.ts";
import type { Endpoint } from "./table/types.ts";
import { performance } from "./timing.ts";

/**
 * Makes the handler of the API: path, method, key, parameters, body, database, response (`docs/api.md`, Requests).
 * It never throws: an unexpected error becomes a 500. `log` gets a line of JSON per request, when the headers are sent.
 */
export function createApp(settings: Settings, log: (line: string) => void) {
  const primary = connect(settings);
  const callDatabase = settings.readUrls.length > 0 ? connectReplicas(settings, primary) : primary;
  const line = new WaitingLine(callDatabase);
  const noteRefusedUse = refusedUses(callDatabase);

  return async (request: Request): Promise<Response> => {
    const started = performance.now();
    const request_id = crypto.randomUUID();
    const { path, query } = splitUrl(request.url);
    const sent = { request, address: settings.baseUrl + path, query };
    const { answer, logged } = await respond(path, sent).catch(failed);
    const { method } = request;
    const milliseconds = performance.now() - started;
    log(logLine({ request_id, method, path, status: answer.status, milliseconds }, logged));
    // The caller may still be sending what is left of the body, which must not be taken for the next request.
    const isUnread = request.body !== null && !request.bodyUsed;
    const challenged = answer.status === 401 && challenge(settings, path, request.headers);
    const more = { "X-Request-Id": request_id, ...challenged, ...(isUnread && { Connection: "close" }) };
    return toResponse(answer, more, method === "HEAD");
  };

  async function respond(path: string, sent: Omit<Received, "endpoint">): Promise<Outcome> {
    const { method, signal } = sent.request;
    if (settings.signIn && /^\/(oauth|mcp\/\.well-known)\//.test(path)) {
      // Loaded when it is asked for: no other request waits for it.
      const { serveSignIn } = await import("./assistants/sign_in.ts");
      const wait = new Wait(signal);
      return wait.logged(await serveSignIn(settings.signIn, path, sent.request, wait, line).catch(failed));
    }
    const { endpoint, wrongMethod } = route(path, method);
    const isMcp = endpoint.kind === "mcp";
    // No endpoint has this method: the 405 for it lists those that are allowed.
    if (method === "OPTIONS") return preflight(wrongMethod?.headers.Allow ?? "", isMcp);
    // Programs probe for assistants with GET and HEAD, and must find out that a key is wanted.
    if (wrongMethod && !isMcp) throw wrongMethod;
    return await serve({ ...sent, endpoint });
  }

  async function serve(received: Received): Promise<Outcome> {
    const { endpoint, request } = received;
    const sending = Promise.withResolvers<void>();
    const caller = callerOf(endpoint, request.headers);
    const keyed = { keyHash: keyHashOf(request.headers), caller, ended: sending.promise };
    const visit = Object.assign(new Wait(request.signal), received, keyed);
    const { answer: made, logged } = await serving[endpoint.kind](visit, line, serve).catch(failed);
    const answer = watched(made, sending.resolve);
    noteRefusedUse(visit, answer.status, logged);
    return visit.logged({ answer, logged });
  }
}

/** Of a 401 of `/mcp` the headers that say where to sign in. */
function challenge({ signIn }: Settings, path: string, headers: Headers): Record<string, string> {
  if (!signIn || !/^\/mcp\/?$/.test(path)) return {};
  const wrong = headers.has("Authorization") ? ' error="invalid_token",' : "";
  return {
    "WWW-Authenticate": `Bearer${wrong} resource_metadata="${signIn.mcpUrl}/.well-known/oauth-protected-resource"`,
    "Access-Control-Expose-Headers": `${exposedHeaders}, WWW-Authenticate`,
  };
}

/** What answers a request, by the kind of its endpoint. */
const serving = { key: checkKey, import: importBody, mcp: assist, list: rows, changes: rows, aggregates: rows };

/** `GET /`: the version, the key's name, company and scopes, and the endpoints (`docs/api.md`, Authentication). */
function checkKey(visit: Visit, line: WaitingLine): Promise<Outcome> {
  return line.afterVerifying(visit, async (verified) => {
    readParameters(visit.endpoint, visit.query);
    const listed = endpoints.map(({ method, path, aliases, scope }) => ({ method, path, aliases, scope }));
    const { company_name, key_name, scopes, expires_at, company_id } = readVerifiedKey(verified);
    const key = { version, company_name, key_name, scopes, endpoints: listed, expires_at, company_id };
    return { answer: json(JSON.stringify(key)), logged: {} };
  });
}

/** `POST /rewards`. Loaded when it is asked for: zod takes as long as half of a start. */
async function importBody(visit: Visit, line: WaitingLine): Promise<Outcome> {
  return await (await import("./import/rewards.ts")).importRewards(visit, line);
}

/** `POST /mcp`: a message of an assistant, which may call one of the other endpoints (`docs/api.md`, Assistants). */
function assist(visit: Visit, line: WaitingLine, serve: (tool: Received) => Promise<Outcome>): Promise<Outcome> {
  const { endpoint, query, request } = visit;
  // The log has the status of the tool's endpoint: the protocol's is 200. The tool reads the answer to its end here.
  const ask = async (other: Endpoint, query: string) => {
    const tool = { request, address: "", query, endpoint: other };
    const { answer, logged } = await serve(tool);
    return { answer, logged: { ...logged, status: answer.status } };
  };
  return line.afterVerifying(visit, async (key) => {
    const { wrongMethod } = route(endpoint.path, request.method);
    if (wrongMethod) throw wrongMethod;
    readParameters(endpoint, query);
    return await line.bodies.hold(visit, request, bodyLimits.message, async (take) => {
      const text = take();
      const { serveMcp } = await import("./assistants/mcp.ts");
      return await serveMcp(request.headers, text, readVerifiedKey(key).scopes, ask);
    });
  });
}
