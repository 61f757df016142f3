// A company that a test makes for itself, with people who have passwords; made through SQL, as an operator does.
import { randomUUID } from "node:crypto";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { sql, stack } from "../api/stack.ts";

export interface Person {
  name: string;
  email: string;
  password: string;
}

/** supabase-js with a session of its own. */
export function newClient(projectKey = stack.publishable_key): SupabaseClient {
  return createClient(stack.supabase_url, projectKey, {
    auth: { persistSession: false, autoRefreshToken: false },
  });
}

/** Signs somebody up, with a confirmed address and without a member row. */
export async function newAccount(email: string): Promise<Person> {
  const password = randomUUID();
  const { error } = await newClient().auth.signUp({ email, password });
  if (error) throw error;
  return { name: email, email, password };
}

export class TestCompany {
  readonly id = randomUUID();
  readonly domain = `${this.id.slice(0, 8)}.example`;
  readonly name: string;

  private constructor(name: string) {
    this.name = name;
  }

  static async create(name: string): Promise<TestCompany> {
    const company = new TestCompany(name);
    await sql`insert into app.companies (id, name, default_language) values (${company.id}, ${name}, 'en')`;
    return company;
  }

  emailOf(name: string): string {
    return `${name.toLowerCase().replaceAll(" ", ".")}@${this.domain}`;
  }

  /** A member row, and nobody who signs in. */
  async addMember(name: string, role: string, email = this.emailOf(name)): Promise<string> {
    await sql`insert into app.members (company_id, name, email, role) values (${this.id}, ${name}, ${email}, ${role})`;
    return email;
  }

  /** Somebody who can sign in; not linked yet. */
  async addPerson(name: string, role: string): Promise<Person> {
    return { ...(await newAccount(await this.addMember(name, role))), name };
  }

  async remove(): Promise<void> {
    await sql.begin(async (tx) => {
      // The history of keys only grows, by a trigger; only so can a test clear up after itself.
      await tx`set local session_replication_role = replica`;
      await tx`delete from app.api_key_events where company_id = ${this.id}`;
      await tx`set local session_replication_role = origin`;
      await tx`delete from auth.users where email like ${`%@${this.domain}`}`;
      await tx`delete from app.companies where id = ${this.id}`;
    });
  }
}

/** supabase-js, signed in and linked as the dashboard does it. */
export async function signedIn({ email, password }: Person): Promise<SupabaseClient> {
  const client = newClient();
  const { error } = await client.auth.signInWithPassword({ email, password });
  if (error) throw error;
  const linked = await client.rpc("link_member");
  if (linked.error) throw linked.error;
  return client;
}

/** Makes a key past the page and returns it. */
export async function makeKey(
  client: SupabaseClient,
  name: string,
  scopes = ["read:members"],
): Promise<{ id: string; api_key: string }> {
  const { data, error } = await client.rpc("create_api_key", { name, scopes });
  if (error) throw error;
  return data;
}
