// No copy of a new key remains that could be read later.
import { randomUUID } from "node:crypto";
import postgres from "postgres";
import { expect, test } from "vitest";
import { newCompany } from "../support/companies.ts";
import { stack } from "../support/stack.ts";

test("a key that has been made stands in no setting of its connection once its transaction is over", async () => {
  const company = await newCompany("New keys");
  const { data } = await company.admin.auth.getUser();
  // A connection as the Data API has it for a signed-in person.
  const db = postgres(stack.superuser_url, { max: 1, onnotice: () => {} });
  await db`set session authorization authenticator`;
  await db`set role authenticated`;
  await db`select set_config('request.jwt.claims', ${JSON.stringify({ sub: data.user?.id })}, false)`;
  const name = randomUUID();
  const [made] = await db<{ key: string }[]>`select public.create_api_key(${name}) ->> 'api_key' as key`;
  expect(made?.key).toMatch(/^sk_live_/);
  const [left] = await db`select coalesce(current_setting('app.new_api_key', true), '') as key`;
  expect(left).toEqual({ key: "" });
  await db.end();
  await company.remove();
});
