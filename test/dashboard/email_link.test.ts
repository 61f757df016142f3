// Tokens in the page's address: only an invitation and "Forgot password?" sign a person in, and never without a question
// that names the account.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Company, client, emptyCompany, type Person } from "../support/companies.ts";
import { sql, stack } from "../support/stack.ts";
import { newPage } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { signedInPage } from "./scene.ts";
import { fillSignIn, openLink, path } from "./steps.ts";

let company: Company;
let rival: Company;
let admin: Person;
let stranger: Person;
beforeAll(async () => {
  company = await emptyCompany("Cedar Works");
  rival = await emptyCompany("Rival & Co");
  admin = await company.addPerson("Ada Brandt", "admin");
  stranger = await rival.addPerson("Theo Rival", "admin");
});
afterAll(async () => {
  await company.remove();
  await rival.remove();
});

/** A link with the tokens of a new session, as Auth builds it. */
async function linkOf({ email, password }: Person, type: string, at = "/"): Promise<string> {
  const { data, error } = await client().auth.signInWithPassword({ email, password });
  if (error) throw error;
  const { access_token, refresh_token } = data.session;
  const fragment = new URLSearchParams({ access_token, refresh_token, type, expires_in: "3600", token_type: "bearer" });
  return `${stack.dashboard_url}${at}#${fragment}`;
}

const whoIsSignedIn = (page: Page) =>
  page.evaluate(() => Object.values(localStorage).map((stored) => JSON.parse(stored).user.email));

// Proves: layer.13
test("a link of any other type signs nobody in, and ends nobody's session", async () => {
  const page = await newPage();
  for (const type of ["magiclink", "signup", "email_change", ""]) {
    await page.goto(await linkOf(stranger, type, path));
    await page.getByText("That link signs nobody in").waitFor();
    expect(page.url()).toBe(`${stack.dashboard_url}/sign-in`);
    expect(await whoIsSignedIn(page)).toEqual([]);
  }
  await expectGoodLooks(page, "refused-link");
  await fillSignIn(page, admin);
  await page.getByText("No keys yet").waitFor();

  // First a blank page. Otherwise only the fragment of the address changes, and the page is not loaded again.
  await page.goto("about:blank");
  await page.goto(await linkOf(stranger, "magiclink", path));
  await page.getByRole("banner").getByText("Cedar Works").waitFor();
  expect(await whoIsSignedIn(page)).toEqual([admin.email]);
  expect(page.url()).toBe(stack.dashboard_url + path);
});

// Proves: layer.13
test("a link names its account and signs in only whoever continues: signed out, signed in as another, or as the same", async () => {
  const page = await newPage();
  for (const [who, replaced, decline, stays] of [
    [null, "", "This is not my account", "/sign-in"],
    [admin, ` and signs ${admin.email} out`, "Stay signed in", path],
    [stranger, "", "Stay signed in", path],
  ] as const) {
    const signedIn = who === null ? [] : [who.email];
    if (who) {
      await page.goto(path);
      await fillSignIn(page, who);
      await page.getByRole("button", { name: "Create key" }).waitFor();
    }
    const link = await linkOf(stranger, "recovery");
    await page.goto("about:blank");
    await page.goto(link);
    await page
      .getByText(`This link signs you in as ${stranger.email}${replaced}. Continue only if this is your`)
      .waitFor();
    if (who === admin) await expectGoodLooks(page, "other-persons-link");
    expect(await whoIsSignedIn(page)).toEqual(signedIn);
    await page.getByRole("button", { name: decline }).click();
    await page.waitForURL(stack.dashboard_url + stays);
    expect(await whoIsSignedIn(page)).toEqual(signedIn);

    await page.goto("about:blank");
    await openLink(page, link);
    await page.getByLabel("New password").waitFor();
    expect(await whoIsSignedIn(page)).toEqual([stranger.email]);
    expect(page.url()).toBe(`${stack.dashboard_url}/set-password`);
    await page.goto(path);
    await page.getByRole("banner").getByText("Rival & Co").waitFor();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByLabel("Email").waitFor();
  }
});

test("a page that another tab takes over shows nothing of the company before, also while nothing new has come", async () => {
  const page = await signedInPage(admin);
  await page.route("**/rpc/link_member", () => {});
  const tab = await page.context().newPage();
  await openLink(tab, await linkOf(stranger, "recovery"));
  await tab.getByLabel("New password").waitFor();
  await page.getByRole("banner").getByText(stranger.email).waitFor();
  expect(await page.content()).not.toContain("Cedar Works");
  await page.unrouteAll({ behavior: "ignoreErrors" });
});

test("a dead link says so, and ends no session", async () => {
  const page = await signedInPage(admin);
  const dead = await linkOf(stranger, "invite");
  await sql`delete from auth.sessions where user_id = (select id from auth.users where email = ${stranger.email})`;
  for (const link of [dead, `${stack.dashboard_url}/#access_token=junk&refresh_token=junk&type=recovery`]) {
    await page.goto("about:blank");
    await page.goto(link);
    await page.getByText("This link has expired or was used before.").waitFor();
    expect(await whoIsSignedIn(page)).toEqual([admin.email]);
  }
});

test("without a network a link waits for the next try", async () => {
  const page = await newPage();
  await page.route("**/auth/v1/user", (route) => route.abort());
  await page.goto(await linkOf(admin, "invite"));
  await page.getByText("The service cannot be reached.").waitFor();
  await page.unroute("**/auth/v1/user");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByLabel("New password").waitFor();
});
