// What the page cannot do, supabase-js cannot do either: companies are kept apart by the database, over /rest/v1.
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { call, sql, stack } from "../api/stack.ts";
import { newPage } from "./browser.ts";
import { makeKey, newClient, type Person, signedIn, TestCompany } from "./company.ts";
import { row, signIn } from "./steps.ts";

let ours: TestCompany;
let theirs: TestCompany;
let admin: Person;
let key: { id: string; api_key: string };
/** An admin of the other company, a plain member of ours, and somebody who is not signed in. */
let strangers: Record<string, SupabaseClient>;

beforeAll(async () => {
  ours = await TestCompany.create("Ours");
  theirs = await TestCompany.create("Theirs");
  admin = await ours.addPerson("Ada Brandt", "admin");
  key = await makeKey(await signedIn(admin), "Ours alone");
  strangers = {
    "another company's admin": await signedIn(await theirs.addPerson("Theo Rival", "admin")),
    "a plain member": await signedIn(await ours.addPerson("Emil Plain", "employee")),
    nobody: newClient(),
  };
});
afterAll(async () => {
  await ours.remove();
  await theirs.remove();
});

test("strangers see none of a company's keys and none of its history", async () => {
  for (const [who, client] of Object.entries(strangers)) {
    for (const list of ["list_api_keys", "list_api_key_events"]) {
      const { data } = await client.rpc(list);
      expect(JSON.stringify(data ?? []), `${list} by ${who}`).toBe("[]");
    }
  }
  const { data } = await (await signedIn(admin)).rpc("list_api_keys");
  expect(data).toMatchObject([{ name: "Ours alone", status: "active" }]);
});

test("strangers cannot revoke a company's key: it goes on working", async () => {
  for (const [who, client] of Object.entries(strangers)) {
    const { error } = await client.rpc("revoke_api_key", { key_id: key.id });
    expect(error?.code, who).toBe(who === "nobody" ? "42501" : "PT404");
  }
  expect((await call("/members", key.api_key)).status).toBe(200);
});

test("who is not an admin creates no key; an admin's key opens only their own company", async () => {
  for (const who of ["a plain member", "nobody"]) {
    const { error } = (await strangers[who]?.rpc("create_api_key", { name: "Mine" })) ?? {};
    expect(error?.code, who).toBe(who === "nobody" ? "42501" : "PT403");
  }
  const rival = strangers["another company's admin"];
  const made = await makeKey(rival as SupabaseClient, "Theirs");
  const rows: { email: string }[] = await (await call("/members", made.api_key)).json();
  expect(rows.map(({ email }) => email)).toEqual([theirs.emailOf("Theo Rival")]);
});

test("over /rest/v1 no table is there to read or write: neither keys, nor hashes, nor the history", async () => {
  const all = {
    ...strangers,
    "the company's own admin": await signedIn(admin),
    "the secret key": newClient(stack.secret_key),
  };
  for (const [who, client] of Object.entries(all)) {
    for (const table of ["api_keys", "api_key_events", "api_key_uses", "members", "member_accounts"]) {
      for (const from of [client.from(table), client.schema("app" as "public").from(table)]) {
        const read = await from.select("*");
        expect(read.data, `${table} read by ${who}`).toBeNull();
        const deleted = await from.delete().eq("company_id", ours.id);
        expect(deleted.error, `${table} deleted by ${who}`).not.toBeNull();
        const written = await from.update({ name: "taken over" }).eq("company_id", ours.id);
        expect(written.error, `${table} written by ${who}`).not.toBeNull();
      }
    }
  }
  expect(await sql`select name from app.api_keys where company_id = ${ours.id}`).toEqual([{ name: "Ours alone" }]);
});

test("the page of an admin shows only their own company's keys", async () => {
  const page = await newPage();
  await signIn(page, admin);
  await row(page, "Ours alone").waitFor();
  expect(await page.getByRole("row").count()).toBe(2);
});
