// The SQL functions for admins, each as one function that returns its result or throws a Problem.
import type { ApiKey, ApiKeyEvent, Member, NewApiKey, Overlap } from "../database.ts";
import { type DataError, dataProblem, offline, Problem, unreachable } from "../problems.ts";
import type { Scope } from "../scopes.ts";
import { auth, callFunction } from "../supabase.ts";

/** @param conflict what it means if the state of the key does not allow the call */
async function call<Result>(name: string, given: object = {}, conflict = ""): Promise<Result> {
  if (!navigator.onLine) throw offline();
  const { status, body } = await callFunction(name, given).catch((error) => {
    throw error instanceof Problem ? error : unreachable();
  });
  if (status === 200) return body as Result;
  const problem = dataProblem(body as DataError | null, status, conflict);
  if (problem.kind === "session") await auth.signOut({ scope: "local" });
  throw problem;
}

export const linkMember = (): Promise<Member> => call("link_member");

/** @param key_id of one key, or all keys without it */
export const listApiKeys = (key_id?: string): Promise<ApiKey[]> => call("list_api_keys", { key_id });

/** Of one key, without the newest entries, at most so many. Without anything, all of the history. */
export const listApiKeyEvents = (page: { key_id?: string | null; skip?: number; max_rows?: number }) =>
  call<ApiKeyEvent[]>("list_api_key_events", page);

export const createApiKey = (key: Pick<NewApiKey, "name" | "scopes" | "expires_at">): Promise<NewApiKey> =>
  call("create_api_key", key);

/** @param bound_to client ID, redirect address, and challenge: only this program can fetch the key for the code */
export const letAssistantRead = (name: string, scopes: Scope[], expires_at: string, bound_to: string) =>
  call<{ code: string }>("let_assistant_read", { name, scopes, expires_at, bound_to });

/** @param expires_at of the new key, ISO 8601, or null for never */
export const replaceApiKey = (key: Pick<NewApiKey, "scopes" | "expires_at"> & { key_id: string; overlap: Overlap }) =>
  call<NewApiKey>(
    "replace_api_key",
    key,
    "This key cannot be replaced any more: it is revoked, expired, or replaced already.",
  );

export const renameApiKey = (key_id: string, name: string): Promise<{ id: string; name: string }> =>
  call("rename_api_key", { key_id, name }, "This key cannot be renamed any more: it is revoked.");

export const revokeApiKey = (key_id: string) =>
  call<{ revoked_by: string | null; revoked_at: string }>("revoke_api_key", { key_id });
