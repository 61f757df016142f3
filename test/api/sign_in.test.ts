// Assistants sign in (docs/api.md, Assistants): an admin agrees, and a program exchanges the code for a key. The page on
// which the admin agrees is in test/dashboard/assistants.test.ts; programs that find all this by the address alone, and sign
// in, are in test/cli/connect/assistants.test.ts.
// Needs a stack of its own: the function must know the dashboard's address, which is chosen at its start.
import type { SupabaseClient } from "@supabase/supabase-js";
import { expect, onTestFinished, test } from "vitest";
import { companyOfFile, companyOfTest, dataOf, newCompany } from "../support/companies.ts";
import { agreed, challengeOf, claude, exchange, inNinetyDays, post, register, resource } from "../support/sign_in.ts";
import { call, sql, stack } from "../support/stack.ts";

const readScopes = ["read:members", "read:activity", "read:rewards", "read:analytics"];

const { company } = await companyOfFile("Asked");

const refused = async (form: Record<string, string>) => {
  const { status, body } = await exchange(form);
  return status === 400 ? body.error : status;
};

test("a 401 of /mcp says where to sign in, the two documents say how, and other endpoints say nothing of it", async () => {
  const challenge = `Bearer resource_metadata="${resource}/.well-known/oauth-protected-resource"`;
  for (const url of [`${stack.api_url}/mcp`, resource]) {
    for (const method of ["GET", "HEAD", "POST"]) {
      const { status, headers } = await fetch(url, { method });
      expect([status, headers.get("WWW-Authenticate")]).toEqual([401, challenge]);
      expect(headers.get("Access-Control-Expose-Headers")).toContain("WWW-Authenticate");
    }
  }
  const wrong = await fetch(`${stack.api_url}/mcp`, { method: "POST", headers: { Authorization: "Bearer no" } });
  expect(wrong.headers.get("WWW-Authenticate")).toMatch(/^Bearer error="invalid_token", resource_metadata=/);

  const elsewhere = await call("/members", null);
  expect(elsewhere.headers.get("WWW-Authenticate")).toBe("Bearer");
  expect(elsewhere.headers.get("Access-Control-Expose-Headers")).not.toContain("WWW-Authenticate");

  const host = stack.dashboard_url;
  const found = { resource, authorization_servers: [resource], scopes_supported: readScopes };
  const name = ".well-known/oauth-protected-resource";
  for (const url of [`${resource}/${name}`, `${host}/${name}`, `${host}/${name}/mcp`])
    expect(await (await fetch(url)).json()).toMatchObject(found);
  for (const name of ["oauth-authorization-server", "openid-configuration"]) {
    for (const url of [`${resource}/.well-known/${name}`, `${host}/.well-known/${name}/mcp`]) {
      expect(await (await fetch(url)).json()).toMatchObject({
        issuer: resource,
        authorization_endpoint: `${host}/connect-assistant`,
        token_endpoint: `${stack.api_url}/oauth/token`,
        registration_endpoint: `${stack.api_url}/oauth/register`,
        code_challenge_methods_supported: ["S256"],
      });
    }
  }
});

test("the code is exchanged for a key of the admin who agreed, with the ticked scopes, that reads and never writes", async () => {
  const form = await agreed(company.admin, { scopes: ["read:activity", "read:members"] });
  const { status, body, headers } = await exchange(form);
  expect([status, body.scope, body.token_type]).toEqual([200, "read:members read:activity", "Bearer"]);
  expect(headers.get("Cache-Control")).toContain("no-store");
  expect(Math.abs(body.expires_in - 90 * 24 * 3600)).toBeLessThan(60);
  expect((await call("/members", body.access_token)).status).toBe(200);
  expect((await call("/rewards", body.access_token)).status).toBe(403);

  const [key] = dataOf(await company.admin.rpc("list_api_keys"));
  const whose = { assistant: "Claude", assistant_address: form.redirect_uri, created_by: "First Admin" };
  expect(key).toMatchObject({ name: "Claude", status: "active", ...whose });
  const [event] = dataOf(await company.admin.rpc("list_api_key_events", { key_id: key.id }));
  expect(event).toMatchObject({ action: "created", member: "First Admin", key_name: "Claude" });
  const made = await company.makeKey();
  const [own] = dataOf(await company.admin.rpc("list_api_keys"));
  expect(own).toMatchObject({ id: made.id, assistant: null, assistant_address: null });
  // Nobody could hand it a successor.
  const { error } = await company.admin.rpc("replace_api_key", { key_id: key.id });
  expect(error).toMatchObject({ code: "PT409", message: expect.stringContaining("connect the assistant again") });
});

// Proves: signin.3
test("a code works once, also when twelve send it at once", async () => {
  const form = await agreed(company.admin);
  const all = await Promise.all(Array.from({ length: 12 }, () => exchange(form)));
  expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(11).fill(400)]);
});

type Form = Awaited<ReturnType<typeof agreed>>;
// Proves: signin.2, signin.7
test.each<[what: string, afterwards: number, error: string, change: (form: Form) => Partial<Form>]>([
  ["another verifier", 400, "invalid_grant", () => ({ code_verifier: "v".repeat(43) })],
  ["its challenge (plain)", 400, "invalid_grant", (form) => ({ code_verifier: challengeOf(form.code_verifier) })],
  ["another address", 400, "invalid_grant", () => ({ redirect_uri: "http://127.0.0.1:4711/callback" })],
  ["another program", 400, "invalid_grant", () => ({ client_id: "https://claude.ai/oauth/metadata" })],
  ["a foreign resource", 200, "invalid_target", () => ({ resource: "https://elsewhere.example/mcp" })],
  ["another grant", 200, "unsupported_grant_type", () => ({ grant_type: "refresh_token" })],
  ["a short verifier", 200, "invalid_request", () => ({ code_verifier: "short" })],
])("a code sent with %s gives no key, and then %i to its program", async (_what, afterwards, error, change) => {
  const form = await agreed(company.admin);
  expect(await refused({ ...form, ...change(form) })).toBe(error);
  expect((await exchange(form)).status).toBe(afterwards);
});

// Proves: signin.4
test("a key reads the company of the admin who agreed, also if another company let the same program read", async () => {
  const { company: other } = await companyOfTest("Lets the same program");
  const [mine, theirs] = [await agreed(company.admin), await agreed(other.admin)];
  const { body } = await exchange({ ...mine, code: theirs.code, code_verifier: theirs.code_verifier });
  expect(await (await call("/", body.access_token)).json()).toMatchObject({ company_id: other.id });
  expect((await exchange(mine)).status).toBe(200);
});

// Proves: signin.5
test.each([
  ["its minute is over", "assistant_codes set expires_at = now() - interval '1 second' where company_id = $1"],
  ["its key would have expired", "assistant_codes set key_expires_at = now() where company_id = $1"],
  ["its admin is demoted", "members set role = 'employee' where company_id = $1"],
  ["its company has moved", "companies set serving = 'closed', move_id = gen_random_uuid() where id = $1"],
])("a code is worth nothing when %s", async (_when, change) => {
  const other = await newCompany("Leaves");
  onTestFinished(() => other.remove());
  const form = await agreed(other.admin);
  await sql.unsafe(`update app.${change}`, [other.id]);
  expect(await refused(form)).toBe("invalid_grant");
  expect(await sql`select from app.api_keys where company_id = ${other.id}`).toHaveLength(0);
});

test("a form that has a field twice uses nothing up", async () => {
  const form = await agreed(company.admin);
  const twice = new URLSearchParams([...Object.entries(form), ["code", form.code]]);
  expect((await (await post("token", twice)).json()).error).toBe("invalid_request");
  expect((await exchange(form)).status).toBe(200);
});

// Proves: signin.6
test("only an admin agrees, and only to scopes that read, within 92 days", async () => {
  const employee = await company.signIn("Em Ployee", "employee");
  const args = { name: "Claude", scopes: ["read:members"], expires_at: inNinetyDays, bound_to: "a\nb\nc" };
  const asks = async (by: SupabaseClient, change: object) =>
    (await by.rpc("let_assistant_read", { ...args, ...change })).error?.message;
  expect(await asks(employee, {})).toBe("only an admin may let an assistant read");
  const ofScopes = `scopes must be one or more of ${readScopes.join(", ")}, each once`;
  for (const scopes of [[], ["write:rewards"], ["read:members", "read:members"], [["read:members"]], [null]])
    expect(await asks(company.admin, { scopes })).toBe(ofScopes);
  for (const expires_at of [null, "2020-01-01", "2099-01-01"])
    expect(await asks(company.admin, { expires_at })).toBe("expires_at must be within the next 92 days");
  expect(await asks(company.admin, { bound_to: "" })).toBe("bound_to must have 1 to 3000 characters");
  expect(await asks(company.admin, { name: "Cla\u200bude" })).toMatch(/^name must be a text without/);
});

// Proves: signin.1, signin.9, signin.10
test("registration keeps the addresses of known hosts and of this computer, and stores nothing", async () => {
  const vsCode = ["http://localhost/", "http://127.0.0.1:33418/", "https://vscode.dev/redirect"];
  const { status, body } = await register([...vsCode, "https://evil.example/"], "VS Code\u202e");
  expect([status, body.client_name, body.redirect_uris]).toEqual([201, "VS Code", vsCode]);
  const many = (count: number) => Array.from({ length: count }, (_, port) => `http://127.0.0.1:${40_000 + port}/`);
  expect([(await register(many(10))).status, (await register(many(11))).status]).toEqual([201, 400]);
  const hosts = [
    ...["https://evil.example", "https://claude.ai.evil.example", "https://claude.ai@evil.example"],
    ...["https://cl\u0430ude.ai", "https://claude.ai:8443", "http://claude.ai"],
  ];
  const loopbacks = ["127.0.0.1.evil.example", "localhost@evil.example", "localhost#@evil.example", "localhost:99999"];
  const strangers = [
    ...hosts.map((host) => claude.replace("https://claude.ai", host)),
    ...["#", "/../../x"].map((end) => `${claude}${end}`),
    ...[...loopbacks, "0.0.0.0"].map((host) => `http://${host}/`),
    ...["https://chatgpt.com/connector/oauth/..", "cursor://evil.cursor-mcp/oauth/callback", "javascript:alert(1)"],
  ];
  for (const uris of [undefined, [], claude, ...strangers.map((uri) => [uri])])
    expect(await register(uris)).toMatchObject({ status: 400, body: { error: "invalid_redirect_uri" } });
  expect((await (await post("register", "no JSON")).json()).error).toBe("invalid_request");
  const large = JSON.stringify({ pad: "x".repeat(9000) });
  for (const path of ["register", "token"])
    expect(await (await post(path, large)).json()).toEqual({ error: "body must be at most 8 KiB" });
});

test("each path has its method, answers any web page, and a HEAD like a GET", async () => {
  const at = (path: string, method: string) => fetch(`${stack.api_url}${path}`, { method });
  expect((await at("/oauth/token", "GET")).headers.get("Allow")).toBe("POST");
  expect((await at("/oauth/token", "GET")).status).toBe(405);
  const preflight = await at("/oauth/token", "OPTIONS");
  expect([preflight.status, preflight.headers.get("Access-Control-Allow-Methods")]).toEqual([204, "POST, OPTIONS"]);
  expect((await at("/mcp/.well-known/oauth-protected-resource", "HEAD")).status).toBe(200);
  expect(await (await at("/oauth/jwks", "GET")).json()).toEqual({ keys: [] });
});
