// Logs: sends every kind of request, and then searches all that the function, PostgreSQL and the gateway have logged
// for every secret that was used.
// Needs a stack of its own: it reads the logs of every part.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { client, type TestCompany } from "../support/companies.ts";
import { tried } from "../support/counts.ts";
import { lists } from "../support/model.ts";
import { send } from "../support/raw.ts";
import { agreed, post } from "../support/sign_in.ts";
import { hashOf, stack } from "../support/stack.ts";
import { newWorld } from "../support/world.ts";

const folder = dirname(process.env.STACK_FILE ?? "");
const logs = ["function.log", "postgres.log", "gateway.log", "data_api.log"];
const read = (name: string): Buffer => readFileSync(`${folder}/${name}`);

/** Sends what a caller with this key can send, and unusual requests with these texts. Returns their number. */
async function sendAll(key: string, texts: string[]): Promise<number> {
  const queries = ["", "?limit=3&format=csv", "?limit=0", `?api_key=${key}`];
  const paths = [...Object.keys(lists), "/", "/nowhere", `/${key}`].flatMap((path) =>
    queries.map((query) => path + query),
  );
  const schemes = [`Bearer ${key}`, `Basic ${btoa(`${key}:`)}`].map((Authorization) => ({ Authorization }));
  const credentials = [{ "X-API-Key": key }, ...schemes];
  for (const [index, path] of paths.entries()) await send("GET", path, credentials[index % 3]);
  for (const text of texts) {
    const row = { external_id: text, name: text, description: text, points_cost: 1, reward_type: "perk" };
    const bad = [row, { ...row, points_cost: text, [text]: text }, text];
    const bodies = bad.map((body) => JSON.stringify(body).slice(0, -1));
    for (const body of [JSON.stringify(row), ...bodies]) await send("POST", "/rewards", { "X-API-Key": key }, body);
    const query = encodeURIComponent(text);
    const headers = { "X-API-Key": key, "X-Request-Id": key, "User-Agent": text, Referer: text };
    await send("GET", `/members?${query}=1&role=${query}&team_id=${query}`, headers);
  }
  return paths.length + 5 * texts.length;
}

/** Lets an assistant fetch a key, which then reads. Returns the secrets of it. */
async function signInAssistant({ admin }: TestCompany) {
  const form = await agreed(admin);
  const body = new URLSearchParams(form);
  const exchange = async () => (await post(`token?${body}`, body)).json();
  const { access_token } = await exchange();
  // The code has been used.
  expect(await exchange()).toMatchObject({ error: "invalid_grant" });
  await send("GET", "/members", { Authorization: `Bearer ${access_token}` });
  return { code: form.code, code_verifier: form.code_verifier, access_token };
}

// Proves: keys.14, layer.5, signin.11
test("no key, hash, token, password, address, message or connection string is logged, by function, PostgreSQL or gateway", async () => {
  const before = logs.map((name) => read(name).length);
  const { company, canary } = await newWorld(20);
  const [good, revoked, narrow] = [company.makeKey(), company.makeKey(), company.makeKey(["read:rewards"])];
  await company.revoke((await revoked).id);
  const keys = (await Promise.all([good, revoked, narrow])).map(({ api_key }) => api_key);
  let requests = 0;
  for (const key of keys) requests += await sendAll(key, [canary, `${canary}@secret.example`]);

  const ofAssistant = await signInAssistant(company);
  // It registers, exchanges its code twice, and reads.
  requests += 4;

  // Admins, and people who try to become one.
  const password = randomUUID();
  const email = `someone.${canary}@${company.domain}`;
  const someone = client();
  await someone.auth.signUp({ email, password });
  await someone.auth.signInWithPassword({ email, password: `${password}x` });
  const { data } = await someone.auth.signInWithPassword({ email, password });
  const { data: admin } = await company.admin.auth.getSession();
  for (const person of [someone, company.admin, client(stack.secret_key)]) {
    await person.rpc("link_member");
    await person.rpc("create_api_key", { name: email.repeat(10) });
    await person.rpc("create_api_key", { name: "good", scopes: [keys[0]] });
    await person.rpc("revoke_api_key", { key_id: company.id });
    await person.rpc("list_members", { key_hash: hashOf(keys[0] ?? ""), max_rows: -5 });
  }

  const secrets: [what: string, secret: string | undefined][] = [
    ...keys.flatMap((key): [string, string][] => [
      ["key", key],
      ["hash", hashOf(key)],
      ["hash in base64", Buffer.from(hashOf(key), "hex").toString("base64")],
    ]),
    ...Object.entries<string>({ canary, email, password, "the admin's address": company.admin_email }),
    ...Object.entries<string>(ofAssistant),
    ["token", data.session?.access_token],
    ["refresh token", data.session?.refresh_token],
    ["the admin's token", admin.session?.access_token],
    ...Object.entries<string>(JSON.parse(read("secrets.json").toString())),
    ["password of the connection string", new URL(stack.superuser_url).password],
    ["connection string", "postgres://"],
  ];
  await company.remove();

  for (const [index, name] of logs.entries()) {
    const lines = read(name).subarray(before[index]).toString().split("\n");
    for (const [what, secret = ""] of secrets) {
      expect(secret.length, what).toBeGreaterThan(8);
      const found = lines.filter((line) => line.includes(secret));
      expect(found, `${what} in ${name}`).toEqual([]);
    }
    if (name === "function.log") expect(lines.length - 1).toBe(requests);
  }
  tried(`logs: ${requests} requests; ${logs.join(", ")} searched for ${secrets.length} secrets`);
}, 120_000);
