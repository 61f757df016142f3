import { scopes } from "../../functions/public-api/table/scopes.ts";
import { type DatabaseUrl, withDatabase } from "./database.ts";
import { randomPassword } from "./secrets.ts";

/** A demo company, with the sign-in of its first admin and an API key with every scope. */
export interface Company {
  name: string;
  admin_email: string;
  admin_password: string;
  api_key: string;
}

/** The addresses of the stack, and the key that a browser sends. */
export interface Project {
  supabase_url: string;
  api_url: string;
  publishable_key: string;
}

/**
 * The ids of the demo companies (sql/seed/0100_tools.sql, demo.uuid): passwords of other companies must not be reset.
 */
const demoIds = ["2776f178-1a9f-4e3c-b9d5-20260abead8c", "eb418ab7-6562-4ea6-86f4-a4dca5b7a3ea"];

/** Whether the API accepts this key. */
async function works(project: Project, apiKey: string): Promise<boolean> {
  const response = await fetch(project.api_url, { headers: { "X-API-Key": apiKey } });
  await response.body?.cancel();
  if (response.status >= 500) throw new Error(`GET ${project.api_url} answered ${response.status}: see function.log`);
  return response.status === 200;
}

/** Sends a POST to Auth or the Data API, with the session's token if there is one. Returns the parsed response. */
async function post(project: Project, path: string, body: object, token?: string): Promise<unknown> {
  const response = await fetch(`${project.supabase_url}${path}`, {
    method: "POST",
    headers: {
      apikey: project.publishable_key,
      "Content-Type": "application/json",
      ...(token && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`POST ${path} answered ${response.status}: ${text}`);
  return text === "" ? null : JSON.parse(text);
}

/** Gives the admin a new password: resets that of an existing account, or signs up. Returns the password. */
async function setPassword(project: Project, url: DatabaseUrl, email: string): Promise<string> {
  const password = randomPassword();
  // By SQL, because Lite has no admin API for Auth.
  const reset = await withDatabase(
    url("supabase_admin"),
    (sql) => sql`
      update auth.users set encrypted_password = extensions.crypt(${password}, extensions.gen_salt('bf', 10))
      where email = ${email} returning id`,
  );
  if (reset.length === 0) await post(project, "/auth/v1/signup", { email, password });
  return password;
}

/** Creates a key as an admin does: signs in, then calls the functions that the dashboard calls. */
async function createApiKey(project: Project, email: string, password: string): Promise<string> {
  const session = (await post(project, "/auth/v1/token?grant_type=password", { email, password })) as {
    access_token: string;
  };
  await post(project, "/rest/v1/rpc/link_member", {}, session.access_token);
  const key = { name: "Data warehouse", scopes: scopes.map(({ name }) => name), expires_at: null };
  const made = (await post(project, "/rest/v1/rpc/create_api_key", key, session.access_token)) as { api_key: string };
  return made.api_key;
}

/**
 * The demo companies, each with a key that works. Keys and passwords in `known` are kept as long as they work.
 * @throws Error when a key that was just made does not work
 */
export async function demoCompanies(project: Project, url: DatabaseUrl, known: Company[]): Promise<Company[]> {
  const admins = await withDatabase(
    url("supabase_admin"),
    (sql) => sql<{ name: string; email: string }[]>`
      select distinct on (c.id) c.name, m.email from app.companies as c join app.members as m on m.company_id = c.id
      where c.id in ${sql(demoIds)} and m.role = 'admin' order by c.id, m.created_at, m.id`,
  );
  return Promise.all(
    admins.map(async ({ name, email }) => {
      const company = known.find((one) => one.name === name && one.admin_email === email);
      if (company && (await works(project, company.api_key))) return company;
      const admin_password = company?.admin_password ?? (await setPassword(project, url, email));
      const api_key = await createApiKey(project, email, admin_password);
      if (!(await works(project, api_key))) throw new Error(`The new key of ${name} is refused: see function.log`);
      return { name, admin_email: email, admin_password, api_key };
    }),
  );
}
