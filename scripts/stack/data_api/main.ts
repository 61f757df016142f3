// A stand-in for PostgREST 16.2, which has no binary on npm: it serves POST /rpc/<function>, all that the function and the
// dashboard call, and sends PostgreSQL what PostgREST sends. Everything else is a 404. It reads PostgREST's own settings
// from the environment (data_api.ts), so that the real one takes its place.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { jwtVerify } from "jose";
import pg from "pg";
import { type Called, call, endsConnection } from "./calls.ts";
import { type Answer, Refusal, refusal } from "./refusals.ts";
import { type DatabaseFunction, functionsQuery } from "./statements.ts";

const setting = (name: string, otherwise = ""): string => process.env[`PGRST_${name}`] ?? otherwise;
const connectionString = setting("DB_URI");
const secret = new TextEncoder().encode(setting("JWT_SECRET"));
const searchPath = ["public", ...setting("DB_EXTRA_SEARCH_PATH", "public").split(",")];
const anonymous = setting("DB_ANON_ROLE");

const pool = new pg.Pool({
  connectionString,
  max: Number(setting("DB_POOL", "10")),
  connectionTimeoutMillis: 1000 * Number(setting("DB_POOL_ACQUISITION_TIMEOUT", "10")),
  idleTimeoutMillis: 0,
});
/** The errors of connections that broke while nothing ran on them: PostgREST finds out when it uses one again. */
const broken: Error[] = [];
pool.on("error", (error) => broken.push(error));
pool.on("connect", (client) => client.on("error", () => {}));

/** The functions, as the catalog has them since the last `notify pgrst`; none before it was read for the first time. */
let functions: ReadonlyMap<string, DatabaseFunction> | undefined;

async function readSchema(client: pg.ClientBase | pg.Pool): Promise<void> {
  const { rows } = await client.query<DatabaseFunction>(functionsQuery);
  functions = new Map(rows.map((one) => [one.name, one]));
}

/** Reads the schema, and reads it again when it is told so, or has perhaps not heard it. Resolves when it lost its ear. */
async function listen(): Promise<void> {
  const client = new pg.Client({ connectionString });
  const lost = new Promise<void>((resolve) => client.on("error", () => resolve()).on("end", () => resolve()));
  try {
    await client.connect();
    client.on("notification", () => void readSchema(client).catch(() => {}));
    if (setting("DB_CHANNEL_ENABLED", "true") === "true") await client.query("listen pgrst");
    await readSchema(client);
    await lost;
  } catch {
    // Without a database there is nothing to read yet.
  }
  await client.end().catch(() => {});
}

/** The claims of a token, of which the role is what PostgreSQL will check. */
async function claimsOf(authorization: string | undefined): Promise<Record<string, unknown>> {
  if (authorization === undefined) return { role: anonymous };
  try {
    const { payload } = await jwtVerify(authorization.replace(/^Bearer /i, ""), secret, { algorithms: ["HS256"] });
    return { role: anonymous, ...payload };
  } catch (error) {
    const isLate = (error as { code?: string }).code === "ERR_JWT_EXPIRED";
    throw isLate
      ? new Refusal(401, "PGRST303", "JWT expired")
      : new Refusal(401, "PGRST301", "JWT cryptographic operation failed");
  }
}

/** The names in a JSON object; an empty text is one without any. */
function namesIn(args: string): Set<string> {
  try {
    const value: unknown = JSON.parse(args || "{}");
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return new Set(Object.keys(value));
  } catch {}
  throw new Refusal(400, "PGRST102", "Empty or invalid json");
}

/** The function that has these arguments, and needs no other. */
function find(schema: NonNullable<typeof functions>, name: string, names: ReadonlySet<string>): DatabaseFunction {
  const one = schema.get(name);
  const fits = one?.args.every((arg) => !arg.required || names.has(arg.name));
  const known = one && [...names].every((given) => one.args.some((arg) => arg.name === given));
  if (one && fits && known) return one;
  const given = [...names].sort();
  const [searched, wanted] =
    given.length > 0
      ? [`with parameters ${given.join(", ")}`, `(${given.join(", ")})`]
      : ["without parameters", " without parameters"];
  throw new Refusal(
    404,
    "PGRST202",
    `Could not find the function public.${name}${wanted} in the schema cache`,
    `Searched for the function public.${name} ${searched} or with a single unnamed json/jsonb parameter, but no matches were found in the schema cache.`,
  );
}

/** Of a request without this media type the value is taken as json, also where the function returns the domain. */
const asksForJson = (accept = ""): boolean => /(^|[\s,])application\/json($|[\s,;])/.test(accept);

const sorted = (object: object): string => JSON.stringify(Object.fromEntries(Object.entries(object).sort()));

/** A connection of the pool. */
async function connection(): Promise<pg.PoolClient> {
  const lost = broken.shift();
  if (lost) throw lost;
  try {
    return await pool.connect();
  } catch (error) {
    const { message } = error as Error;
    if (message === "timeout exceeded when trying to connect")
      throw new Refusal(504, "PGRST003", "Timed out acquiring connection from connection pool.");
    throw new Refusal(503, "PGRST000", "Database connection error. Retrying the connection.", message);
  }
}

async function called(request: IncomingMessage, claims: Record<string, unknown>): Promise<Called> {
  const schema = functions;
  if (!schema) throw new Refusal(503, "PGRST002", "Could not query the database for the schema cache. Retrying.");
  const [, name] = /^\/rpc\/(\w+)$/.exec(request.url ?? "") ?? [];
  if (!name || request.method !== "POST")
    throw new Refusal(404, "PGRST205", `This stand-in serves no ${request.method} ${request.url?.split("?")[0]}`);
  const [type] = (request.headers["content-type"] ?? "application/json").split(";");
  if (type !== "application/json") throw new Refusal(400, "PGRST102", `Content-Type not acceptable: ${type}`);
  const args = await text(request);
  const names = namesIn(args);
  const found = find(schema, name, names);
  const one = asksForJson(request.headers.accept) ? found : { ...found, mediaType: null };
  const { cookie, ...headers } = request.headers;
  const settings = {
    search_path: searchPath.map((schema) => `"${schema}"`).join(", "),
    role: String(claims.role),
    "request.jwt.claims": sorted(claims),
    "request.method": request.method,
    "request.path": `/rpc/${name}`,
    "request.headers": JSON.stringify(headers),
    "request.cookies": JSON.stringify(Object.fromEntries(cookie?.split("; ").map((one) => one.split("=", 2)) ?? [])),
  };
  const client = await connection();
  try {
    const result = await call(client, one, settings, names, args);
    client.release();
    return result;
  } catch (error) {
    client.release(endsConnection(error));
    throw error;
  }
}

async function answer(request: IncomingMessage): Promise<Answer> {
  let role: unknown = anonymous;
  try {
    const claims = await claimsOf(request.headers.authorization);
    role = claims.role;
    const { body, headers, status } = await called(request, claims);
    const own: Record<string, string>[] = JSON.parse(headers ?? "[]");
    return {
      status: Number(status ?? 200),
      headers: { "Content-Range": "0-0/*", ...Object.assign({}, ...own) },
      body: body ?? "",
    };
  } catch (error) {
    return refusal(error as Error, role === anonymous);
  }
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { status, words, headers, body } = await answer(request);
  const type = { "Content-Type": "application/json; charset=utf-8", "Content-Length": Buffer.byteLength(body) };
  const all = { Server: "stand-in for postgrest/16.2", ...headers, ...type };
  if (words === undefined) response.writeHead(status, all);
  else response.writeHead(status, words.replace(/[^ -~]/g, "?"), all);
  response.end(body);
}

const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
server.keepAliveTimeout = 0;
server.listen(Number(setting("SERVER_PORT")), setting("SERVER_HOST"));
for (;;) {
  await listen();
  await new Promise((resolve) => setTimeout(resolve, 100));
}
