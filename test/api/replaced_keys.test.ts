// A replaced key and its successor, over HTTP.
import type { SupabaseClient } from "@supabase/supabase-js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeKey, newCompany, type TestCompany } from "../support/companies.ts";
import { call, expectError, invalidKey, sql } from "../support/stack.ts";

let company: TestCompany;
let admin: SupabaseClient;
beforeAll(async () => {
  company = await newCompany("Replacing");
  admin = company.admin;
});
afterAll(() => company.remove());

async function replace(key_id: string, overlap: string): Promise<{ api_key: string; name: string }> {
  const { data, error } = await admin.rpc("replace_api_key", { key_id, overlap, expires_at: null });
  if (error) throw error;
  return data;
}

test("a replaced key and its successor both work until the overlap is over", async () => {
  const old = await makeKey(admin, "Payroll");
  const successor = await replace(old.id, "1 hour");
  expect(successor.name).toBe("Payroll");
  for (const key of [old.api_key, successor.api_key]) expect((await call("/members", key)).status).toBe(200);

  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_keys set expires_at = expires_at - interval '1 hour' where id = ${old.id}`;
  });
  await expectError(await call("/members", old.api_key), 401, invalidKey);
  expect((await call("/members", successor.api_key)).status).toBe(200);
});

test("with no overlap the old key gets 401 at once", async () => {
  const old = await makeKey(admin, "Leaked");
  const successor = await replace(old.id, "0");
  await expectError(await call("/members", old.api_key), 401, invalidKey);
  expect((await call("/members", successor.api_key)).status).toBe(200);
});

test("of two replacements at once one is made, the other is told so", async () => {
  const old = await makeKey(admin, "Twice");
  const answers = await Promise.all(
    [1, 2].map(() => admin.rpc("replace_api_key", { key_id: old.id, overlap: "24 hours", expires_at: null })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  expect(await sql`select from app.api_keys where company_id = ${company.id} and name = 'Twice'`).toHaveLength(2);
});
