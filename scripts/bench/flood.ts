// Sends requests over 200 connections for some seconds, the connections taking the keys by turns, and posts how many answers of each
// status there were. A thread, so that it does not slow whoever else is measured.
import { parentPort, workerData } from "node:worker_threads";
import autocannon from "autocannon";
import type { Flood } from "./neighbours.ts";

const { urls, keys, request, seconds } = workerData as Flood;
let connected = 0;
const options = {
  connections: 200 / urls.length,
  duration: seconds,
  timeout: 30,
  requests: [request],
  setupClient: (client: autocannon.Client) => {
    client.setHeaders({ "X-API-Key": keys[connected++ % keys.length] });
  },
};
const statuses: Record<string, number> = {};
const add = (status: string, count: number) => {
  if (count > 0) statuses[status] = (statuses[status] ?? 0) + count;
};
const flood = (url: string) =>
  new Promise<autocannon.Result>((resolve, reject) => {
    const running = autocannon({ url, ...options }, (error, result) => (error ? reject(error) : resolve(result)));
    // Deno closes a connection on which it has not read a body to its end, as that of an import that is refused. autocannon writes into
    // it once more (EPIPE) and connects anew: nobody went without an answer.
    running.on("reqError", (error: NodeJS.ErrnoException) => add("no answer", error.code === "EPIPE" ? 0 : 1));
  });
for (const { statusCodeStats } of await Promise.all(urls.map(flood)))
  for (const [status, { count = 0 }] of Object.entries(statusCodeStats ?? {})) add(status, count);
parentPort?.postMessage(statuses);
