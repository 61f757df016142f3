// What most tests of the page start with: a new company, its admin, and the page as this admin sees it.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Session } from "@supabase/supabase-js";
import type { BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { test as base, expect } from "vitest";
import type { Mail } from "../../scripts/stack/mail.ts";
import { type Company, client, emptyCompany, type Person, signedIn } from "../support/companies.ts";
import { sql, stack } from "../support/stack.ts";
import { newBrowser } from "./browser.ts";
import { path } from "./steps.ts";

/** Where supabase-js stores the session in the browser. */
export const storageKey = `sb-${new URL(stack.supabase_url).hostname.split(".")[0]}-auth-token`;

/** A new session of this person. */
export async function sessionOf({ email, password }: Person): Promise<Session> {
  const { data, error } = await client().auth.signInWithPassword({ email, password });
  if (error) throw error;
  return data.session;
}

/** A new browser that has a session of this person, as after signing in. */
export async function signedInBrowser(person: Person, options?: BrowserContextOptions): Promise<BrowserContext> {
  const localStorage = [{ name: storageKey, value: JSON.stringify(await sessionOf(person)) }];
  const origins = [{ origin: stack.dashboard_url, localStorage }];
  return newBrowser({ ...options, storageState: { cookies: [], origins } });
}

/** Opens the page in a browser with a session, and waits until it is loaded. */
export async function openPage(browser: BrowserContext, query = ""): Promise<Page> {
  const page = await browser.newPage();
  await page.goto(path + query);
  await page.getByRole("tab", { name: "History" }).waitFor();
  return page;
}

/** The page as this person sees it. */
export const signedInPage = async (person: Person, options?: BrowserContextOptions): Promise<Page> =>
  openPage(await signedInBrowser(person, options));

export const test = base
  .extend("companyName", "Hollis & Rowe")
  .extend("company", async ({ companyName }, { onCleanup }) => {
    const company = await emptyCompany(companyName);
    onCleanup(() => company.remove());
    return company;
  })
  .extend("admin", ({ company }) => company.addPerson("Ada Brandt", "admin"))
  .extend("client", ({ admin }) => signedIn(admin))
  .extend("browser", ({ admin }) => signedInBrowser(admin))
  .extend("page", ({ browser }) => openPage(browser));

/** Sets columns of a key that otherwise only change over time. A trigger forbids this, so triggers are off here. */
export async function setKey({ id }: Company, name: string, change: Record<string, string | null>): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_keys set ${tx(change)} where company_id = ${id} and name = ${name}`;
  });
}

/** Sets when a key was last used. */
export const setLastUse = ({ id }: Company, name: string, at: string) =>
  sql`update app.api_key_uses set last_used_at = ${at} where company_id = ${id}
    and key_id in (select k.id from app.api_keys as k where k.company_id = ${id} and k.name = ${name})`;

/** Creates keys `System 1` (the oldest) to `System <count>` at once, as this admin. Every fourth one is revoked. */
export async function makeKeys({ id }: Company, { email }: Person, count: number): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`select set_config('request.jwt.claims', json_build_object('sub', id)::text, true) from auth.users where email = ${email}`;
    await tx`set local role authenticated`;
    await tx`select public.link_member()`;
    await tx`
      select case when n % 4 = 0 then public.revoke_api_key((made ->> 'id')::uuid) end
      from generate_series(1, ${count}::int) as n,
        public.create_api_key('System ' || n, case n % 3 when 0 then '{read:members,read:activity}'
          when 1 then '{read:analytics}' else '{read:rewards,write:rewards}' end::text[]) as made`;
    await tx`set local role none`;
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_keys set created_at = created_at + substr(name, 8)::int * interval '1 ms' where company_id = ${id} and name like 'System %'`;
  });
}

/** The emails that the stack has captured. */
export const mailbox = `${dirname(process.env.STACK_FILE ?? "")}/mails.jsonl`;

/** The emails to an address. */
export const mailsTo = (address: string): Mail[] =>
  readFileSync(mailbox, "utf8")
    .split("\n")
    .flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Mail]))
    .filter(({ to }) => to === address);

/** Waits until this address has received `count` emails, and returns the link of the newest one. */
export async function linkMailedTo(address: string, count = 1): Promise<string> {
  await expect.poll(() => mailsTo(address).length).toBe(count);
  return /href="([^"]+)"/.exec(mailsTo(address).at(-1)?.html ?? "")?.[1] ?? "";
}
