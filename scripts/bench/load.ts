import { connect } from "node:net";
import { median } from "./figure.ts";

/** A request that is sent over and over. */
export interface Call {
  path: string;
  headers: Record<string, string>;
  /** Sent with POST; without one it is a GET. */
  body?: string;
  /** The status that every answer must have. */
  status: number;
}

/** What a load measured. */
export interface Load {
  perSecond: number;
  /** Milliseconds from sending a request to its answer's last byte, the median. */
  latency: number;
}

/** The bytes of a request of HTTP/1.1. */
function requestText({ path, headers, body }: Call): string {
  const sent = body === undefined ? headers : { ...headers, "Content-Length": String(Buffer.byteLength(body)) };
  const lines = Object.entries({ Host: "127.0.0.1", ...sent }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${body === undefined ? "GET" : "POST"} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`;
}

/** Tells when an answer is complete. Chunks are not read one by one: no body that is measured here holds what ends the last of them. */
function answerReader(status: number): (chunk: Buffer) => boolean {
  let received = 0;
  let length: number | undefined;
  let tail = "";
  return (chunk) => {
    if (received === 0) {
      const end = chunk.indexOf("\r\n\r\n");
      const head = chunk.toString("latin1", 0, end);
      if (!head.startsWith(`HTTP/1.1 ${status} `))
        throw new Error(`expected ${status}: ${chunk.toString().slice(0, 500)}`);
      const [, bytes] = /\r\ncontent-length: (\d+)/i.exec(head) ?? [];
      if (bytes !== undefined) length = end + 4 + Number(bytes);
    }
    received += chunk.length;
    tail = (tail + chunk.subarray(-5).toString("latin1")).slice(-5);
    return length === undefined ? tail === "0\r\n\r\n" : received >= length;
  };
}

/**
 * Sends the calls in turn over kept connections, each with one request under way, for as long as `goesOn` of the number of answers
 * says so. On bare sockets: node:http costs more than the function, and would be what is measured.
 * @throws Error when a status is another than expected, or a connection is closed
 */
export async function load(
  port: number,
  calls: readonly Call[],
  connections: number,
  goesOn: (answers: number) => boolean,
): Promise<Load> {
  const requests = calls.map((call) => ({ text: requestText(call), status: call.status }));
  const latencies: number[] = [];
  let next = 0;

  const connection = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1").setNoDelay();
      let sent = 0;
      let isComplete: (chunk: Buffer) => boolean;
      const send = () => {
        const request = requests[next++ % requests.length];
        if (!request) return reject(new Error("no calls"));
        isComplete = answerReader(request.status);
        sent = performance.now();
        socket.write(request.text);
      };
      socket.on("connect", send);
      socket.on("data", (chunk) => {
        try {
          if (!isComplete(chunk)) return;
          latencies.push(performance.now() - sent);
          if (goesOn(latencies.length)) send();
          else socket.end();
        } catch (error) {
          reject(error);
          socket.destroy();
        }
      });
      socket.on("error", reject);
      socket.on("close", () => (goesOn(latencies.length) ? reject(new Error("the connection was closed")) : resolve()));
    });

  const begin = performance.now();
  await Promise.all(Array.from({ length: connections }, connection));
  return { perSecond: (latencies.length / (performance.now() - begin)) * 1000, latency: median(latencies) };
}

/** For {@link load}: goes on for so many milliseconds from now. */
export function forTime(milliseconds: number): () => boolean {
  const end = performance.now() + milliseconds;
  return () => performance.now() < end;
}
