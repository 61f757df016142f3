// Replaces PostgREST where its pool of connections matters, or its transactions; Supabase Lite has only one connection.
// It serves `POST /rest/v1/rpc/<name>` as `service_role`, each call in a transaction, ten calls at a time. Further calls
// wait in order. A volatile function gets a transaction that may write, which a standby refuses, any other one that is
// read-only. Unlike PostgREST, it does not enforce a function's own `statement_timeout`.
//
// It runs as a thread (startDataApi in function_process.ts). The thread's data is the address of the database, as `postgres`.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { parentPort, workerData } from "node:worker_threads";
import postgres from "postgres";

const sql = postgres(workerData as string, { max: 10, onnotice: () => {}, backoff: () => 0 });

/** The functions that have been found, and whether they are volatile. */
const known = new Map<string, boolean>();

async function isVolatile(rpc: string): Promise<boolean> {
  const found = known.get(rpc);
  if (found !== undefined) return found;
  const [row] = await sql<{ is_volatile: boolean }[]>`
    select provolatile = 'v' as is_volatile from pg_proc where pronamespace = 'public'::regnamespace and proname = ${rpc}`;
  if (!row) throw Object.assign(new Error("no such function"), { code: "PGRST202" });
  known.set(rpc, row.is_volatile);
  return row.is_volatile;
}

/** Calls a database function with the arguments in a JSON object. */
async function callFunction(rpc: string, json: string): Promise<{ body: string; headers: Record<string, string> }> {
  const args: Record<string, postgres.ParameterOrJSON<never>> = JSON.parse(json);
  const parameters = Object.keys(args).map((name, index) => `"${name}" => $${index + 1}`);
  const query = `select public.${rpc}(${parameters})::text as body,
    current_setting('response.headers', true) as headers`;
  const [row] = await sql.begin((await isVolatile(rpc)) ? "read write" : "read only", async (transaction) => {
    await transaction.unsafe("set local role service_role");
    return transaction.unsafe<{ body: string; headers: string }[]>(query, Object.values(args), { prepare: true });
  });
  const headers: Record<string, string>[] = JSON.parse(row?.headers || "[]");
  return { body: row?.body ?? "null", headers: Object.assign({}, ...headers) };
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const send = (status: number, body: string, headers: Record<string, string>) => {
    const type = { "Content-Type": "application/json; charset=utf-8", "Content-Length": Buffer.byteLength(body) };
    response.writeHead(status, { ...headers, ...type }).end(body);
  };
  const [, rpc = ""] = /^\/rest\/v1\/rpc\/(\w+)$/.exec(request.url ?? "") ?? [];
  const json = await text(request);
  try {
    const { body, headers } = await callFunction(rpc, json);
    send(200, body, headers);
  } catch (error) {
    const { code = "XX000", message, detail = null } = error as postgres.PostgresError;
    // A function chooses the HTTP status of its own errors, such as PT429. Most others are a 500 here.
    const [, status = ["PGRST202", "42883"].includes(code) ? "404" : "500"] = /^PT(\d{3})$/.exec(code) ?? [];
    send(Number(status), JSON.stringify({ code, details: detail, hint: null, message }), {});
  }
}

// When the database is killed, postgres.js also rejects what it sends itself to end a transaction. PostgREST goes on.
process.on("unhandledRejection", () => {});
process.on("uncaughtException", () => {});

const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
server.listen(0, "127.0.0.1", () => parentPort?.postMessage((server.address() as AddressInfo).port));
