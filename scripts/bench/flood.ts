// Sends requests over 200 connections for four seconds, then posts how many answers of each status there were. It is a
// thread, so that it does not delay company B's requests.
import { parentPort, workerData } from "node:worker_threads";
import autocannon, { type Request } from "autocannon";

/** The request that every connection sends all the time. The connections are divided among the addresses and keys. */
export interface Flood {
  urls: string[];
  keys: string[];
  request: Request;
}

const { urls, keys, request } = workerData as Flood;
const statuses: Record<string, number> = {};
let connected = 0;
const flood = autocannon(
  {
    // The types do not know that autocannon takes several addresses.
    url: urls as unknown as string,
    connections: 200,
    duration: 4,
    timeout: 30,
    requests: [request],
    setupClient: (client) => client.setHeaders({ "X-API-Key": keys[connected++ % keys.length] }),
  },
  (error, { statusCodeStats }) => {
    if (error) throw error;
    for (const [status, { count = 0 }] of Object.entries(statusCodeStats ?? {})) statuses[status] = count;
    parentPort?.postMessage(statuses);
  },
);
flood.on("reqError", ({ code }: NodeJS.ErrnoException) => {
  // When the function refuses an import before it has read the body, Deno closes the connection. autocannon then writes
  // to it once more, which is an EPIPE, and connects again. The import was answered.
  if (code !== "EPIPE") statuses["no answer"] = (statuses["no answer"] ?? 0) + 1;
});
