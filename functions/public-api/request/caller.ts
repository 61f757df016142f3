import type { Endpoint } from "../table/types.ts";

/** Who calls: the scope that it needs, and the headers for the database. */
export type Caller = {
  readonly scope: string | null;
  /** What the database notes as a use of the key (`docs/api.md`, Authentication; `app.note_use`). */
  readonly noted: Readonly<Record<string, string>>;
};

/** What the dashboard's quick check sends as `X-Client-Info`: an admin who tries a key is no use of it. */
export const quickCheck = "public-api-quick-check";

/** The caller of an endpoint. */
export function callerOf({ method, path, scope, kind }: Endpoint, headers: Headers): Caller {
  const program = programOf(headers.get("User-Agent") ?? "");
  const isQuickCheck = kind === "key" && headers.get("X-Client-Info") === quickCheck;
  const noted = {
    "X-Endpoint": `${method} ${path}`,
    ...(program && { "X-Client": program }),
    ...(isQuickCheck && { "X-Quick-Check": "true" }),
  };
  return { scope, noted };
}

/**
 * The program that sent a `User-Agent`, such as `python-requests/2.32.3`: what it says before its first comment, or,
 * where it claims to be Mozilla, after it. At most 60 characters of `0-9A-Za-z_.+-/` and blanks; undefined without any.
 * Words of other characters, such as an email address, and long words, such as a key, are left out.
 */
export function programOf(userAgent: string): string | undefined {
  const text = userAgent.slice(0, 500);
  const named = /\(compatible; ([^;)]+)/.exec(text)?.[1];
  const words = (named ?? text.replace(/\([^)]*\)?/g, " ")).split(/\s+/).filter((word) => isPlain.test(word));
  // A browser is the last of its words that is not an engine: Mozilla/5.0 AppleWebKit/537.36 Chrome/131.0.0.0 Safari/537.36
  const isBrowser = !named && words[0]?.startsWith("Mozilla/");
  if (isBrowser) return words.findLast((word) => !isEngine.test(word)) ?? words.at(-1);
  const version = words.findIndex((word) => word.includes("/"));
  // Behind our own version is the command.
  const more = words[version]?.startsWith("public-data-api/") ? 2 : 1;
  const program = words.slice(0, version + more || undefined).join(" ");
  return program.slice(0, 60).trimEnd() || undefined;
}

const isPlain = /^\w[\w.+-]{0,39}(\/[\w.+-]{1,19})?$/;
const isEngine = /^(Mozilla|AppleWebKit|Gecko|Version|Mobile|Safari)\b/;
