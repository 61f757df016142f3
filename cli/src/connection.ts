// The requests of the command to the API: one request, its complete response, and retries (docs/api.md, Errors).
import { type Dispatcher, fetch, type Headers, type Response } from "undici";
import manifest from "../package.json" with { type: "json" };
import { CliError, exitCodes, printable } from "./errors.ts";
import { NoTunnel, wayTo } from "./proxy.ts";

/** The API's address and key, and how to wait and tell the user while it does not respond. */
export interface Connection {
  readonly url: string;
  readonly key: string;
  /** The command that runs, for the admins' page. */
  readonly command: string;
  /** Sends the requests, through the proxy of the environment if there is one. */
  readonly dispatcher: Dispatcher;
  /** The setting that names the proxy; null without a proxy. */
  readonly proxySetting: string | null;
  /** The longest time to wait for a response, in milliseconds. */
  readonly deadline: number;
  /** Aborted with a CliError when the user stops the command. */
  readonly stop: AbortSignal;
  /** Whether a server has responded at this address. Then the address is not mistyped. */
  hasAnswered: boolean;
  /** Waits this many milliseconds. */
  pause(milliseconds: number): Promise<void>;
  /** Shows a line to the user. */
  say(line: string): void;
}

interface Answer<T> {
  content: T;
  headers: Headers;
  /** Whether the request may have arrived twice. */
  isRepeated: boolean;
}

/** The API refused a request; sending it again would not help. */
export class Refused extends CliError {
  readonly status: number;

  constructor(status: number, line: string) {
    super(line, [401, 403].includes(status) ? exitCodes.refused : exitCodes.failed);
    this.status = status;
  }
}

/** How often a request is sent at most. The pauses are 1, 2, 4, 8 and 16 seconds, or as long as `Retry-After` says. */
const tries = 6;

/** The longest pause that `Retry-After` may set, in seconds. */
const longestPause = 120;

/** In bytes. A thousand rows with the longest messages have a quarter of this. */
const largestBody = 256 << 20;

/**
 * Reads the address, the key and the proxy from the environment. The key is not an argument, because arguments are
 * visible in the shell's history and in the list of processes.
 * @throws CliError that names the setting, never its value
 */
export function readConnection(
  env: NodeJS.ProcessEnv,
): Pick<Connection, "url" | "key" | "dispatcher" | "proxySetting"> {
  const wrong = (problem: string) => new CliError(problem, exitCodes.usage);
  const text = env.PUBLIC_API_URL?.trim() ?? "";
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text))
    throw wrong("Set PUBLIC_API_URL to the base address of the API");
  const url = new URL(text);
  if (url.username || url.password) throw wrong("PUBLIC_API_URL must not contain a user name or a password");
  if (/[?#]/.test(text)) throw wrong("PUBLIC_API_URL must be a base address, without ? and #");
  if (url.protocol === "http:" && !/^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname))
    throw wrong("PUBLIC_API_URL must start with https:// to keep the key secret; http:// works only on this machine");
  const key = env.PUBLIC_API_KEY?.trim() ?? "";
  if (!/^[!-~]+$/.test(key)) throw wrong("Set PUBLIC_API_KEY to an API key");
  return { url: text.replace(/\/+$/, ""), key, ...wayTo(url, env) };
}

/**
 * Sends a request until it succeeds or retrying is useless.
 * @param path relative to the base address, with its query
 * @param read reads the body; when it throws, the body was incomplete
 * @throws CliError with the API's message and the id of the request, or the one with which the user's stop came
 */
export async function request<T>(
  connection: Connection,
  path: string,
  read: (body: string) => T,
  body?: string,
): Promise<Answer<T>> {
  let isRepeated = false;
  for (let attempt = 1; ; attempt++) {
    connection.stop.throwIfAborted();
    const failure = await tryOnce(connection, path, read, body);
    if ("content" in failure) return { ...failure, isRepeated };
    isRepeated ||= failure.mayHaveArrived;
    if (attempt === tries) throw new CliError(`${failure.problem}, ${tries} times`, exitCodes.unavailable);
    const seconds = failure.seconds ?? 2 ** (attempt - 1);
    connection.say(`${failure.problem}; trying again in ${seconds} s`);
    await connection.pause(seconds * 1000);
  }
}

/** A temporary failure; `seconds` is how long to wait, if the service said so. */
interface Failure {
  problem: string;
  mayHaveArrived: boolean;
  seconds?: number | undefined;
}

/** @throws CliError when retrying is useless */
async function tryOnce<T>(
  connection: Connection,
  path: string,
  read: (body: string) => T,
  body: string | undefined,
): Promise<Omit<Answer<T>, "isRepeated"> | Failure> {
  const { url, key, command, dispatcher, deadline, stop } = connection;
  try {
    const response = await fetch(`${url}${path}`, {
      dispatcher,
      headers: {
        "X-API-Key": key,
        "User-Agent": `public-data-api/${manifest.version} ${command}`,
        ...(body !== undefined && { "Content-Type": "application/json" }),
      },
      // Following a redirect would send the key to another host.
      redirect: "manual",
      signal: AbortSignal.any([AbortSignal.timeout(deadline), stop]),
      ...(body !== undefined && { method: "POST", body }),
    });
    connection.hasAnswered = true;
    if (response.headers.has("Location")) throw redirected(connection, response);
    const text = await textOf(response);
    if (response.ok) return { content: read(text), headers: response.headers };
    const problem = describe(response, text);
    const { status } = response;
    if (isPassing(status)) return { problem, mayHaveArrived: status !== 429, seconds: retryAfter(response.headers) };
    throw new Refused(status, problem);
  } catch (error) {
    stop.throwIfAborted();
    if (error instanceof CliError) throw error;
    return withoutAnswer(connection, error);
  }
}

/** @throws CliError when retrying is useless */
function withoutAnswer(connection: Connection, error: unknown): Failure {
  const { url, proxySetting, hasAnswered } = connection;
  const { host } = new URL(url);
  const { cause } = error as Error;
  const proxy = cause instanceof NoTunnel ? `proxy in ${proxySetting}` : null;
  const flaw = certificateFlaw(reason(error));
  if (flaw) throw new CliError(`The certificate of ${proxy ? `the ${proxy}` : host} ${flaw}`, exitCodes.usage);
  if (cause instanceof NoTunnel && cause.status !== null) {
    const problem = `The ${proxy} refused a connection to ${host} with ${cause.status}`;
    if (isPassing(cause.status)) return { problem, mayHaveArrived: false };
    const login = "give the right user name and password, as in http://user:password@proxy.example:3128";
    const advice = cause.status === 407 ? login : "ask whoever runs it";
    throw new CliError(`${problem}: ${advice}`, exitCodes.unavailable);
  }
  if (!hasAnswered && isWrongAddress(error)) throw nothingAnswers(connection, error);
  const what = proxy ? `no connection through the ${proxy}` : "no whole answer";
  return { problem: `${what} (${reason(error)})`, mayHaveArrived: proxy === null };
}

const isPassing = (status: number): boolean => status === 429 || status >= 500;

/** The body as text. A character that is cut is an error: it must not become another character. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let [text, bytes] = ["", 0];
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > largestBody)
      throw new CliError(`${new URL(response.url).host} sent more than ${largestBody >> 20} MB in one answer`);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

function redirected({ url }: Connection, { status, headers }: Response): CliError {
  const target = headers.get("Location") ?? "";
  const host = URL.canParse(target, url) ? new URL(target, url).host : printable(target);
  return new CliError(
    `${status}: ${url} redirects to ${host}. The key is not sent there: set PUBLIC_API_URL to the API's own address`,
    exitCodes.usage,
  );
}

function nothingAnswers({ url, proxySetting }: Connection, error: unknown): CliError {
  const question = proxySetting
    ? `are PUBLIC_API_URL and ${proxySetting}, which names a proxy, right?`
    : "is PUBLIC_API_URL right?";
  return new CliError(`Nothing answers at ${url} (${reason(error)}): ${question}`, exitCodes.unavailable);
}

/** The error of a response, in one line. Only the API's own responses have a message in its format. */
function describe({ status, headers, url }: Response, body: string): string {
  const id = headers.get("X-Request-Id");
  const text = errorText(body) ?? `without a reason from ${new URL(url).host}`;
  return `${status} ${text}${id ? ` (request ${printable(id)})` : ""}`;
}

function errorText(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body);
    return typeof error === "string" ? printable(error) : undefined;
  } catch {
    return undefined;
  }
}

/** The seconds in `Retry-After`, two minutes at most. Undefined if the header is missing or invalid. */
function retryAfter(headers: Headers): number | undefined {
  const text = headers.get("Retry-After") ?? "";
  const seconds = /^\d+$/.test(text) ? Number(text) : Math.ceil((Date.parse(text) - Date.now()) / 1000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), longestPause);
}

/** Whether the error shows that the address may be wrong: no such host, a closed port, or a port without TLS. */
function isWrongAddress(error: unknown): boolean {
  return /^(ENOTFOUND|EAI_|ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EPROTO|bad port|ERR_SSL|ERR_TLS)/.test(reason(error));
}

/** What is wrong with a certificate, by the code of the error, and what to do; undefined for another error. */
function certificateFlaw(code: string): string | undefined {
  if (!/^(?!ERR_SSL).*CERT|LEAF_SIGNATURE|^INVALID_(CA|PURPOSE)$/.test(code)) return undefined;
  if (/SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code))
    return `is from an unknown authority (${code}). If your network decrypts connections, set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority`;
  if (/EXPIRED|NOT_YET/.test(code))
    return `is not valid today (${code}). Check the date of this machine; if it is right, the certificate must be renewed`;
  if (/ALTNAME/.test(code)) return `is for another name (${code}). Check the address`;
  return `is not valid (${code}). Ask whoever runs it`;
}

/** The code of the error that broke a request, or its message. The code of a DOMException is a number. */
function reason(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { code?: unknown } };
  return typeof cause?.code === "string" ? printable(cause.code) : cause ? reason(cause) : printable(message);
}
