import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import postgres from "postgres";

/** A Data API with a pool of connections, as the hosted service has. */
export interface PooledDataApi {
  port: number;
  stop(): Promise<void>;
}

const waitingLimit = 10_000;

/** The HTTP status that PostgREST uses for an error of the database. */
function statusOf(code: string): number {
  const [, chosen] = /^PT(\d{3})$/.exec(code) ?? [];
  if (chosen) return Number(chosen);
  if (/^(08|53|57P01)/.test(code)) return 503;
  return /^(40|55|57|XX)/.test(code) ? 500 : 400;
}

/** A queue for a number of places. `enter` resolves with false if none is free within {@link waitingLimit}. */
function queue(places: number) {
  let free = places;
  const waiting = new Set<(entered: boolean) => void>();
  return {
    async enter(): Promise<boolean> {
      if (free > 0) {
        free -= 1;
        return true;
      }
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.add(resolve);
      const timer = setTimeout(() => waiting.delete(resolve) && resolve(false), waitingLimit);
      return promise.finally(() => clearTimeout(timer));
    },
    leave(): void {
      const [next] = waiting;
      if (!next) free += 1;
      else if (waiting.delete(next)) next(true);
    },
  };
}

/**
 * Replaces PostgREST in tests of its pool of connections; Supabase Lite has only one connection. It serves
 * `POST /rest/v1/rpc/<name>` as `service_role`, each call in a transaction, at most `pool` calls at a time. Others wait
 * in order, for 10 s at most. Unlike PostgREST, it does not enforce a function's own `statement_timeout`.
 * @param databaseUrl the address of the database, as `postgres`
 * @param secretKey the only value of `apikey` that it accepts
 */
export async function startPooledDataApi(databaseUrl: string, secretKey: string, pool = 10): Promise<PooledDataApi> {
  const sql = postgres(databaseUrl, { max: pool, onnotice: () => {} });
  const places = queue(pool);
  const calls = new Map<string, Promise<string>>();

  /** The statement that calls a function with the arguments in a JSON object; the others have their defaults. */
  const statement = async (rpc: string, names: string[]): Promise<string> => {
    const [row] = await sql<{ columns: string; args: string }[]>`
      select string_agg(format('%I %s', name, format_type(type, null)), ', ') as columns,
        string_agg(format('%1$I => a.%1$I', name), ', ') as args
      from pg_proc, unnest(proargnames, proargtypes::oid[]) as a (name, type)
      where oid = to_regproc(${`public.${rpc}`}) and name = any (${names})`;
    return `select public.${rpc}(${row?.args})::text as body, current_setting('response.headers', true) as headers
      from json_to_record($1::text::json) as a (${row?.columns})`;
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: string, headers: Record<string, string> = {}) => {
      const type = { "Content-Type": "application/json; charset=utf-8", "Content-Length": Buffer.byteLength(body) };
      response.writeHead(status, { ...headers, ...type }).end(body);
    };
    const refuse = (status: number, code: string, message: string, details: string | null = null) =>
      send(status, JSON.stringify({ code, details, hint: null, message }));
    const [, rpc = ""] = /^\/rest\/v1\/rpc\/(\w+)$/.exec(request.url ?? "") ?? [];
    const body = await text(request);
    if (request.headers.apikey !== secretKey) return refuse(401, "PGRST301", "No suitable key");
    if (!(await places.enter())) return refuse(504, "PGRST003", "Timed out acquiring connection from connection pool.");
    try {
      const names = Object.keys(JSON.parse(body));
      const call = `${rpc} ${names}`;
      if (!calls.has(call)) calls.set(call, statement(rpc, names));
      const query = (await calls.get(call)) ?? "";
      const [row] = await sql.begin(async (transaction) => {
        await transaction.unsafe("set local role service_role");
        return transaction.unsafe<{ body: string; headers: string }[]>(query, [body], { prepare: true });
      });
      const headers: Record<string, string>[] = JSON.parse(row?.headers || "[]");
      send(200, row?.body ?? "null", Object.assign({}, ...headers));
    } catch (error) {
      const { code = "XX000", message, detail = null } = error as postgres.PostgresError;
      refuse(statusOf(code), code, message, detail);
    } finally {
      places.leave();
    }
  };

  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      server.closeAllConnections();
      server.close();
      await sql.end({ timeout: 1 });
    },
  };
}
