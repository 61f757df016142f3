// Problems in daily use: a change by another admin, a lost session, a slow network, no network at all.
import { beforeEach, expect, test } from "vitest";
import { type Company, emptyCompany, makeKey, type Person, signedIn } from "../support/companies.ts";
import { call, sql } from "../support/stack.ts";
import { eventually, newBrowser, newPage } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { copyAndClose, createKey, fillSignIn, path, row, signIn } from "./steps.ts";

let company: Company;
let ada: Person;
let ben: Person;
beforeEach(async () => {
  company = await emptyCompany("Hollis & Rowe");
  ada = await company.addPerson("Ada Brandt", "admin");
  ben = await company.addPerson("Ben Osei", "admin");
  return () => company.remove();
});

test("two admins at once: a revoke by one is told to the other, who is about to do the same", async () => {
  const [adaPage, benPage] = [await newPage(), await newPage()];
  await signIn(adaPage, ada);
  await createKey(adaPage, "Power BI");
  await copyAndClose(adaPage);
  await signIn(benPage, ben);
  await row(benPage, "Power BI").getByText("by Ada Brandt").waitFor();
  for (const page of [adaPage, benPage]) await row(page, "Power BI").getByRole("button", { name: "Revoke" }).click();

  await benPage.getByRole("button", { name: "Revoke key" }).click();
  await benPage.getByText("Power BI is revoked").waitFor();
  await adaPage.getByRole("button", { name: "Revoke key" }).click();
  await adaPage.getByText(/Power BI had been revoked before, by Ben Osei on \d+ \w+ \d{4}/).waitFor();
  await row(adaPage, "Power BI").getByText("by Ben Osei").waitFor();
  expect(
    await sql`select from app.api_key_events where company_id = ${company.id} and action = 'revoked'`,
  ).toHaveLength(1);
});

test("two admins at once: the list is up to date again when one returns to the page", async () => {
  const [adaPage, benPage] = [await newPage(), await newPage()];
  await signIn(adaPage, ada);
  await signIn(benPage, ben);
  await createKey(adaPage, "Payroll");
  await benPage.evaluate(() => window.dispatchEvent(new Event("focus")));
  await row(benPage, "Payroll").getByText("by Ada Brandt").waitFor();
});

test("a session that the service no longer accepts leads to sign-in, and from there back to the page", async () => {
  const page = await newPage();
  await signIn(page, ada);
  await page.route("**/rest/v1/rpc/*", (route) =>
    route.fulfill({ status: 401, json: { code: "PGRST303", message: "JWT expired", details: null, hint: null } }),
  );
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.getByText("Your session has ended. Sign in again to go on where you were.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/sign-in");
  await expectGoodLooks(page, "session-ended");
  await page.unroute("**/rest/v1/rpc/*");
  await fillSignIn(page, ada);
  await page.getByRole("button", { name: "Create key" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
});

test("a session that is gone from the browser's storage is noticed at the next action", async () => {
  const page = await newPage();
  await signIn(page, ada);
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Power BI");
  await page.evaluate(() => localStorage.clear());
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByText("Your session has ended").waitFor();
  await fillSignIn(page, ada);
  await page.getByText("No keys yet").waitFor();
});

test("a session that was ended elsewhere ends here when its token is to be renewed", async () => {
  const browser = await newBrowser();
  const page = await browser.newPage();
  await signIn(page, ada);
  await sql`delete from auth.sessions where user_id = (select id from auth.users where email = ${ada.email})`;
  await page.evaluate(() => {
    for (const [name, value] of Object.entries(localStorage)) {
      localStorage.setItem(name, JSON.stringify({ ...JSON.parse(value), expires_at: 1 }));
    }
  });
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.getByText("Your session has ended").waitFor();
});

test("on a slow network the page says that it is loading, and a key is created once however often one clicks", async () => {
  const page = await newPage();
  const waiting = new Map<string, (() => void)[]>();
  const open = new Set<string>();
  await page.goto("/sign-in");
  await page.route("**/rest/v1/rpc/*", async (route) => {
    const name = route.request().url().split("/").at(-1) ?? "";
    if (!open.has(name)) {
      await new Promise<void>((answer) => waiting.set(name, [...(waiting.get(name) ?? []), answer]));
    }
    await route.continue();
  });
  // A page asks again whenever it gets the focus, so a request that was let through once is not held again.
  const letThrough = async (...names: string[]) => {
    await eventually(() => names.filter((name) => !waiting.has(name))).toEqual([]);
    for (const name of names) {
      open.add(name);
      for (const answer of waiting.get(name) ?? []) answer();
    }
  };
  await fillSignIn(page, ada);
  await page.getByRole("status").getByText("Loading your company's keys").waitFor({ state: "attached" });
  await expectGoodLooks(page, "loading");
  await letThrough("link_member");
  await letThrough("list_api_key_events", "list_api_keys");

  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Power BI");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const button = dialog.getByRole("button", { name: "Create key" });
  await eventually(() => button.isDisabled()).toBe(true);
  await expectGoodLooks(page, "creating");
  await dialog.getByRole("textbox", { name: "Name" }).press("Enter");
  await page.keyboard.press("Escape");
  await letThrough("create_api_key");
  await dialog.getByLabel("API key").waitFor();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  expect(await sql`select from app.api_keys where company_id = ${company.id}`).toHaveLength(1);
});

test("an offline moment: what is there stays, says that it may be out of date, and comes back by itself", async () => {
  const { api_key } = await makeKey(await signedIn(ben), "Payroll");
  const browser = await newBrowser();
  const page = await browser.newPage();
  await signIn(page, ada);
  await browser.setOffline(true);

  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.getByText("The service cannot be reached. Check your connection, then try again.").waitFor();
  await page.getByText("What you see below may be out of date.").waitFor();
  await row(page, "Payroll").waitFor();
  await expectGoodLooks(page, "offline");

  await row(page, "Payroll").getByRole("button", { name: "Revoke" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await dialog.getByText("The service cannot be reached.").waitFor();
  await expectGoodLooks(page, "revoke-key-offline");
  expect((await call("/members", api_key)).status).toBe(200);

  await browser.setOffline(false);
  await page.getByText("What you see below may be out of date.").waitFor({ state: "hidden" });
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("Payroll is revoked").waitFor();
  expect((await call("/members", api_key)).status).toBe(401);
});

test("a created key whose answer was lost: the page says that it may exist, and lists it", async () => {
  const page = await newPage();
  await signIn(page, ada);
  await page.route("**/rpc/create_api_key", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Lost");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("the key may have been created without being shown").waitFor();
  await expectGoodLooks(page, "lost-answer");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await row(page, "Lost").getByRole("button", { name: "Revoke" }).waitFor();
});

test("signing in and checking a key without a network say that the service cannot be reached", async () => {
  const browser = await newBrowser();
  const page = await browser.newPage();
  await page.goto("/sign-in");
  await browser.setOffline(true);
  await fillSignIn(page, ada);
  await page.getByText("The service cannot be reached.").waitFor();
  await browser.setOffline(false);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("No keys yet").waitFor();

  await browser.setOffline(true);
  await page.getByLabel("Key to check").fill(`sk_live_${"x".repeat(38)}`);
  await page.getByRole("button", { name: "Check key" }).click();
  await page.getByRole("region", { name: "Quick check" }).getByText("The service cannot be reached.").waitFor();
  await browser.setOffline(false);
});

test("a failure on the service's side is told as one, and Try again tries again", async () => {
  const page = await newPage();
  await page.route("**/rpc/list_api_keys", (route) =>
    route.fulfill({
      status: 500,
      json: { code: "XX000", message: "internals that concern nobody", details: null, hint: null },
    }),
  );
  await page.goto(path);
  await fillSignIn(page, ada);
  await page.getByText("Something went wrong on the service's side. Try again in a moment.").waitFor();
  expect(await page.content()).not.toContain("internals");
  await expectGoodLooks(page, "failure");
  await page.unroute("**/rpc/list_api_keys");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("No keys yet").waitFor();
});
