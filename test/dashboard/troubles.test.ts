// Problems in daily use: a company that moves away, a lost session, a slow network, no network at all.
import type { Page, Route } from "playwright-core";
import { expect } from "vitest";
import { makeKey } from "../support/companies.ts";
import { call, sql, stack } from "../support/stack.ts";
import { takeTroubles, translateEachPage } from "./browser.ts";
import { chooseIn, copyAndClose, createKey, filledIn, openCreateKey, row } from "./key_steps.ts";
import { expectGoodLooks, showIn } from "./looks.ts";
import { openPage, signedInPage, storageKey, test } from "./scene.ts";
import { expectFocus, leave, openHistory, openQuickCheck, press, says, signIn } from "./steps.ts";

translateEachPage();

const returnToPage = (page: Page) => page.evaluate(() => window.dispatchEvent(new Event("focus")));
const ended = { status: 401, json: { code: "PGRST303", message: "JWT expired", details: null, hint: null } };
const broken = { status: 500, json: { code: "XX000", message: "internals", details: null, hint: null } };

/** Holds the first answer that matches. `held`: the service has answered; `release` lets the page have the answer. */
async function hold(page: Page, pattern: string): Promise<{ held: Promise<void>; release: () => void }> {
  const [answered, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const answer = async (route: Route): Promise<void> => {
    const response = await route.fetch();
    answered.resolve();
    await released.promise;
    await route.fulfill({ response });
  };
  await page.route(pattern, answer, { times: 1 });
  return { held: answered.promise, release: released.resolve };
}

// Proves: layer.14
test("an admin of a company that has moved sees and changes no key", async ({ company, client, admin }) => {
  await makeKey(client, "Payroll");
  /** As a move sets it (docs/operate/move-a-company.md), or as before the move. */
  const serve = (serving: "open" | "moving" | "readable" | "closed") =>
    sql`update app.companies set serving = ${serving}, move_id = gen_random_uuid() where id = ${company.id}`;
  const stored = () => sql`select name, revoked_at, replaced_by from app.api_keys where company_id = ${company.id}`;
  const before = await stored();
  const page = await signedInPage(admin);
  for (const [serving, button, open] of [
    ["moving", "Create key", () => openCreateKey(page, "New")],
    ["readable", "Revoke key", () => chooseIn(row(page, "Payroll"), "Revoke")],
    ["readable", "Replace key", () => chooseIn(row(page, "Payroll"), "Replace")],
    ["closed", "Rename key", () => chooseIn(row(page, "Payroll"), "Rename")],
  ] as const) {
    await serve("open");
    await page.reload();
    const dialog = await open();
    if (button === "Rename key") await dialog.getByRole("textbox", { name: "Name" }).fill("Wages");
    await serve(serving);
    await press(dialog, button);
    await page.getByRole("heading", { name: "Your company has moved" }).waitFor();
    expect(await stored(), button).toEqual(before);
    const text = await page.getByRole("main").textContent();
    expect(text, serving).toContain("Hollis & Rowe is served at another address, and its keys are managed there.");
    expect(text).toContain("Ask whoever runs the service for the address of this page there.");
    expect(text).not.toContain("Payroll");
    expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
  }
  await page.reload();
  await page.getByRole("heading", { name: "Your company has moved" }).waitFor();
  await expectGoodLooks(page, "moved");
});

test("a late answer does not replace a newer one of the list", async ({ client, page }) => {
  const { held, release } = await hold(page, "**/rpc/list_api_keys");
  const late = page.waitForResponse("**/rpc/list_api_keys");
  await returnToPage(page);
  await held;
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

test("a lost session leads to sign-in, and back to where the page was", async ({ company, admin, browser }) => {
  const page = await openPage(browser, "?view=inactive");
  await page.route("**/rest/v1/rpc/*", (route) => route.fulfill(ended));
  await returnToPage(page);
  await says(page, "Your session has ended. Sign in again to go on where you were.");
  expect(page.url()).toBe(`${stack.dashboard_url}/sign-in`);
  await page.unroute("**/rest/v1/rpc/*");
  await signIn(page, admin);
  await says(page, "No keys yet");
  expect(page.url()).toMatch(/\/integrations\/public-api\?view=inactive$/);

  // Gone from the browser's storage: noticed at the next action.
  const dialog = await openCreateKey(page, "Power BI");
  await page.evaluate(() => localStorage.clear());
  await press(dialog, "Create key");
  await says(page, "Your session has ended");
  await signIn(page, admin);
  await dialog.waitFor();
  expect(await filledIn(dialog)).toEqual(["Power BI", ["read:members", "read:activity"], ""]);
  // Nor is it lost while the page asks for a code.
  await dialog.getByRole("checkbox", { name: "read:members" }).uncheck();
  const wanted = { json: { status: "second_factor_wanted", role: null } };
  await page.route("**/rpc/link_member", (route) => route.fulfill(wanted), { times: 1 });
  await returnToPage(page);
  await says(page, "Enter your code");
  await returnToPage(page);
  await dialog.waitFor();
  expect(await filledIn(dialog)).toEqual(["Power BI", ["read:activity"], ""]);
  // Its token is to be renewed, and Auth does not answer: nobody is signed out, and nothing is sent.
  const expire = () =>
    page.evaluate((name) => {
      localStorage.setItem(name, JSON.stringify({ ...JSON.parse(localStorage.getItem(name) ?? ""), expires_at: 1 }));
    }, storageKey);
  await browser.clock.install();
  await page.route("**/auth/v1/token?*", (route) => route.abort());
  await expire();
  await press(dialog, "Create key");
  await expect
    .poll(() => browser.clock.runFor(10_000).then(() => dialog.getByRole("alert").textContent()))
    .toContain("The service cannot be reached.");
  await page.unroute("**/auth/v1/token?*");
  await leave(dialog);
  await says(page, "No keys yet");

  // Ended elsewhere: noticed when the token is to be renewed.
  await sql`delete from auth.sessions where user_id in (select id from auth.users where email like ${`%@${company.domain}`})`;
  await expire();
  // For a minute, the client of Auth does not ask again.
  await browser.clock.runFor(60_000);
  await returnToPage(page);
  await says(page, "Your session has ended");
});

test("a new key stays in sight whatever becomes of session and role", async ({ admin }) => {
  const setRole = (role: string) => sql`update app.members set role = ${role} where email = ${admin.email}`;
  const refuse = (page: Page) => page.route("**/rest/v1/rpc/*", (route) => route.fulfill(ended));
  const signOutInAnotherTab = async (page: Page) => {
    await press(await openPage(page.context()), "Sign out");
    await says(page.getByRole("alert"), "Your session has ended. Copy the key before you sign in again.");
    await expectGoodLooks(page, "key-without-session");
  };
  for (const [end, then] of [
    [refuse, "Your session has ended. Sign in again"],
    [signOutInAnotherTab, "Your session has ended. Sign in again"],
    [() => setRole("employee"), "Only admins manage API keys"],
  ] as const) {
    await setRole("admin");
    const page = await signedInPage(admin);
    const key = await createKey(page, "Kept");
    const dialog = page.getByRole("dialog", { name: "Key created" });
    await dialog.waitFor();
    const sent: string[] = [];
    page.on("request", (request) => sent.push(request.url()));
    await end(page);
    await returnToPage(page);
    await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
    // Only the wait for the first request asks, until it learns that the session has ended.
    expect(sent.filter((url) => url.includes("/rpc/") && !url.endsWith("/list_api_keys"))).toEqual([]);
    expect(await dialog.getByLabel("API key").inputValue()).toBe(key);
    await copyAndClose(page);
    await says(page, then);
    await page.context().close();
  }
});

test("on a slow network the page says so, and creates a key once", async ({ company, browser }) => {
  const page = await browser.newPage();
  const { release } = await hold(page, "**/rpc/link_member");
  await page.goto("/");
  await page.getByRole("status").getByText("Loading your company's keys").waitFor({ state: "attached" });
  await showIn(page, { reducedMotion: "reduce" });
  const moving = () =>
    document.getAnimations().flatMap(({ effect }) => (effect?.getComputedTiming().activeDuration ? [effect] : []));
  expect(await page.evaluate(moving), "nothing turns or pulses with reduced motion").toEqual([]);
  await expectGoodLooks(page, "loading");
  release();

  const created = await hold(page, "**/rpc/create_api_key");
  const dialog = await openCreateKey(page, "Power BI");
  const button = dialog.getByRole("button", { name: "Create key" });
  await button.click();
  await expect.poll(() => button.isDisabled()).toBe(true);
  await expectGoodLooks(page, "creating");
  await dialog.getByRole("textbox", { name: "Name" }).press("Enter");
  await page.keyboard.press("Escape");
  created.release();
  await dialog.getByLabel("API key").waitFor();
  expect(await sql`select from app.api_keys where company_id = ${company.id}`).toHaveLength(1);
});

test("without a network the page keeps what it has, and says so", async ({ client, admin, browser }) => {
  const { api_key } = await makeKey(client, "Payroll");
  const page = await openPage(browser);
  await browser.setOffline(true);
  await returnToPage(page);
  await says(page, "You are offline, so nothing was sent. Check your connection, then try again.");
  await says(page, "What you see below may be out of date.");
  await expectGoodLooks(page, "offline");
  // Nothing was sent, so no key may exist.
  const creating = await openCreateKey(page, "New");
  await press(creating, "Create key", "You are offline, so nothing was sent.");
  expect(await creating.getByText("may have been created").count()).toBe(0);
  await leave(creating);
  const check = await openQuickCheck(page);
  await check.getByLabel("Key to check").fill(api_key);
  await press(check, "Check key", "The service cannot be reached.");
  await leave(check, "Close");

  const dialog = await chooseIn(row(page, "Payroll"), "Revoke");
  const revoke = dialog.getByRole("button", { name: "Revoke key" });
  await revoke.click();
  await says(dialog, "You are offline, so nothing was sent.");
  await expectFocus(page, revoke);
  expect((await call("/members", api_key)).status).toBe(200);

  await browser.setOffline(false);
  await page.getByText("What you see below may be out of date.").waitFor({ state: "hidden" });
  await revoke.click();
  await says(page, "Payroll is revoked");
  expect((await call("/members", api_key)).status).toBe(401);

  await press(page, "Sign out");
  await page.getByLabel("Email").waitFor();
  await browser.setOffline(true);
  await signIn(page, admin);
  await says(page, "The service cannot be reached.");
});

test("a failure has a message, and the focus stays where one works", async ({ browser }) => {
  const page = await browser.newPage();
  // Even what the page cannot understand leaves a way back.
  await page.route("**/rpc/list_api_keys", (route) => route.fulfill({ json: [{ id: "no key", status: "active" }] }));
  await page.goto("/");
  await says(page.getByRole("alert"), "This page has stopped");
  expect(takeTroubles()).not.toEqual([]);
  await page.route("**/rpc/list_api_keys", (route) => route.fulfill(broken));
  await press(page, "Load the page again", "Something went wrong on the service's side. Try again in a moment.");
  expect(await page.content()).not.toContain("internals");
  await expectGoodLooks(page, "failure");
  const again = page.getByRole("button", { name: "Try again" });
  const failed = page.waitForResponse("**/rpc/list_api_keys");
  await again.click();
  await (await failed).finished();
  await expectFocus(page, again);
  await page.unroute("**/rpc/list_api_keys");
  await again.click();
  await says(page, "No keys yet");
  await expectFocus(page, page.getByRole("heading", { name: "Public API" }));

  await page.route("**/rpc/create_api_key", (route) => route.fulfill(broken), { times: 1 });
  const dialog = await openCreateKey(page, "Lost");
  await press(dialog, "Create key");
  await says(dialog.getByRole("alert"), "Something went wrong");
  await expectFocus(page, dialog.getByRole("button", { name: "Create key" }));
  // Now the key is created, but the answer is lost: the page says that it may exist, and lists it.
  await page.route("**/rpc/create_api_key", async (route) => {
    await route.fetch();
    await route.abort("connectionreset");
  });
  await press(dialog, "Create key", "the key may have been created without being shown");
  await expectGoodLooks(page, "lost-answer");
  await press(dialog, "Cancel");
  await row(page, "Lost").waitFor();
  await page.route("**/rpc/list_api_key_events", (route) => route.fulfill(broken), { times: 1 });
  const history = await openHistory(page);
  await says(history.getByRole("alert"), "Something went wrong");
  await expectGoodLooks(page, "failed-history");
  await press(history, "Try again", "created Lost");
  await page.keyboard.press("Shift+Tab");
  await expectFocus(page, history.getByRole("button", { name: "Download CSV" }));
});
