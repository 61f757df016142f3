// Companies that a test creates for itself, so that it can write, revoke and delete without touching other rows.
import { randomUUID } from "node:crypto";
import { createClient, type SupabaseClient } from "@supabase/supabase-js";
import { afterAll, onTestFinished } from "vitest";
import { allScopes, sql, stack } from "./stack.ts";

export type ApiKey = { id: string; name: string; api_key: string; hint: string };
/** A person who can sign in. */
export type Person = { name: string; email: string; password: string };
export type Company = Awaited<ReturnType<typeof emptyCompany>>;
export type TestCompany = Awaited<ReturnType<typeof newCompany>>;

/** A client of the Data API and of Auth that does not store its session. */
export function client(key = stack.publishable_key): SupabaseClient {
  return createClient(stack.supabase_url, key, { auth: { persistSession: false, autoRefreshToken: false } });
}

/** The data that supabase-js returned. Throws the error if there was one. */
export function dataOf<T>({ data, error }: { data: T; error: { message: string } | null }): T {
  if (error) throw new Error(error.message);
  return data;
}

/** Creates an account with a confirmed address and signs it in. The account is linked to no member yet. */
export async function signUp(email: string, password: string = randomUUID()): Promise<SupabaseClient> {
  const session = client();
  dataOf(await session.auth.signUp({ email, password }));
  return session;
}

/** Creates an account that is linked to no member, and returns the person with their password. */
export async function newAccount(email: string, name = email): Promise<Person> {
  const password = randomUUID();
  await signUp(email, password);
  return { name, email, password };
}

async function linked(session: SupabaseClient): Promise<SupabaseClient> {
  const { status } = dataOf(await session.rpc("link_member"));
  if (status !== "linked") throw new Error(`link_member: ${status}`);
  return session;
}

/** Signs a member in with their password, as the dashboard does. */
export async function signedIn({ email, password }: Person): Promise<SupabaseClient> {
  const session = client();
  const { error } = await session.auth.signInWithPassword({ email, password });
  if (error) throw error;
  return linked(session);
}

/** Creates a key as the dashboard of an admin does. */
export async function makeKey(admin: SupabaseClient, name: string, scopes = ["read:members"], expires_at?: string) {
  const key: ApiKey = dataOf(await admin.rpc("create_api_key", { name, scopes, expires_at }));
  return key;
}

/** Creates a company without people, with SQL, as an operator does. */
export async function emptyCompany(name: string, defaultLanguage = "en") {
  const id = randomUUID();
  const domain = `${id.slice(0, 8)}.example`;
  await sql`insert into app.companies (id, name, default_language) values (${id}, ${name}, ${defaultLanguage})`;
  const emailOf = (person: string): string => `${person.toLowerCase().replaceAll(" ", ".")}@${domain}`;
  /** Adds a member row for a person without an account, and returns the member's address. */
  const addMember = async (person: string, role: string, email = emailOf(person)): Promise<string> => {
    await sql`insert into app.members (company_id, name, email, role) values (${id}, ${person}, ${email}, ${role})`;
    return email;
  };
  return {
    id,
    name,
    /** The domain of all its addresses. When the company is removed, accounts at this domain are deleted. */
    domain,
    emailOf,
    addMember,
    /** Adds a member with an account. The first sign-in links the account to the member. */
    addPerson: async (person: string, role: string) => newAccount(await addMember(person, role), person),
    /** Adds a member whose account is linked and signed in. */
    signIn: async (person: string, role: string) => linked(await signUp(await addMember(person, role))),
    /** Deletes the company and all its data. */
    async remove(): Promise<void> {
      await sql.begin(async (tx) => {
        // A trigger forbids deleting from the history of keys.
        await tx`set local session_replication_role = replica`;
        await tx`delete from app.api_key_events where company_id = ${id}`;
        await tx`set local session_replication_role = origin`;
        await tx`delete from auth.users where email like ${`%@${domain}`}`;
        await tx`delete from app.companies where id = ${id}`;
      });
    },
  };
}

/** Creates a company with one admin. Its keys are created by the real functions. */
export async function newCompany(name: string, defaultLanguage?: string) {
  const company = await emptyCompany(name, defaultLanguage);
  const admin = await company.signIn("First Admin", "admin");
  return {
    ...company,
    /** The real supabase-js, signed in as the company's admin. */
    admin,
    admin_email: company.emailOf("First Admin"),
    makeKey: (scopes = allScopes, expires_at?: string) => makeKey(admin, `test of ${name}`, scopes, expires_at),
    async revoke(keyId: string): Promise<void> {
      dataOf(await admin.rpc("revoke_api_key", { key_id: keyId }));
    },
  };
}

/** A company, and a key of it with these scopes. It is removed after the test, or after the tests of the file. */
const companyUntil = (after: (remove: () => Promise<void>) => void) => async (name: string, scopes?: string[]) => {
  const company = await newCompany(name);
  after(() => company.remove());
  return { company, key: (await company.makeKey(scopes)).api_key };
};
export const [companyOfTest, companyOfFile] = [companyUntil(onTestFinished), companyUntil(afterAll)];
