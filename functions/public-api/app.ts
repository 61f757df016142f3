import {
  ApiError,
  badRequest,
  errorAnswer,
  exposedHeaders,
  json,
  type Logged,
  notFound,
  type Outcome,
  preflight,
  toResponse,
} from "./answers/responses.ts";
import {
  type Arguments,
  asPage,
  asText,
  type CallDatabase,
  type Caller,
  connect,
  isLarge,
  type Page,
  type Reader,
  type Reply,
  readVerifiedKey,
  type Settings,
  type SignInSettings,
} from "./database/data_api.ts";
import { connectReplicas } from "./database/replicas.ts";
import { Bodies, type BodyLimit } from "./line/bodies.ts";
import { Visit } from "./line/fair_queue.ts";
import { RefusedUses } from "./line/refused_uses.ts";
import { quick, WaitingLine } from "./line/waiting_line.ts";
import { watched } from "./line/watched_answer.ts";
import { csv } from "./lists/csv.ts";
import { keyHashOf } from "./request/key.ts";
import { linkToNext, type Parameters, readParameters } from "./request/parameters.ts";
import { clientOf, quickCheck } from "./request/user_agent.ts";
import { endpoints, maxGroups, version } from "./table/endpoints.ts";
import type { Endpoint } from "./table/types.ts";
import { performance } from "./timing.ts";

/**
 * Makes the handler of the API: path, method, key, parameters, body, database, response (`docs/api.md`, Requests).
 * It never throws: an unexpected error becomes a 500. `log` gets a line of JSON per request, when the headers are sent.
 */
export function createApp(settings: Settings, log: (line: string) => void) {
  const primary = connect(settings);
  const callDatabase = settings.readUrls.length > 0 ? connectReplicas(settings, primary) : primary;
  const line = new WaitingLine();
  const bodies = new Bodies();
  const refusedUses = new RefusedUses(callDatabase);
  const signIn = settings.signIn && createSignIn(settings.signIn, line, bodies, primary);

  return async (request: Request, info: Info = {}): Promise<Response> => {
    const started = performance.now();
    const requestId = crypto.randomUUID();
    const { path, ...received } = receive(request, info, settings.baseUrl);
    line.arrived(received.connection);
    const { answer, logged } = await respond(path, received).catch(failed);
    // The caller may still be sending what is left of the body, which must not be taken for the next request.
    const isUnread = request.body !== null && !request.bodyUsed;
    const { method } = request;
    log(logLine({ requestId, method, path, status: answer.status, milliseconds: performance.now() - started }, logged));
    const challenged = answer.status === 401 && challenge(settings.signIn, path, request);
    const more = { ...challenged, ...(isUnread && { Connection: "close" }) };
    return toResponse(answer, requestId, more, method === "HEAD");
  };

  async function respond(path: string, received: Received): Promise<Outcome> {
    if (signIn && /^\/(oauth|mcp\/\.well-known)\//.test(path)) return await signIn(path, received.request);
    const { method } = received.request;
    const { endpoint, wrongMethod } = route(path, method);
    const isMcp = endpoint.kind === "mcp";
    // No endpoint has this method: the 405 for it lists those that are allowed.
    if (method === "OPTIONS") return { answer: preflight(wrongMethod?.headers.Allow ?? "", isMcp), logged: {} };
    // Programs probe for assistants with GET and HEAD, and must find out that a key is wanted.
    if (wrongMethod && !isMcp) throw wrongMethod;
    return await respondTo(endpoint, received);
  }

  async function respondTo(endpoint: Endpoint, received: Received): Promise<Outcome> {
    const { request, completed, connection } = received;
    const sending = Promise.withResolvers<void>();
    const visit = new Visit(keyHashOf(request.headers), request.signal, completed ?? sending.promise, connection);
    const caller = callerOf(endpoint, request.headers);
    const ask = <Body>(rpc: string, args: object, read: Reader<Body>) =>
      callDatabase(rpc, { key_hash: visit.keyHash, ...args }, caller, read);
    const verify = () => ask("verify_api_key", { required_scope: caller.scope }, asText);
    const service: Service = {
      call: (rpc, args) => line.call(visit, quick, () => ask(rpc, args(), asText), verify),
      page: (rpc, args, isTotal, isForwarded) =>
        line.page(visit, isTotal, () => ask(rpc, args, asPage(isForwarded && completed ? "json" : "csv")), verify),
      upload: (limit, serve) => bodies.hold(visit, request, limit, serve),
      // The log has the status of the tool's endpoint: the protocol's is 200. The tool reads the answer to its end here.
      ask: async (other, query) => {
        const { answer, logged } = await respondTo(other, {
          request,
          completed: undefined,
          connection: "",
          address: "",
          query,
        });
        return { answer, logged: { ...logged, status: answer.status } };
      },
    };
    const { answer: made, logged } = await serving[endpoint.kind](endpoint, received, service).catch(failed);
    const answer = watched(made, completed === undefined, sending.resolve);
    refusedUses.note(visit.keyHash, answer.status, logged.company_id, caller);
    return { answer, logged: withVisit(logged, visit, answer.status) };
  }
}

/** The fields of the log with whose the request is, and how long it waited. */
function withVisit(logged: Logged, visit: Visit, status: number): Logged {
  // A tool of an assistant has waited before its answer came here.
  const waited = visit.waited + (logged.waited_milliseconds ?? 0);
  // Where the database failed, it has not said for whom; in a 401 it says so where it knows.
  const owner = status === 401 ? {} : visit.owner;
  return { ...owner, ...logged, waited_milliseconds: Math.round(waited * 10) / 10 };
}

/** The log line of a request, never with a key, a hash, a parameter or data. */
function logLine(
  served: { requestId: string; method: string; path: string; status: number; milliseconds: number },
  logged: Logged,
): string {
  return JSON.stringify({
    time: new Date().toISOString(),
    request_id: served.requestId,
    method: loggable(served.method),
    path: loggable(served.path),
    status: served.status,
    milliseconds: Math.round(served.milliseconds * 10) / 10,
    ...{ rows: null, key_id: null, company_id: null, waited_milliseconds: 0, ...logged },
  });
}

/** The log line of a rejection that nothing has handled. Of no request, as far as anybody knows. */
export function unhandled(reason: unknown): string {
  return JSON.stringify({ time: new Date().toISOString(), error: `unhandled: ${unexpected(reason).logged.error}` });
}

/** Answers callers that have no key yet, at the paths of signing in. */
function createSignIn(settings: SignInSettings, line: WaitingLine, bodies: Bodies, callDatabase: CallDatabase) {
  return async (path: string, request: Request): Promise<Outcome> => {
    const visit = new Visit("", request.signal, Promise.resolve());
    const receive = (limit: BodyLimit) => bodies.hold(visit, request, limit, async (take) => take());
    const ask = async (rpc: string, args: object) => {
      const caller = { scope: null, endpoint: rpc, noted: {} };
      return (await line.callWithoutKey(visit, () => callDatabase(rpc, args as Arguments, caller, asText))).body;
    };
    // Loaded when it is asked for: no other request waits for it.
    const { serveOAuth } = await import("./assistants/sign_in.ts");
    const { answer, logged } = await serveOAuth(settings, request.method, path, { receive, ask }).catch(failed);
    return { answer, logged: withVisit(logged, visit, answer.status) };
  };
}

/** Of a 401 of `/mcp` the headers that say where to sign in. */
function challenge(settings: SignInSettings | undefined, path: string, request: Request): Record<string, string> {
  if (!settings || !/^\/mcp\/?$/.test(path)) return {};
  const wrong = request.headers.has("Authorization") ? ' error="invalid_token",' : "";
  return {
    "WWW-Authenticate": `Bearer${wrong} resource_metadata="${settings.mcpUrl}/.well-known/oauth-protected-resource"`,
    "Access-Control-Expose-Headers": `${exposedHeaders}, WWW-Authenticate`,
  };
}

/** What the database notes about a request (`docs/api.md`, Authentication). */
function callerOf({ method, path, scope, kind }: Endpoint, headers: Headers): Caller {
  const endpoint = `${method} ${path}`;
  const client = clientOf(headers.get("User-Agent") ?? "");
  // An admin tries a key on the dashboard: this is no use of it.
  const isQuickCheck = kind === "key" && headers.get("X-Client-Info") === quickCheck;
  const noted = {
    "X-Endpoint": endpoint,
    ...(client && { "X-Client": client }),
    ...(isQuickCheck && { "X-Quick-Check": "true" }),
  };
  return { scope, endpoint, noted };
}

/** Calls the database with the key of the request when it is the turn of its company, and with these arguments then. */
type Call = (rpc: string, args: () => object) => Promise<Reply<string>>;

/** What the runtime says of a request: when its answer has left, or its caller, and where it came from. Not every one does. */
type Info = { completed?: Promise<unknown>; remoteAddr?: { hostname: string; port: number } };

/** What there is to know of a request. The name of its connection is empty where the runtime does not say where it came from. */
function receive(request: Request, { completed, remoteAddr }: Info, baseUrl: string): Received & { path: string } {
  // It rejects when a caller hangs up, whatever becomes of the answer: unhandled, that would end the instance.
  completed?.catch(() => {});
  const { path, query } = splitUrl(request.url);
  const connection = remoteAddr ? `${remoteAddr.hostname} ${remoteAddr.port}` : "";
  return { request, completed, connection, path, address: baseUrl + path, query };
}

/**
 * A request, its connection, the whole address that it asks for without the query, and the query as it was sent.
 */
type Received = {
  readonly request: Request;
  readonly completed: Promise<unknown> | undefined;
  readonly connection: string;
  readonly address: string;
  readonly query: string;
};

/** What a request needs. */
type Service = {
  call: Call;
  /** Calls the database for a page, which is forwarded without being read, or is read. */
  page: (rpc: string, args: object, isTotal: boolean, isForwarded: boolean) => Promise<Reply<Page>>;
  /** Receives the body when there is room for it. `take` is its text, and ends its room. */
  upload: (limit: BodyLimit, serve: (take: () => string) => Promise<Outcome>) => Promise<Outcome>;
  /** Answers a request for another endpoint with the key of this one. */
  ask: (endpoint: Endpoint, query: string) => Promise<Outcome>;
};

/** What answers a request, by the kind of its endpoint. */
const serving = { key: checkKey, import: importRewards, mcp: assist, list: rows, changes: rows, aggregates: rows };

/** Runs `rest` once the key and its scope are verified. The log line gets its id and company even if `rest` fails. */
async function afterVerifying(
  { scope }: Endpoint,
  call: Call,
  rest: (key: string) => Promise<Outcome>,
): Promise<Outcome> {
  const verified = await call("verify_api_key", () => ({ required_scope: scope }));
  const { answer, logged } = await rest(verified.body).catch(failed);
  return { answer, logged: { ...verified.logged, ...logged } };
}

/** `POST /rewards`: the body is read only after the database has verified the key. */
function importRewards(endpoint: Endpoint, { query }: Received, { call, upload }: Service): Promise<Outcome> {
  return afterVerifying(endpoint, call, async () => {
    const { dry_run } = readParameters(endpoint, query).args;
    // Loaded when it is asked for: zod takes as long as half of a start.
    const { importLimit, readRewards } = await import("./import/rewards.ts");
    return await upload(importLimit, async (take) => {
      let rewards: Record<string, unknown>[] | undefined;
      // Only when it is its turn: rows take more memory than a body, and wait as a body, whose room is bounded.
      const made = () => {
        rewards ??= readRewards(take());
        return { rewards: JSON.stringify(rewards), dry_run };
      };
      const reply = await call("upsert_rewards", made);
      return { answer: json(reply.body), logged: { ...reply.logged, rows: rewards?.length ?? 0 } };
    });
  });
}

/** A message of an assistant: parsing 8 MiB of it could take seconds, and the messages of programs have a few KiB. */
const messageLimit: BodyLimit = [64 * 1024, "body must be at most 64 KiB"];

/** `POST /mcp`: a message of an assistant, which may call one of the other endpoints (`docs/api.md`, Assistants). */
function assist(endpoint: Endpoint, received: Received, { call, upload, ask }: Service): Promise<Outcome> {
  const { request, query } = received;
  return afterVerifying(endpoint, call, async (key) => {
    const { wrongMethod } = route(endpoint.path, request.method);
    if (wrongMethod) throw wrongMethod;
    readParameters(endpoint, query);
    return await upload(messageLimit, async (take) => {
      const text = take();
      const { serveMcp } = await import("./assistants/mcp.ts");
      return await serveMcp(request.headers, text, readVerifiedKey(key).scopes, ask);
    });
  });
}

/** `GET /`: the version, the key's name, company and scopes, and the endpoints (`docs/api.md`, Authentication). */
function checkKey(endpoint: Endpoint, { query }: Received, { call }: Service): Promise<Outcome> {
  return afterVerifying(endpoint, call, async (verified) => {
    readParameters(endpoint, query);
    const listed = endpoints.map(({ method, path, aliases, scope }) => ({ method, path, aliases, scope }));
    const { company_name, key_name, scopes, expires_at, company_id } = readVerifiedKey(verified);
    const key = { version, company_name, key_name, scopes, endpoints: listed, expires_at, company_id };
    return { answer: json(JSON.stringify(key)), logged: {} };
  });
}

/** A list, its changes or aggregates: the database's JSON, forwarded unchanged or as CSV (`docs/api.md`, Lists, Questions). */
async function rows(endpoint: Endpoint, received: Received, { call, page }: Service): Promise<Outcome> {
  let parameters: Parameters;
  try {
    parameters = readParameters(endpoint, received.query);
  } catch (error) {
    // Only a caller with a valid key learns what is wrong with the request.
    return await afterVerifying(endpoint, call, () => Promise.reject(error));
  }
  const { args, columns, format, escapeFormulas } = parameters;
  const rpc = endpoint.kind === "changes" ? "list_changes" : endpoint.operation;
  const { body, headers, logged } = await page(rpc, args, isTotal(endpoint, args), format === "json");
  const more = moreRows(endpoint, headers, received);
  const name = endpoint.path.slice(1).replaceAll("/", "-");
  const answer = format === "json" ? json(body, more) : csv(body, name, columns, escapeFormulas, more);
  return { answer: { ...answer, isLarge: isLarge(headers) }, logged };
}

/** Whether the database may read many more rows than it returns: of a total, all that one of two filters matches, all names. */
function isTotal({ kind, parameters }: Endpoint, args: Parameters["args"]): boolean {
  const filters = parameters.filter(({ name, kind }) => args[name] !== undefined && filterKinds.includes(kind));
  return kind === "aggregates" || filters.length > 1 || args.name !== undefined;
}

const filterKinds = ["uuid", "text", "email"];

/** The path relative to the base address, and the raw query. `new URL` normalizes paths, and throws on a bad Host. */
function splitUrl(url: string): { path: string; query: string } {
  const [, pathname = "", query = ""] = /^[^:]+:\/\/[^/?#]*([^?#]*)\??([^#]*)/.exec(url) ?? [];
  return { path: pathname.replace(/^\/public-api(?=\/|$)/, "") || "/", query };
}

/** The endpoints at each path and alias. */
const endpointsAt = new Map<string, Endpoint[]>();
for (const endpoint of endpoints)
  for (const path of [endpoint.path, ...endpoint.aliases])
    endpointsAt.set(path, [...(endpointsAt.get(path) ?? []), endpoint]);

/** Finds the endpoint; for a wrong method any of the path, and the 405. Throws a 404 for an unknown path. */
function route(path: string, method: string): { endpoint: Endpoint; wrongMethod?: ApiError } {
  const name = path.replace(/([^/])\/$/, "$1");
  const here = endpointsAt.get(name);
  if (!here?.[0]) throw notFound(path);
  const endpoint = here.find((endpoint) => endpoint.method === (method === "HEAD" ? "GET" : method));
  if (endpoint) return { endpoint };
  const methods = here.flatMap((endpoint) => (endpoint.method === "GET" ? ["GET", "HEAD"] : [endpoint.method]));
  const Allow = [...methods, "OPTIONS"].join(", ");
  const words = `Method Not Allowed: ${name} accepts ${Allow}`;
  return { endpoint: here[0], wrongMethod: new ApiError(405, words, { headers: { Allow } }) };
}

/** The headers about further rows (`docs/api.md`, Lists). Throws a 400 ApiError for a total that has too many rows. */
function moreRows(endpoint: Endpoint, headers: Headers, { address, query }: Received): Record<string, string> {
  const [value, next] = [headers.get("X-Has-More"), headers.get("X-Next-Page") ?? headers.get("X-Next")];
  if (endpoint.kind === "aggregates") {
    const words = "use fewer names in by, teams instead of people, a shorter time window, or a filter";
    if (value === "true") throw badRequest([`the answer has more than ${maxGroups} rows: ${words}`]);
    return {};
  }
  if (value === null) throw new Error("the database did not say whether there are more rows");
  const parameter = endpoint.kind === "changes" ? "after" : "starting_after";
  return {
    "X-Has-More": value,
    ...(value === "true" && next && { Link: linkToNext(address, query, parameter, next) }),
  };
}

/** The outcome for an error; an unexpected one is a 500. Its message is not logged, because it may contain data. */
function failed(thrown: unknown): Outcome {
  const error = thrown instanceof ApiError ? thrown : unexpected(thrown);
  return { answer: errorAnswer(error), logged: error.logged };
}

function unexpected(error: unknown): ApiError {
  const { name, stack } = error instanceof Error || error instanceof DOMException ? error : new Error();
  const place = /[\w-]+\.ts:\d+:\d+/.exec(stack ?? "")?.[0] ?? "an unknown place";
  return new ApiError(500, "Internal Server Error", { logged: { error: `${name} at ${place}` } });
}

/**
 * A path or method for the log, without what a caller may have put there by mistake, such as a key or an email address.
 */
function loggable(text: string): string {
  return text.slice(0, 200).replace(/[^/]*[^/A-Za-z_-][^/]*|[^/]{25,}/g, "…");
}
