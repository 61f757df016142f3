// The page while the browser translates it, and the page when it fails all the same.
import type { BrowserContext, Page } from "playwright-core";
import { expect } from "vitest";
import { makeKey } from "../support/companies.ts";
import { call } from "../support/stack.ts";
import { newPage, shoot, takeTroubles } from "./browser.ts";
import { clipped } from "./looks.ts";
import { openPage, signedInPage, test } from "./scene.ts";
import {
  chooseIn,
  choosePurpose,
  copyAndClose,
  createKey,
  openCreateKey,
  openView,
  path,
  press,
  row,
  says,
} from "./steps.ts";
import { translator } from "./translator.ts";

/** A page that is translated from its first text on. An old text that stays, or a page that goes blank, fails the test. */
async function translated(browser: BrowserContext, query = "") {
  await browser.addInitScript(translator);
  return openPage(browser, query);
}

test("while the browser translates it, every step works and shows what is true", async ({ client, browser }) => {
  const old = await makeKey(client, "Payroll");
  const page = await translated(browser);
  expect(await page.locator("font", { hasText: "Needs attention" }).count()).toBeGreaterThan(0);

  const dialog = await openCreateKey(page);
  await press(dialog, "Create key");
  await says(dialog, "Give the key a name.");
  const expiry = dialog.getByLabel("Expiry");
  for (const [choice, words] of [
    ["30 days", /Works until end of \d+/],
    ["No expiry", "Works until you revoke it."],
    ["On a date …", "Last day"],
    ["90 days", /Works until end of \d+/],
    ["No expiry", "Works until you revoke it."],
  ] as const) {
    await expiry.selectOption(choice);
    await says(dialog, words);
  }
  expect(await dialog.getByText(/Works until end/).count()).toBe(0);
  for (const [purpose, words] of [
    ["Assistant (MCP)", "Tick what the assistant may read"],
    ["Nightly copy", "What the key opens."],
  ] as const) {
    await choosePurpose(dialog, purpose);
    await says(dialog, words);
  }
  await press(dialog, "Cancel");
  await dialog.waitFor({ state: "hidden" });

  const key = await createKey(page, "Power BI");
  await press(dialog, "Done");
  await says(dialog, "is never shown again");
  await press(dialog, "Back to the key");
  await press(dialog, "Check key");
  await says(dialog, "Power BI works: it opens data of Hollis & Rowe.");
  await dialog.getByLabel("Steps for").selectOption("Node");
  await says(dialog, "Waiting for the first request");
  expect((await call("/members", key)).status).toBe(200);
  await says(dialog, /^Works: \d\d:\d\d, GET \/members, from node$/);
  expect(await dialog.getByText("Waiting for").count()).toBe(0);
  await copyAndClose(page);
  await page.getByRole("tab", { name: "Active 2" }).waitFor();

  await chooseIn(row(page, "Payroll"), "Replace");
  const overlap = dialog.getByLabel("Keep the old key working for");
  await overlap.selectOption("Stop it now");
  await says(dialog, "Whatever uses the old key stops working now.");
  await overlap.selectOption("1 hour");
  await says(dialog, "Both keys work meanwhile.");
  await press(dialog, "Replace key");
  await says(dialog, /^The old key sk_live_….{4} works until/);
  await copyAndClose(page);
  await says(page, `replaces ${old.hint}`);
  await page.getByRole("tab", { name: "Active 3" }).waitFor();

  await chooseIn(row(page, "Power BI"), "Rename");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Payroll");
  await says(dialog, "Another key has this name.");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Tableau");
  await press(dialog, "Rename key");
  await says(page, "Power BI is called Tableau now.");
  await chooseIn(row(page, "Tableau"), "Details");
  await says(dialog, "Ada Brandt renamed Power BI to Tableau");
  await press(dialog, "Close");
  await page.getByRole("tab", { name: "History" }).click();
  await says(page, "Ada Brandt renamed Power BI to Tableau");
  await page.getByRole("tab", { name: "Keys" }).click();
  await press(await chooseIn(row(page, "Tableau"), "Revoke"), "Revoke key");
  await says(page, "Tableau is revoked: the API refuses it from now on.");
  await openView(page, "Inactive");
  await page.getByRole("tab", { name: "Inactive 1", selected: true }).waitFor();
  await says(row(page, "Tableau"), "by Ada Brandt");

  const search = page.getByRole("searchbox");
  for (const [text, found] of [
    ["payroll", "Found 2"],
    ["tableau", "Found 1"],
    ["nothing like it", "Found 0"],
  ] as const) {
    await search.fill(text);
    await page.getByRole("tab", { name: found, selected: true }).waitFor();
  }
  await says(page, "No keys match.");

  // Nothing that is copied or compared was handed to the translator.
  expect(await page.locator("font", { hasText: /sk_live_|https?:|read:|@|Ada Brandt|Hollis/ }).count()).toBe(0);
});

test("signing in and asking for a link work while the browser translates", async ({ admin, browser }) => {
  const page = await translated(browser);
  await press(page, "Sign out");
  await page.getByLabel("Email").fill(admin.email);
  await page.getByLabel("Password", { exact: true }).fill("not the password");
  for (const turn of ["the first time", "again"]) {
    await press(page, "Sign in");
    await says(page.getByRole("alert"), "The email address or the password is wrong.");
    expect(await page.getByRole("alert").textContent(), turn).toContain("Check both");
  }
  await page.getByRole("link", { name: "Forgot password?" }).click();
  for (const email of [admin.email, `other.${admin.email}`]) {
    await page.getByLabel("Email").fill(email);
    await press(page, "Send link");
    await says(page.getByRole("status"), `If ${email} has an account`);
  }
});

/** The directions in which code is written. */
const directions = (page: Page) =>
  page
    .locator("pre, code, .method + span")
    .evaluateAll((all) => [...new Set(all.map((each) => getComputedStyle(each).direction))]);

test("code stays left to right on a page that is translated to a language from right to left", async ({
  client,
  admin,
}) => {
  await makeKey(client, "Payroll");
  const page = await newPage();
  for (const at of ["/reference/", "/reference/guides/python/"]) {
    await page.goto(at);
    await page.evaluate(() => document.documentElement.setAttribute("dir", "rtl"));
    expect(await directions(page)).toEqual(["ltr"]);
    expect(await clipped(page)).toEqual([]);
    if (process.env.PICTURES) await shoot(page, `rtl${at.replaceAll("/", "-")}`);
  }
  const keys = await signedInPage(admin);
  await keys.evaluate(() => document.documentElement.setAttribute("dir", "rtl"));
  expect(await directions(keys)).toEqual(["ltr"]);
  expect(await clipped(keys)).toEqual([]);
  if (process.env.PICTURES) await shoot(keys, "rtl-keys");
});

test("a page that fails says so and has a way back", async ({ browser }) => {
  const page = await browser.newPage();
  await page.route("**/rpc/list_api_keys", (route) => route.fulfill({ json: [{ id: "no key" }] }));
  await page.goto(path);
  await says(page.getByRole("alert"), "This page has stopped");
  expect(takeTroubles()).not.toEqual([]);
  await page.unroute("**/rpc/list_api_keys");
  await press(page, "Load the page again");
  await says(page, "No keys yet");
});
