// Requests that are sent exactly as written. fetch would correct a path, refuse some headers, and never send half a
// body.
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { checkAnswer } from "./contract.ts";
import { stack } from "./stack.ts";

const { hostname, port, pathname } = new URL(stack.api_url);

export interface RawResponse {
  status: number;
  headers: Headers;
  body: string;
}

/**
 * Sends a request with exactly this path, relative to the base address, and these headers. A header with several values
 * is sent several times.
 */
export function send(
  method: string,
  path: string,
  headers: Record<string, string | string[]> = {},
  body?: string | Uint8Array,
): Promise<RawResponse> {
  // For some methods, node:http does not send Content-Length by itself.
  const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { hostname, port, method, path: `${pathname}${path}`, headers: { ...length, ...headers }, agent: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const received = new Headers();
          for (const [name, values = []] of Object.entries(response.headersDistinct)) {
            for (const value of values) received.append(name, value);
          }
          const [status, text] = [response.statusCode ?? 0, Buffer.concat(chunks).toString()];
          try {
            checkAnswer(method, path, status, received, text);
            resolve({ status, headers: received, body: text });
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}

/** A connection on which the head of a POST /rewards without Content-Length has been sent. Chunks can follow. */
export function openImport(key: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    socket.once("error", reject);
    socket.once("connect", () => {
      const head = [`POST ${pathname}/rewards HTTP/1.1`, `Host: ${hostname}:${port}`, `X-API-Key: ${key}`];
      socket.write([...head, "Transfer-Encoding: chunked", "Connection: close", "", ""].join("\r\n"));
      socket.off("error", reject);
      resolve(socket);
    });
  });
}

/** One chunk of a body that is sent with Transfer-Encoding: chunked. */
export function chunk(data: string): string {
  return `${Buffer.byteLength(data).toString(16)}\r\n${data}\r\n`;
}

/** The answer to this POST /rewards, read until the server closes the connection. It must match docs/openapi.json. */
export async function readAnswer(socket: Socket): Promise<RawResponse> {
  const text = await new Promise<string>((resolve) => {
    let received = "";
    socket.setEncoding("utf8");
    socket.on("data", (data) => {
      received += data;
    });
    // If the server does not read the whole body, it resets the connection after its answer.
    socket.on("error", () => {});
    socket.on("close", () => resolve(received));
  });
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = new Headers(lines.map((line) => /^(.*?): *(.*)$/.exec(line)?.slice(1) as [string, string]));
  const status = Number(first.split(" ")[1]);
  const body = rest.join("\r\n\r\n");
  checkAnswer("POST", "/rewards", status, headers, body);
  return { status, headers, body };
}
