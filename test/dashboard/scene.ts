// What most tests of the page start with: a new company, its admin, and the page after this admin has signed in.
import type { BrowserContextOptions, Page } from "playwright-core";
import { test as base } from "vitest";
import { type Company, emptyCompany, type Person } from "../support/companies.ts";
import { sql } from "../support/stack.ts";
import { newPage } from "./browser.ts";
import { signIn } from "./steps.ts";

/** A new browser in which this person has signed in and sees the keys. */
export async function signedInPage(person: Person, options?: BrowserContextOptions): Promise<Page> {
  const page = await newPage(options);
  await signIn(page, person);
  return page;
}

export const test = base
  .extend("companyName", "Hollis & Rowe")
  .extend("company", async ({ companyName }, { onCleanup }) => {
    const company = await emptyCompany(companyName);
    onCleanup(() => company.remove());
    return company;
  })
  .extend("admin", ({ company }) => company.addPerson("Ada Brandt", "admin"))
  .extend("page", ({ admin }) => signedInPage(admin));

/** Sets columns of a key that otherwise only change over time. A trigger forbids this, so triggers are off here. */
export async function setKey(
  { id }: Company,
  name: string,
  change: { created_at?: string; expires_at?: string; revoked_at?: null },
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_keys set ${tx(change)} where company_id = ${id} and name = ${name}`;
  });
}
