// The roles of the service, each on a connection of its own that signs in as the Data API does: as authenticator, then as the role
// of the request. postgres and supabase_admin are left out: they are the operator and the platform.
import type { SupabaseClient } from "@supabase/supabase-js";
import postgres from "postgres";
import { stack } from "../api/stack.ts";
import type { World } from "./world.ts";

export interface Actor {
  name: string;
  db: postgres.Sql;
}

async function connect(name: string, signIn: string[]): Promise<Actor> {
  const db = postgres(stack.superuser_url, { max: 1, onnotice: () => {} });
  for (const statement of signIn) await db.unsafe(statement);
  return { name, db };
}

const asAuthenticator = "set session authorization authenticator";
const quoted = (value: string): string => `'${value.replaceAll("'", "''")}'`;

/** Somebody who is signed in, with the claims of their session. */
export async function connectAs(name: string, supabase: SupabaseClient): Promise<Actor> {
  const { data } = await supabase.auth.getUser();
  const claims = JSON.stringify({ sub: data.user?.id, role: "authenticated", email: data.user?.email });
  return connect(name, [
    asAuthenticator,
    "set role authenticated",
    `select set_config('request.jwt.claims', ${quoted(claims)}, false)`,
  ]);
}

/** Everybody who can come to the database on behalf of a request; signed-in people are of this company. */
export async function connectAll({ company }: World): Promise<Actor[]> {
  const employee = await company.signIn("Plain Member", "employee");
  return [
    await connect("authenticator", [asAuthenticator]),
    await connect("anon", [asAuthenticator, "set role anon"]),
    await connectAs("member", employee),
    await connectAs("admin", company.admin),
    await connect("service_role", [asAuthenticator, "set role service_role"]),
    // As the functions run: without a verified key, and with one of this company.
    await connect("public_api", ["set session authorization public_api"]),
    await connect("public_api+key", [
      "set session authorization public_api",
      `select set_config('app.company_id', ${quoted(company.id)}, false)`,
    ]),
  ];
}

/** Tries a statement and takes it back. Returns null when it worked, else the error. */
export async function attempt({ db }: Actor, statement: string): Promise<{ code: string; message: string } | null> {
  const error = await db
    .unsafe(`do $try$ begin ${statement}; raise exception using errcode = 'WORKS'; end $try$`)
    .then(() => null)
    .catch((error: postgres.PostgresError) => ({ code: error.code, message: error.message }));
  return error?.code === "WORKS" ? null : error;
}

/** Tries a query of one text and returns the text, or null when it is refused. */
export async function answer({ db }: Actor, query: string): Promise<string | null> {
  return db
    .unsafe<{ answer: string }[]>(query)
    .then(([row]) => row?.answer ?? "")
    .catch(() => null);
}
