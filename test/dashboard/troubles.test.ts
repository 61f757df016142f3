// Problems in daily use: a change by another admin, a lost session, a slow network, no network at all.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { makeKey, signedIn } from "../support/companies.ts";
import { call, sql } from "../support/stack.ts";
import { eventually, newBrowser } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { openPage, signedInBrowser, signedInPage, storageKey, test } from "./scene.ts";
import { chooseIn, copyAndClose, createKey, expectFocus, fillSignIn, openCreateKey, path, row } from "./steps.ts";

const returnToPage = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event("focus")));
const ended = { status: 401, json: { code: "PGRST303", message: "JWT expired", details: null, hint: null } };
const broken = { status: 500, json: { code: "XX000", message: "internals", details: null, hint: null } };

test("two admins at once: a revoke by one is told to the other, who is about to do the same", async ({
  company,
  admin,
}) => {
  await makeKey(await signedIn(admin), "Power BI");
  const ben = await company.addPerson("Ben Osei", "admin");
  const [adaPage, benPage] = [await signedInPage(admin), await signedInPage(ben)];
  for (const page of [adaPage, benPage]) await chooseIn(row(page, "Power BI"), "Revoke");
  await benPage.getByRole("button", { name: "Revoke key" }).click();
  await benPage.getByText("Power BI is revoked").waitFor();
  await adaPage.getByRole("button", { name: "Revoke key" }).click();
  await adaPage.getByText(/Power BI had been revoked before, by Ben Osei on \d+ \w+ \d{4}/).waitFor();
  await row(adaPage, "Power BI").getByText("by Ben Osei").waitFor();
  expect(
    await sql`select from app.api_key_events where company_id = ${company.id} and action = 'revoked'`,
  ).toHaveLength(1);
});

test("the list is up to date when one returns to the page, and an answer that was late does not replace a newer one", async ({
  admin,
}) => {
  const client = await signedIn(admin);
  const page = await signedInPage(admin);
  let release = () => {};
  await page.route(
    "**/rpc/list_api_keys",
    async (route) => {
      const response = await route.fetch();
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  const late = page.waitForResponse("**/rpc/list_api_keys");
  const asked = page.waitForRequest("**/rpc/list_api_keys");
  await returnToPage(page);
  await asked;
  await makeKey(client, "Payroll");
  await returnToPage(page);
  await row(page, "Payroll").waitFor();
  release();
  await (await late).finished();
  // What the page does with the late answer is done before it has read an answer that came after that one.
  await page.evaluate(async () => {
    await (await fetch("/", { cache: "no-store" })).text();
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
  });
  expect(await row(page, "Payroll").count()).toBe(1);
});

test("a session that the service no longer accepts leads to sign-in, and from there back to where the page was", async ({
  company,
  admin,
}) => {
  const page = await openPage(await signedInBrowser(admin), "?view=inactive");
  await page.route("**/rest/v1/rpc/*", (route) => route.fulfill(ended));
  await returnToPage(page);
  await page.getByText("Your session has ended. Sign in again to go on where you were.").waitFor();
  expect(new URL(page.url()).pathname).toBe("/sign-in");
  await expectGoodLooks(page, "session-ended");
  await page.unroute("**/rest/v1/rpc/*");
  await fillSignIn(page, admin);
  await page.getByText("No keys yet").waitFor();
  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe(`${path}?view=inactive`);

  // Gone from the browser's storage: noticed at the next action.
  const dialog = await openCreateKey(page);
  await dialog.getByRole("textbox", { name: "Name" }).fill("Power BI");
  await page.evaluate(() => localStorage.clear());
  await dialog.getByRole("button", { name: "Create key" }).click();
  await page.getByText("Your session has ended").waitFor();
  await fillSignIn(page, admin);
  await page.getByText("No keys yet").waitFor();

  // Ended elsewhere: noticed when the token is to be renewed.
  await sql`delete from auth.sessions where user_id in (select id from auth.users where email like ${`%@${company.domain}`})`;
  await page.evaluate((name) => {
    localStorage.setItem(name, JSON.stringify({ ...JSON.parse(localStorage.getItem(name) ?? ""), expires_at: 1 }));
  }, storageKey);
  await returnToPage(page);
  await page.getByText("Your session has ended").waitFor();
});

test("a new key stays in sight whatever becomes of the session: signed out in another tab, refused, made no admin", async ({
  admin,
}) => {
  const dialogOf = (page: Page) => page.getByRole("dialog", { name: "Key created" });
  const ends: Record<string, (page: Page) => Promise<void>> = {
    "another tab": async (page) => {
      const tab = await openPage(page.context());
      await tab.getByRole("button", { name: "Sign out" }).click();
      await tab.getByLabel("Email").waitFor();
    },
    "nobody's browser": async (page) => {
      await page.evaluate(() => localStorage.clear());
      await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    },
  };
  for (const [how, end] of Object.entries(ends)) {
    const page = await signedInPage(admin);
    const key = await createKey(page, `Kept from ${how}`);
    await dialogOf(page).waitFor();
    const asked: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    await page.route("**/rest/v1/rpc/*", (route) => route.fulfill(ended));
    await returnToPage(page);
    await end(page);
    if (how === "another tab") {
      await page
        .getByRole("alert")
        .getByText("Your session has ended. Copy the key before you sign in again.")
        .waitFor();
      await expectGoodLooks(page, "key-without-session");
    }
    expect(asked.filter((url) => url.includes("/rpc/"))).toEqual([]);
    expect(await dialogOf(page).getByLabel("API key").inputValue()).toBe(key);
    await page.unroute("**/rest/v1/rpc/*");
    await copyAndClose(page);
    if (how === "another tab") await page.getByText("Your session has ended. Sign in again").waitFor();
    await page.context().close();
  }
});

test("on a slow network the page says that it is loading, and a key is created once however often one clicks", async ({
  company,
  admin,
}) => {
  const page = await (await signedInBrowser(admin)).newPage();
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/rpc/link_member", async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(path);
  await page.getByRole("status").getByText("Loading your company's keys").waitFor({ state: "attached" });
  await expectGoodLooks(page, "loading");
  release();

  let create = () => {};
  const creating = new Promise<void>((resolve) => {
    create = resolve;
  });
  await page.route("**/rpc/create_api_key", async (route) => {
    await creating;
    await route.continue();
  });
  const dialog = await openCreateKey(page);
  const button = dialog.getByRole("button", { name: "Create key" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Power BI");
  await button.click();
  await eventually(() => button.isDisabled()).toBe(true);
  await expectGoodLooks(page, "creating");
  await dialog.getByRole("textbox", { name: "Name" }).press("Enter");
  await page.keyboard.press("Escape");
  create();
  await dialog.getByLabel("API key").waitFor();
  expect(await sql`select from app.api_keys where company_id = ${company.id}`).toHaveLength(1);
});

test("an offline moment: what is there stays, says that it may be out of date, and comes back by itself", async ({
  admin,
}) => {
  const { api_key } = await makeKey(await signedIn(admin), "Payroll");
  const browser = await signedInBrowser(admin);
  const page = await openPage(browser);
  await browser.setOffline(true);
  await returnToPage(page);
  await page.getByText("The service cannot be reached. Check your connection, then try again.").waitFor();
  await page.getByText("What you see below may be out of date.").waitFor();
  await expectGoodLooks(page, "offline");

  await chooseIn(row(page, "Payroll"), "Revoke");
  const dialog = page.getByRole("dialog");
  const revoke = dialog.getByRole("button", { name: "Revoke key" });
  await revoke.click();
  await dialog.getByText("The service cannot be reached.").waitFor();
  await expectFocus(page, revoke);
  expect((await call("/members", api_key)).status).toBe(200);

  await browser.setOffline(false);
  await page.getByText("What you see below may be out of date.").waitFor({ state: "hidden" });
  await revoke.click();
  await page.getByText("Payroll is revoked").waitFor();
  expect((await call("/members", api_key)).status).toBe(401);
});

test("a created key whose answer was lost: the page says that it may exist, and lists it", async ({ page }) => {
  await page.route("**/rpc/create_api_key", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  const dialog = await openCreateKey(page);
  await dialog.getByRole("textbox", { name: "Name" }).fill("Lost");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("the key may have been created without being shown").waitFor();
  await expectGoodLooks(page, "lost-answer");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await row(page, "Lost").waitFor();
});

test("signing in and checking a key without a network say that the service cannot be reached", async ({ admin }) => {
  const browser = await newBrowser();
  const page = await browser.newPage();
  await page.goto("/sign-in");
  await browser.setOffline(true);
  await fillSignIn(page, admin);
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

test("a failure on the service's side is told as one, Try again tries again, and the focus stays where one works", async ({
  admin,
}) => {
  const page = await (await signedInBrowser(admin)).newPage();
  await page.route("**/rpc/list_api_keys", (route) => route.fulfill(broken));
  await page.goto(path);
  await page.getByText("Something went wrong on the service's side. Try again in a moment.").waitFor();
  expect(await page.content()).not.toContain("internals");
  await expectGoodLooks(page, "failure");
  const again = page.getByRole("button", { name: "Try again" });
  await again.click();
  await expectFocus(page, again);
  await page.unroute("**/rpc/list_api_keys");
  await again.click();
  await page.getByText("No keys yet").waitFor();
  await expectFocus(page, page.getByRole("heading", { name: "Public API" }));

  await page.route("**/rpc/create_api_key", (route) => route.fulfill(broken));
  const dialog = await openCreateKey(page);
  await dialog.getByRole("textbox", { name: "Name" }).fill("Power BI");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByRole("alert").getByText("Something went wrong").waitFor();
  await expectFocus(page, dialog.getByRole("button", { name: "Create key" }));
});
