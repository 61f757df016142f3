// Companies that a test makes for itself, so that it can write, revoke and delete without touching anybody else's rows.
import { randomUUID } from "node:crypto";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { allScopes, sql, stack } from "./stack.ts";

export interface ApiKey {
  id: string;
  name: string;
  api_key: string;
  hint: string;
  scopes: string[];
  created_at: string;
  expires_at: string | null;
}

export interface TestCompany {
  id: string;
  name: string;
  admin_email: string;
  /** The real supabase-js, signed in as the company's admin. */
  admin: SupabaseClient;
  makeKey(scopes?: string[], expires_at?: string): Promise<ApiKey>;
  revoke(keyId: string): Promise<void>;
  /** Adds a member who is signed in. */
  signIn(name: string, role: string): Promise<SupabaseClient>;
  /** Deletes the company and everything of it. */
  remove(): Promise<void>;
}

/** A client of the Data API and Auth that keeps its session to itself. */
export function client(key: string): SupabaseClient {
  return createClient(stack.supabase_url, key, { auth: { persistSession: false, autoRefreshToken: false } });
}

/** Whatever supabase-js answered, or an Error. */
export function dataOf<T>({ data, error }: { data: T; error: { message: string } | null }): T {
  if (error) throw new Error(error.message);
  return data;
}

/** Signs in with a password that is set up on the way, and links the sign-in to the member with this address. */
async function signUp(email: string): Promise<SupabaseClient> {
  const signedIn = client(stack.publishable_key);
  dataOf(await signedIn.auth.signUp({ email, password: randomUUID() }));
  const linked = dataOf(await signedIn.rpc("link_member"));
  if (linked.status !== "linked") throw new Error(`${email}: ${linked.status}`);
  return signedIn;
}

/** Makes an empty company with one admin, through SQL as an operator does; its keys then come from the real functions. */
export async function newCompany(name: string, defaultLanguage = "en"): Promise<TestCompany> {
  const id = randomUUID();
  const domain = `${id}.example`;
  await sql`insert into app.companies (id, name, default_language) values (${id}, ${name}, ${defaultLanguage})`;

  const signIn = async (memberName: string, role: string): Promise<SupabaseClient> => {
    const email = `${memberName.toLowerCase().replaceAll(" ", ".")}@${domain}`;
    await sql`insert into app.members (company_id, name, email, role) values (${id}, ${memberName}, ${email}, ${role})`;
    return await signUp(email);
  };
  const admin = await signIn("First Admin", "admin");

  return {
    id,
    name,
    admin_email: `first.admin@${domain}`,
    admin,
    signIn,
    async makeKey(scopes = allScopes, expires_at) {
      return dataOf(await admin.rpc("create_api_key", { name: `test of ${name}`, scopes, expires_at }));
    },
    async revoke(keyId) {
      dataOf(await admin.rpc("revoke_api_key", { key_id: keyId }));
    },
    async remove() {
      await sql.begin(async (tx) => {
        // The history of keys only grows, by a trigger; what a test leaves behind would be in the way of the next one.
        await tx`set local session_replication_role = replica`;
        await tx`delete from app.api_key_events where company_id = ${id}`;
        await tx`set local session_replication_role = origin`;
        await tx`delete from auth.users where email like ${`%@${domain}`}`;
        await tx`delete from app.companies where id = ${id}`;
      });
    },
  };
}
