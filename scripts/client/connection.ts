// How the command line talks to the API: one request, its whole answer, and what is worth trying again (docs/api.md, Errors).

/** A failure that its user can do something about: the message is all that is shown. */
export class Problem extends Error {}

/** Where the API is, and how to wait and to speak while it is not there. */
export interface Connection {
  url: string;
  key: string;
  /** Waits so many milliseconds. */
  pause(milliseconds: number): Promise<void>;
  /** Tells the user something, in one line. */
  say(line: string): void;
}

export interface Answer<T> {
  content: T;
  headers: Headers;
}

/** How often a request is sent at most; with pauses of 1, 2, 4, 8 and 16 seconds between. */
const tries = 6;

/** How long an answer may take until it is given up, in milliseconds. */
const deadline = 60_000;

/**
 * Reads the address and the key from the environment. The key is no argument: those stand in the history of the shell and in ps.
 * @throws Problem that names the setting, never its value
 */
export function readConnection(env: NodeJS.ProcessEnv): Pick<Connection, "url" | "key"> {
  const url = env.PUBLIC_API_URL?.trim() ?? "";
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new Problem("Set PUBLIC_API_URL to the base address of the API");
  const key = env.PUBLIC_API_KEY?.trim() ?? "";
  if (!/^[!-~]+$/.test(key)) throw new Problem("Set PUBLIC_API_KEY to an API key");
  return { url: url.replace(/\/$/, ""), key };
}

/**
 * Sends a request until it is answered well, or it is no use.
 * @param path relative to the base address, with its query
 * @param read makes something of the body; when it throws, the body was broken
 * @throws Problem with what the API said
 */
export async function request<T>(
  { url, key, pause, say }: Connection,
  path: string,
  read: (body: string) => T,
  body?: string,
): Promise<Answer<T>> {
  const headers = { "X-API-Key": key, ...(body !== undefined && { "Content-Type": "application/json" }) };
  const init: RequestInit = { headers, redirect: "error", ...(body !== undefined && { method: "POST", body }) };
  for (let attempt = 1; ; attempt++) {
    let problem: string;
    let seconds = 2 ** (attempt - 1);
    try {
      const response = await fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(deadline) });
      const text = await response.text();
      if (response.ok) return { content: read(text), headers: response.headers };
      problem = `${response.status} ${errorText(text)}`;
      if (response.status !== 429 && response.status < 500) throw new Problem(problem);
      seconds = retryAfter(response.headers) ?? seconds;
    } catch (error) {
      if (error instanceof Problem) throw error;
      problem = `no whole answer (${reason(error)})`;
    }
    if (attempt === tries) throw new Problem(`${problem}, ${tries} times`);
    say(`${problem}; trying again in ${seconds} s`);
    await pause(seconds * 1000);
  }
}

/** What the API says is wrong; nothing when the body is somebody else's. */
function errorText(body: string): string {
  try {
    return String(JSON.parse(body).error);
  } catch {
    return "without a reason";
  }
}

/** The seconds that a busy service asks for, two minutes at most. */
function retryAfter(headers: Headers): number | undefined {
  const seconds = headers.get("Retry-After") ?? "";
  return /^\d+$/.test(seconds) ? Math.min(Number(seconds), 120) : undefined;
}

function reason(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { code?: string } };
  return cause?.code ?? message;
}
