// The checks of what is around the API: signing in, the dashboard (docs/operate/dashboard.md), and the database.
import { databaseAddress } from "../move/database.ts";
import { withDatabase } from "../stack/database.ts";
import { root, runCommand } from "../stack/process.ts";
import { ask, expect, type Verification } from "./verification.ts";

/** The documents by which a program finds where to sign in, from the 401 on. */
async function readSignIn(base: string, dashboard = ""): Promise<string> {
  const challenge = (await ask(`${base}/mcp`, 401)).headers.get("WWW-Authenticate") ?? "";
  const url = /resource_metadata="([^"]+)"/.exec(challenge)?.[1];
  if (url === undefined) return "off: PUBLIC_API_DASHBOARD_URL isn't set";
  const [issuer] = (await ask(url, 200)).json.authorization_servers;
  const { origin, pathname } = new URL(issuer);
  const name = "/.well-known/oauth-authorization-server";
  // Programs look at the root of the host, too. The platform's can't be rewritten.
  for (const place of [issuer + name, ...(issuer.startsWith(base) ? [] : [origin + name + pathname])]) {
    const { json } = await ask(place, 200);
    expect(json?.issuer === issuer && json.token_endpoint === `${base}/oauth/token`, `${place} isn't of this API`);
    expect(json.authorization_endpoint.startsWith(dashboard), `admins agree at ${json.authorization_endpoint}`);
    await ask(json.authorization_endpoint, 200);
  }
  return `on, at ${issuer}`;
}

/** The dashboard's files as its host sends them, and whether the project knows the key in them. */
async function readDashboard(dashboard: string | undefined): Promise<string> {
  expect(dashboard, "DASHBOARD_URL isn't set", "not made");
  await ask(`${dashboard}/nothing`, 404);
  const guide = await ask(`${dashboard}/reference/guides/api.md`, 200);
  const { headers, body } = await ask(`${dashboard}/`, 200);
  for (const [from, name, value] of [
    [guide.headers, "Content-Type", "text/markdown; charset=utf-8"],
    [headers, "Content-Type", "text/html"],
    [headers, "Content-Security-Policy", "frame-ancestors 'none'"],
    [headers, "X-Content-Type-Options", "nosniff"],
    [headers, "Cache-Control", "no-cache"],
  ] as const)
    expect(from.get(name)?.includes(value), `its header ${name} is ${from.get(name)}, not ${value}`);
  const files = [...body.matchAll(/="(\/assets\/[^"]+\.js)"/g)].map(([, file = ""]) => ask(dashboard + file, 200));
  const code = (await Promise.all(files)).map((file) => file.body).join();
  const key = /sb_publishable_[\w-]+|eyJ[\w-]+\.[\w-]+\.[\w-]+/.exec(code)?.[0];
  const project = /connect-src \S+ ([^;]+)/.exec(body)?.[1];
  expect(key && project, "its files have no publishable key");
  // PostgREST refuses somebody who hasn't signed in. The gateway refuses an unknown key, without PostgREST's code.
  const answer = await fetch(`${project}/rest/v1/rpc/list_api_keys`, { method: "POST", headers: { apikey: key } });
  expect((await answer.json()).code === "42501", `${project} refuses the publishable key in its files: build it again`);
  return `its headers, and its key for ${project}`;
}

function databaseUrl(): string {
  expect(process.env.DATABASE_URL, "DATABASE_URL isn't set", "not made");
  return databaseAddress("DATABASE_URL");
}

async function checkDatabase(): Promise<string> {
  databaseUrl();
  const command = runCommand(process.execPath, [`${root}/scripts/check_database.ts`]);
  const found = await command.catch((error: Error) => error.message);
  expect(/^Nothing differs/.test(found), found.split("\n").slice(0, 20).join("; "));
  return "nothing differs from the migrations";
}

/** What is there beside our migrations: the platform's roles, the extensions, and the nightly job. */
async function checkSetup(): Promise<string> {
  const url = databaseUrl();
  const ask = (text: string) => withDatabase(url, (sql) => sql.unsafe<Record<string, string>[]>(text));
  const names = "'{anon,authenticated,service_role,authenticator,public_api,pgcrypto,unaccent}'::text[]";
  const there = "select rolname from pg_roles union all select extname from pg_extension";
  const missing = (await ask(`select unnest(${names}) as name except (${there})`)).map(({ name }) => name);
  expect(missing.length === 0, `missing roles or extensions: ${missing}`);
  const [cron] = await ask("select where to_regclass('cron.job') is not null");
  const nightly = "select schedule from cron.job where active and command ~ 'purge_expired'";
  const [job] = cron ? await ask(nightly) : [];
  const when = job?.schedule ?? "no time";
  expect(when.startsWith("*/"), `app.purge_expired() runs at ${when}, not every few minutes`);
  return `its roles and extensions, and the nightly job at ${when}`;
}

/** Checks what is around the API. */
export async function checkProject(api: Verification, dashboard: string | undefined): Promise<void> {
  const signIn = () => readSignIn(api.base, dashboard);
  await api.check("signing in", "docs/operate/dashboard.md, Let assistants sign in", undefined, signIn);
  await api.check("dashboard", "docs/operate/dashboard.md, Host it", undefined, () => readDashboard(dashboard));
  await api.check("database", "docs/operate/backup-and-restore.md, Check the database", undefined, checkDatabase);
  await api.check("nightly job", "docs/operate/erase-and-retain.md, Retention", undefined, checkSetup);
}
