// Sends requests over many connections for some seconds, then posts how many answers of each status there were. It is a
// thread, so that it does not delay company B's requests.
import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import autocannon, { type Request, type Result } from "autocannon";

/** The request that every connection sends all the time. The connections are divided among the addresses and keys. */
export interface Flood {
  urls: string[];
  keys: string[];
  connections: number;
  request: Request;
  /** After how many milliseconds a caller closes the connection and opens another one, if it does. */
  hangsUp?: number;
  /** Only this many of the body's bytes are sent. */
  endsAt?: number;
}

const seconds = 4;
const { urls, keys, connections, request, hangsUp, endsAt } = workerData as Flood;
const statuses: Record<string, number> = {};
const count = (status: string) => {
  statuses[status] = (statuses[status] ?? 0) + 1;
};

async function sendAll(): Promise<void> {
  let connected = 0;
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const flood = autocannon(
    {
      // The types do not know that autocannon takes several addresses.
      url: urls as unknown as string,
      connections,
      duration: seconds,
      timeout: 30,
      requests: [request],
      setupClient: (client) => client.setHeaders({ "X-API-Key": keys[connected++ % keys.length] }),
    },
    (error, result) => (error ? reject(error) : resolve(result)),
  );
  flood.on("reqError", ({ code }: NodeJS.ErrnoException) => {
    // When the function refuses an import before it has read the body, it closes the connection. autocannon then writes
    // to it once more, which is an EPIPE, and connects again. The import was answered.
    if (code !== "EPIPE") count("no answer");
  });
  const { statusCodeStats } = await promise;
  for (const [status, { count = 0 }] of Object.entries(statusCodeStats ?? {})) statuses[status] = count;
}

/** One caller who closes each connection, or sends bodies without end. */
async function sendBadly(index: number): Promise<void> {
  const { hostname, port } = new URL(urls[index % urls.length] ?? "");
  const body = Buffer.from(String(request.body ?? ""));
  const end = performance.now() + seconds * 1000;
  for (let turn = index; performance.now() < end; turn += connections) {
    const socket = connect(Number(port), hostname).setEncoding("latin1");
    const closed = once(socket, "close").catch(() => {});
    socket.on("error", () => {});
    socket.once("data", (text) => count(String(text).slice(9, 12)));
    const head = [`${request.method ?? "GET"} ${request.path} HTTP/1.1`, `Host: ${hostname}:${port}`];
    const key = `X-API-Key: ${keys[turn % keys.length]}`;
    socket.write([...head, key, `Content-Length: ${body.length}`, "", ""].join("\r\n"));
    socket.write(body.subarray(0, endsAt));
    await Promise.race([closed, sleep(hangsUp ?? Math.max(0, end - performance.now()))]);
    socket.destroy();
  }
}

if (hangsUp === undefined && endsAt === undefined) await sendAll();
else await Promise.all(Array.from({ length: connections }, (_, index) => sendBadly(index)));
parentPort?.postMessage(statuses);
