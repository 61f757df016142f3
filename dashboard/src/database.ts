// The arguments and results of the SQL functions for admins (sql/schema/0900_signing_in.sql,
// 0910_managing_api_keys.sql).
import type { Scope } from "./scopes.ts";

/**
 * The signed-in person. `linked`: with their member row, and, unless they are an admin, with the admins of their company;
 * `moved`: another project now serves their company; `second_factor_wanted`: the session has shown a password only.
 */
export type Member =
  | { status: "linked"; company_name: string; name: string; role: string; admins: Admin[] | null }
  | { status: "moved"; company_name: string; name: string; role: null }
  | ({ status: Unlinked } & Record<"company_name" | "name" | "role", null>);

type Unlinked = "email_not_confirmed" | "no_member" | "several_members" | "second_factor_wanted";

export type Admin = { name: string; email: string };

/** What tells who fetched a key. */
export type Fetched = {
  /** The assistant that fetched it after an admin agreed; null if an admin made it. */
  assistant: string | null;
  /** Where its code went, which tells whether it is the program whose name it has (`keys/assistant.ts`). */
  assistant_address: string | null;
};

/** Date-times are ISO 8601 in UTC. */
export type ApiKey = Fetched & {
  id: string;
  name: string;
  hint: string;
  scopes: Scope[];
  status: "active" | "revoked" | "expired";
  created_at: string;
  created_by: string;
  /** Whether who made it is still an admin. */
  creator_is_admin: boolean;
  expires_at: string | null;
  last_used_at: string | null;
  /** With the last use: method and path, such as `GET /activity`, and the program, from its `User-Agent`. */
  last_endpoint: string | null;
  last_client: string | null;
  /** The days of the last 30 on which it was used, in UTC: `2026-11-21`, in any order. */
  used_on: string[];
  /** How many notes of answers and of refusals the last 30 days have, today's last: each is made at most once a minute. */
  answers: number[];
  refusals: number[];
  /** The last request that was refused because the key is revoked or expired. */
  refused_at: string | null;
  refused_endpoint: string | null;
  refused_client: string | null;
  /** The last request that was refused although the key works: it lacks a scope, or, until the next, an import was wrong. */
  forbidden_at: string | null;
  forbidden_endpoint: string | null;
  forbidden_scope: Scope | null;
  forbidden_reason: string | null;
  forbidden_client: string | null;
  /** The last time that an admin tried the key, which is no use of it. */
  checked_at: string | null;
  revoked_at: string | null;
  /** null also if an operator of the service revoked the key. */
  revoked_by: string | null;
  /** The id of the key that replaces this one. */
  replaced_by: string | null;
};

export type NewApiKey = Pick<ApiKey, "id" | "name" | "hint" | "scopes" | "created_at" | "expires_at"> & {
  api_key: string;
};

export type ApiKeyEvent = Fetched & {
  created_at: string;
  action: "created" | "replaced" | "renamed" | "revoked";
  /** null: an operator of the service. */
  member: string | null;
  key_id: string;
  key_name: string;
  hint: string;
  scopes: Scope[];
  expires_at: string | null;
  /** Only if an operator revoked the key: why. */
  reason: string | null;
  /** Only for `renamed`: the name before. `key_name` is the name after. */
  former_name: string | null;
  replaced_by: string | null;
  /** The scopes of the key that replaced it. */
  new_scopes: Scope[] | null;
};

/** How long a key still works after it has been replaced. */
export type Overlap = "0" | "1 hour" | "24 hours" | "7 days";
