// The functions for admins over HTTP (docs/operations.md), with the real supabase-js: who becomes an admin, and which
// keys can be created.
import { randomUUID } from "node:crypto";
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dataOf, newCompany, signUp, type TestCompany } from "../support/companies.ts";
import { sql } from "../support/stack.ts";

let company: TestCompany;
let other: TestCompany;
beforeAll(async () => {
  company = await newCompany("Admins");
  other = await newCompany("Admins elsewhere");
});
afterAll(async () => {
  await company.remove();
  await other.remove();
});

/** A new address at the company's domain. Its account is deleted together with the company. */
const address = () => `${randomUUID()}@${company.domain}`;

async function addMember(to: TestCompany, email: string, role = "employee"): Promise<void> {
  await sql`insert into app.members (company_id, name, email, role) values (${to.id}, 'Someone', ${email}, ${role})`;
}

const link = async (session: SupabaseClient) => dataOf(await session.rpc("link_member"));

test("link_member links a sign-in to the one member with its email address, without case", async () => {
  const email = address();
  await addMember(company, email.toUpperCase(), "admin");
  const session = await signUp(email);
  const linked = { status: "linked", company_name: "Admins", name: "Someone", role: "admin" };
  expect(await link(session)).toEqual(linked);
  expect(await link(session)).toEqual(linked);
});

test("link_member links for good: a new address of the member changes nothing", async () => {
  const email = address();
  await addMember(company, email);
  const session = await signUp(email);
  await link(session);
  await sql`update app.members set email = ${address()} where company_id = ${company.id} and email = ${email}`;
  await addMember(other, email);
  expect(await link(session)).toMatchObject({ status: "linked", company_name: "Admins" });
});

test("link_member says so when there is no member or more than one with the address", async () => {
  const nobody = { company_name: null, name: null, role: null };
  expect(await link(await signUp(address()))).toEqual({ status: "no_member", ...nobody });
  const email = address();
  await addMember(company, email);
  await addMember(other, email);
  expect(await link(await signUp(email))).toEqual({ status: "several_members", ...nobody });
});

test("link_member asks for a confirmed email address", async () => {
  const email = address();
  await addMember(company, email);
  const session = await signUp(email);
  // The local stack confirms a sign-up at once. The hosted service waits until the person follows the link in an email.
  await sql`update auth.users set email_confirmed_at = null where email = ${email}`;
  expect(await link(session)).toMatchObject({ status: "email_not_confirmed" });
  await sql`update auth.users set email_confirmed_at = now() where email = ${email}`;
  expect(await link(session)).toMatchObject({ status: "linked" });
});

test("a key needs a name of 1 to 100 characters, known scopes, each once and at least one, and an expiry in the future", async () => {
  const refused: [hint: string, key: object][] = [
    ["name", { name: "" }],
    ["name", { name: "   " }],
    ["name", { name: "x".repeat(101) }],
    ["name", { name: null }],
    ["scopes", { name: "x", scopes: [] }],
    ["scopes", { name: "x", scopes: null }],
    ["scopes", { name: "x", scopes: ["read:everything"] }],
    ["scopes", { name: "x", scopes: ["read:members", "write:members"] }],
    ["scopes", { name: "x", scopes: ["read:members", "read:members"] }],
    ["scopes", { name: "x", scopes: ["READ:MEMBERS"] }],
    ["expires_at", { name: "x", expires_at: "2020-01-01T00:00:00Z" }],
    ["expires_at", { name: "x", expires_at: new Date().toISOString() }],
    ["expires_at", { name: "x", expires_at: "infinity" }],
  ];
  const keys = () => sql`select from app.api_keys where company_id = ${company.id}`;
  const { length } = await keys();
  for (const [hint, key] of refused) {
    const { data, error, status } = await company.admin.rpc("create_api_key", key);
    expect({ key, data, status, code: error?.code, hint: error?.hint }).toEqual({
      key,
      data: null,
      status: 400,
      code: "PT400",
      hint,
    });
  }
  expect(await keys()).toHaveLength(length);
});

test("a caller can choose neither the key, nor its hash, nor its company", async () => {
  for (const chosen of ["api_key", "key", "key_hash", "hint", "company_id", "created_by", "id", "revoked_at"]) {
    const { data, error } = await company.admin.rpc("create_api_key", { name: "chosen", [chosen]: randomUUID() });
    expect({ chosen, data, code: error?.code }).toEqual({ chosen, data: null, code: "PGRST202" });
  }
  expect(await sql`select from app.api_keys where company_id = ${company.id} and name = 'chosen'`).toHaveLength(0);
});
