import { nameOfClient, receiverOf } from "../../../functions/public-api/assistants/programs.ts";
import { mcpAddress } from "../settings.ts";

/** What a program asks for when it sends an admin here (`docs/api.md`, Assistants). */
export type AssistantRequest = {
  /** The known host that gets the answer, such as Claude; null for a program on this computer. */
  host: string | null;
  /** The host, or what the program calls itself: the name of its key. */
  name: string;
  redirectUri: string;
  state: string | null;
  /** Only a program that can prove these three gets the key. */
  boundTo: string;
};

/** Reads the request; null if nobody may be answered, because it is unclear who would get the answer. */
export function readRequest(search: string): AssistantRequest | null {
  const query = new URLSearchParams(search);
  const one = (name: string): string => (query.getAll(name).length === 1 ? (query.get(name) ?? "") : "");
  const [clientId, redirectUri, challenge] = [one("client_id"), one("redirect_uri"), one("code_challenge")];
  const [calledItself, receiver] = [nameOfClient(clientId, redirectUri), receiverOf(redirectUri)];
  const isS256 = one("code_challenge_method") === "S256" && /^[\w-]{43}$/.test(challenge);
  if (calledItself === null || receiver === null || one("response_type") !== "code" || !isS256) return null;
  // Otherwise a foreign server could name this page, and get the key from a program that does not say for whom it is.
  if (one("resource").replace(/\/$/, "") !== mcpAddress) return null;
  const host = receiver || null;
  return {
    host,
    name: host ?? (calledItself || "A program"),
    redirectUri,
    state: query.get("state"),
    boundTo: [clientId, redirectUri, challenge].join("\n"),
  };
}

/** Takes the answer to the program: the page is left for good. A refusal says too whose answer it is (RFC 9207). */
export function answer({ redirectUri, state }: AssistantRequest, fields: Record<string, string>): void {
  const to = new URL(redirectUri);
  for (const [name, value] of Object.entries({ ...fields, iss: mcpAddress })) to.searchParams.set(name, value);
  if (state !== null) to.searchParams.set("state", state);
  window.location.replace(to.href);
}
