// A proxy in front of the API that answers some requests itself, as a busy platform or a bad connection would, and
// commands of public-data-api that run in this process, through it.
import { readdirSync, rmSync } from "node:fs";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { Agent } from "undici";
import { afterAll, beforeEach } from "vitest";
import type { Command } from "../../cli/src/commands/command.ts";
import { type Connection, readConnection } from "../../cli/src/connection.ts";
import { listen } from "../../scripts/stack/ports.ts";
import { environment, main, startProgram, workFolder } from "../support/command_line.ts";
import { checkedFetch } from "../support/contract.ts";
import { stack } from "../support/stack.ts";

/** Answers a request itself; `forward` sends the request to the API and returns the body of its answer. */
export type Fault = (response: ServerResponse, forward: () => Promise<Buffer>) => unknown;

export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>;

export const status =
  (code: number, headers: Record<string, string> = {}): Fault =>
  (response) =>
    void response.writeHead(code, headers).end('{"error":"Not now"}');

/** Sends this body as a page of a list. */
export const page =
  (body: string, hasMore?: string, headers: Record<string, string> = {}): Fault =>
  (response) =>
    void response.writeHead(200, { ...(hasMore !== undefined && { "X-Has-More": hasMore }), ...headers }).end(body);

/** Sends half of the body and then closes the connection. */
export const half: Fault = async (response, forward) => {
  const body = await forward();
  response.writeHead(200, { "Content-Length": body.length, "X-Has-More": "false" });
  response.write(body.subarray(0, body.length / 2), () => response.destroy());
};

/** Sends all but the last line break, as if the body were complete. */
export const cut: Fault = async (response, forward) => {
  response.writeHead(200, { "X-Has-More": "false" }).end((await forward()).subarray(0, -2));
};

export const dropped: Fault = (response) => void response.destroy();

/** Starts a server on this machine. */
export async function serve(listener: RequestListener): Promise<{ url: string; close(): Promise<void> }> {
  const { port, stop } = await listen(createServer(listener), 0);
  return { url: `http://127.0.0.1:${port}`, close: stop };
}

export async function startFaultyProxy() {
  const proxy = {
    /** The paths and bodies of the requests. */
    requests: [] as { path: string; body: string }[],
    /** The faults of the next requests, one each. After them, and where there is none, a request is forwarded. */
    faults: [] as (Fault | undefined)[],
  };
  const server = await serve(async (incoming, response) => {
    const sent = await buffer(incoming);
    proxy.requests.push({ path: incoming.url ?? "", body: sent.toString() });
    const fault = proxy.faults.shift();
    const keys = Object.entries(incoming.headers).filter(([name]) => /^(x-api-key|authorization)$/.test(name));
    const forward = () =>
      checkedFetch(stack.api_url, incoming.url ?? "", {
        method: incoming.method ?? "GET",
        headers: keys as [string, string][],
        ...(sent.length > 0 && { body: sent }),
      });
    if (fault) return fault(response, async () => Buffer.from(await (await forward()).arrayBuffer()));
    const answer = await forward();
    for (const name of ["X-Has-More", "X-Request-Id", "Link", "X-Changes-Until"])
      if (answer.headers.has(name)) response.setHeader(name, answer.headers.get(name) ?? "");
    response.writeHead(answer.status);
    response.end(Buffer.from(await answer.arrayBuffer()));
  });
  return Object.assign(proxy, server);
}

/** A folder and a proxy for the tests of a file: before each test the folder is empty and the proxy has no faults. */
export async function folderAndProxy(): Promise<{ folder: string; proxy: FaultyProxy }> {
  const folder = workFolder();
  const proxy = await startFaultyProxy();
  afterAll(() => proxy.close());
  beforeEach(() => {
    for (const name of readdirSync(folder)) rmSync(`${folder}/${name}`, { recursive: true });
    proxy.requests.length = 0;
    proxy.faults = [];
  });
  return { folder, proxy };
}

/** A connection that does not pause. It collects the lines about problems, and how long it would have paused. */
export function quickConnection(url: string, key: string): Connection & { lines: string[]; pauses: number[] } {
  const [lines, pauses]: [string[], number[]] = [[], []];
  return {
    ...readConnection({ PUBLIC_API_URL: url, PUBLIC_API_KEY: key }),
    command: "test",
    dispatcher: new Agent(),
    deadline: 60_000,
    stop: new AbortController().signal,
    hasAnswered: false,
    lines,
    pauses,
    say: (line) => void lines.push(line),
    pause: async (milliseconds) => void pauses.push(milliseconds),
  };
}

/**
 * Runs a command, for a user who agrees when asked. Returns what it printed to the output, its last line, its lines about
 * problems, and its pauses.
 * @param more replaces parts of the connection
 */
export async function runHere(
  command: Command,
  args: string[],
  url: string,
  key: string,
  more: Partial<Connection> = {},
) {
  const connection = { ...quickConnection(url, key), ...more };
  const [printed, outcomes]: [string[], string[]] = [[], []];
  const output = { write: (text: string) => printed.push(text) > 0 } as unknown as NodeJS.WriteStream;
  const done = (line: string) => void outcomes.push(line);
  const progress = { show: () => {}, done, warn: connection.say };
  const env = { PUBLIC_API_URL: url, PUBLIC_API_KEY: key };
  const confirm = async (question: string) => {
    connection.lines.push(question);
    return true;
  };
  await command.run(args, { env, output, progress, outcome: done, confirm, connect: () => connection });
  const { lines, pauses } = connection;
  return { output: printed.join(""), done: outcomes.at(-1) ?? "", outcomes, lines, pauses };
}

/** Starts public-data-api through the proxy in a process of its own. */
export function startCli(args: string[], folder: string, { url }: FaultyProxy, key: string, before: string[] = []) {
  const [program = "", ...rest] = [...before, process.execPath, main, ...args];
  return startProgram(program, rest, { cwd: folder, env: environment(key, url) });
}
