// The programs that may sign in (`docs/api.md`, Assistants), for the function and for the dashboard's page alike.

/** Where a code may be sent. Other hosts take a key in a header. `path` is exact, or a prefix that ends in `/`. */
const hosts: readonly { readonly name: string; readonly origin: string; readonly path: string }[] = [
  { name: "Claude", origin: "https://claude.ai", path: "/api/mcp/auth_callback" },
  { name: "Claude", origin: "https://claude.com", path: "/api/mcp/auth_callback" },
  { name: "ChatGPT", origin: "https://chatgpt.com", path: "/connector_platform_oauth_redirect" },
  { name: "ChatGPT", origin: "https://chatgpt.com", path: "/connector/oauth/" },
  { name: "VS Code", origin: "https://vscode.dev", path: "/redirect" },
  { name: "VS Code", origin: "https://insiders.vscode.dev", path: "/redirect" },
  { name: "Cursor", origin: "cursor://anysphere.cursor-mcp", path: "/oauth/callback" },
];

const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\]|localhost)(:\d{1,5})?(\/[\w./~-]*)?(\?[\w.~%=&/:-]*)?$/;

/** Who gets what is sent to this address: the name of a known host; "" for a program on this computer; null for nobody. */
export function receiverOf(redirectUri: string): string | null {
  if (redirectUri.length > 300 || !URL.canParse(redirectUri)) return null;
  if (loopback.test(redirectUri)) return "";
  const known = hosts.find(({ origin, path }) => {
    const rest = redirectUri.startsWith(origin + path) ? redirectUri.slice(origin.length + path.length) : null;
    return path.endsWith("/") ? rest !== null && /^[\w-]+$/.test(rest) : rest === "";
  });
  return known?.name ?? null;
}

/** A loopback address without its port, which a program may choose anew (RFC 8252). */
const portless = (uri: string): string =>
  loopback.test(uri) ? uri.replace(/^(http:\/\/(?:\[::1\]|[^/:]+)):\d+/, "$1") : uri;

/** Base64url without padding (RFC 7636). */
export const base64Url = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (digit) => ({ "+": "-", "/": "_" })[digit] ?? "");

/** What a program calls itself, without characters that show nothing; "" when it says nothing. */
export function shownClientName(name: unknown): string {
  const shown = typeof name === "string" ? name.replace(/[\p{C}\p{Zl}\p{Zp}]/gu, "").trim() : "";
  return [...shown].slice(0, 60).join("");
}

/** The most characters of a client ID, which an address holds. */
export const maxClientId = 2400;

/** A registration that nobody has to keep: the client ID says itself what was registered. */
export const clientIdOf = (name: string, redirectUris: readonly string[]): string =>
  `app.${base64Url(new TextEncoder().encode(JSON.stringify([name, ...redirectUris])))}`;

/**
 * What a program calls itself, "" when it does not. Null when it may not use this address: it registered another one,
 * or its metadata document is at another host. The document is not fetched: whoever gets the code is known by the address.
 */
export function nameOfClient(clientId: string, redirectUri: string): string | null {
  const receiver = receiverOf(redirectUri);
  if (receiver === null || clientId.length > maxClientId) return null;
  if (clientId.startsWith("https://")) {
    if (!URL.canParse(clientId)) return null;
    const { origin, host } = new URL(clientId);
    return receiver === "" || origin === new URL(redirectUri).origin ? receiver || host : null;
  }
  try {
    const text = atob(clientId.slice(4).replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
    const [name, ...uris] = JSON.parse(new TextDecoder().decode(bytes)) as unknown[];
    const isRegistered = uris.some((uri) => typeof uri === "string" && portless(uri) === portless(redirectUri));
    return clientId.startsWith("app.") && isRegistered ? shownClientName(name) : null;
  } catch {
    return null;
  }
}
