// What is left of a key that has just been made: nothing that could be read back.
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { newCompany } from "../api/companies.ts";
import { connectAs } from "./actors.ts";

test("a key that has been made stands in no setting of its connection once its transaction is over", async () => {
  const company = await newCompany("New keys");
  const { db } = await connectAs("admin", company.admin);
  const name = randomUUID();
  const [made] = await db<{ key: string }[]>`select public.create_api_key(${name}) ->> 'api_key' as key`;
  expect(made?.key).toMatch(/^sk_live_/);
  const [left] = await db`select coalesce(current_setting('app.new_api_key', true), '') as key`;
  expect(left).toEqual({ key: "" });
  await db.end();
  await company.remove();
});
