// Logs: sends every kind of request, and then searches all that the function, PostgreSQL and the gateway have logged
// for every secret that was used.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test } from "vitest";
import { client } from "../support/companies.ts";
import { tried } from "../support/counts.ts";
import { lists } from "../support/model.ts";
import { send } from "../support/raw.ts";
import { call, hashOf, importRewards, stack } from "../support/stack.ts";
import { newWorld } from "../support/world.ts";

const folder = dirname(process.env.STACK_FILE ?? "");
const logs = ["function.log", "postgres.log", "gateway.log"];
const read = (name: string): Buffer => readFileSync(`${folder}/${name}`);

/** Sends what a caller with or without a key can send, and unusual requests. Returns their number. */
async function useApi(keys: string[], texts: string[]): Promise<number> {
  let requests = 0;
  for (const key of keys) {
    for (const path of [...Object.keys(lists), "/", "/nowhere", `/${key}`]) {
      for (const query of [
        "",
        "?limit=3&format=csv",
        "?limit=0",
        `?api_key=${key}`,
        `?role=${encodeURIComponent(texts[0] ?? "")}`,
      ]) {
        for (const headers of [
          { "X-API-Key": key },
          { Authorization: `Bearer ${key}` },
          { Authorization: `Basic ${btoa(`${key}:`)}` },
        ]) {
          await send("GET", path + query, headers);
          requests++;
        }
      }
    }
    for (const text of texts) {
      await importRewards(key, {
        external_id: text,
        name: text,
        description: text,
        points_cost: 1,
        reward_type: "perk",
      });
      await importRewards(key, { external_id: text, name: text, points_cost: text, [text]: text });
      await call("/rewards", key, { method: "POST", body: `{"name": "${text}` });
      await call(`/members?${encodeURIComponent(text)}=1`, key, {
        headers: { "X-Request-Id": key, "User-Agent": text, Referer: text },
      });
      requests += 4;
    }
  }
  return requests;
}

// Proves: keys.14, layer.5
test("no key, hash, token, password, address, message or connection string is logged, by function, PostgreSQL or gateway", async () => {
  const before = logs.map((name) => read(name).length);
  const world = await newWorld(20);
  const { company } = world;
  const good = await company.makeKey();
  const revoked = await company.makeKey();
  await company.revoke(revoked.id);
  const narrow = await company.makeKey(["read:rewards"]);
  const keys = [good, revoked, narrow].map(({ api_key }) => api_key);
  const texts = [world.canary, `${world.canary}@secret.example`];
  const requests = await useApi(keys, texts);

  // Admins, and people who try to become one.
  const password = randomUUID();
  const email = `someone.${world.canary}@${company.domain}`;
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

  const secrets: Record<string, string>[] = [
    ...keys.map((key) => ({
      key,
      hash: hashOf(key),
      "hash in base64": Buffer.from(hashOf(key), "hex").toString("base64"),
    })),
    { canary: world.canary, email, password, "the admin's address": company.admin_email },
    {
      token: data.session?.access_token ?? "",
      refresh: data.session?.refresh_token ?? "",
      "the admin's token": admin.session?.access_token ?? "",
    },
    ...Object.entries<string>(JSON.parse(read("secrets.json").toString())).map(([name, value]) => ({ [name]: value })),
    { "connection string": new URL(stack.superuser_url).password, "connection string's beginning": "postgres://" },
  ];
  await company.remove();

  let searched = 0;
  for (const [index, name] of logs.entries()) {
    const written = read(name).subarray(before[index]).toString();
    searched += written.length;
    for (const [what, secret] of secrets.flatMap((some) => Object.entries(some))) {
      expect(secret.length, what).toBeGreaterThan(8);
      const found = written.split("\n").filter((line) => line.includes(secret));
      expect(found, `${what} in ${name}`).toEqual([]);
    }
  }
  expect(read("function.log").subarray(before[0]).toString().split("\n").length - 1).toBe(requests);
  const count = secrets.flatMap((some) => Object.keys(some)).length;
  tried(`logs: ${requests} requests; ${searched} characters of ${logs.join(", ")} searched for ${count} secrets`);
}, 120_000);
