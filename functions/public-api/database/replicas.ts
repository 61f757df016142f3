import { ApiError } from "../answers/errors.ts";
import { milliseconds } from "../limits.ts";
import type { Settings } from "../settings.ts";
import { performance } from "../timing.ts";
import { asText, type CallDatabase, connect, discard, type Reply } from "./data_api.ts";

/** `pausedUntil` is 0 while it was not late. */
type Replica = { readonly call: CallDatabase; pausedUntil: number };

/**
 * Makes the function that calls the primary, but reads lists at read replicas in turn (docs/operate/read-replicas.md).
 * The primary verifies the key at the same time: a replica learns of a revoke late. The list is returned when both have
 * succeeded, for the same company. Otherwise it is read at the primary, once. Throws only the errors of the primary.
 */
export function connectReplicas(settings: Settings, callPrimary: CallDatabase): CallDatabase {
  const replicas: Replica[] = settings.readUrls.map((supabaseUrl) => {
    return { call: connect({ ...settings, supabaseUrl }, milliseconds.callOfReplica), pausedUntil: 0 };
  });

  return async (rpc, args, caller, read) => {
    if (!rpc.startsWith("list_")) return await callPrimary(rpc, args, caller, read);
    const readAtPrimary = async (replica_error: string) => {
      const { logged, ...reply } = await callPrimary(rpc, args, caller, read);
      return { ...reply, logged: { ...logged, served_by: "primary" as const, replica_error } };
    };
    const replica = next(replicas);
    if (!replica) return await readAtPrimary("all were late");

    const page = outcome(replica, () => replica.call("read_page", { rpc, ...args }, caller, read));
    const discardPage = () => page.then((reply) => reply instanceof ApiError || discard(reply));
    const key = { key_hash: args.key_hash, required_scope: caller.scope };
    const { logged } = await callPrimary("verify_api_key", key, caller, asText).catch((error) => {
      discardPage();
      throw error;
    });
    const reply = await page;
    if (reply instanceof ApiError) return await readAtPrimary(reply.logged.error ?? `answered ${reply.status}`);
    const isOfCompany = logged.company_id !== undefined && reply.logged.company_id === logged.company_id;
    if (isOfCompany && reply.headers.has("X-Has-More")) return reply;
    discardPage();
    return await readAtPrimary(isOfCompany ? "answered no list" : "answered for another company");
  };
}

/** The replica whose turn it is; undefined while all were late. After its pause, a late one is tried by one request. */
function next(replicas: Replica[]): Replica | undefined {
  const now = performance.now();
  const replica = replicas.find(({ pausedUntil }) => pausedUntil <= now);
  if (!replica) return undefined;
  if (replica.pausedUntil > 0) replica.pausedUntil = now + milliseconds.pauseOfReplica;
  replicas.push(...replicas.splice(replicas.indexOf(replica), 1));
  return replica;
}

/** The page of a replica, or its error. */
async function outcome<Body>(replica: Replica, call: () => Promise<Reply<Body>>): Promise<Reply<Body> | ApiError> {
  const started = performance.now();
  try {
    const { logged, ...reply } = await call();
    replica.pausedUntil = 0;
    const replica_lag_milliseconds = Number(reply.headers.get("X-Replica-Lag"));
    return { ...reply, logged: { ...logged, served_by: "replica", replica_lag_milliseconds } };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const now = performance.now();
    // The timer of a call may end a millisecond early.
    const wasLate = now - started >= milliseconds.callOfReplica - 1;
    replica.pausedUntil = wasLate ? now + milliseconds.pauseOfReplica : 0;
    return error;
  }
}
