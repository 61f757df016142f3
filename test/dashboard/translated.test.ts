// The page in a language that is written from right to left, and the page when it fails all the same. Most files here use
// it while the browser translates it (translateEachPage in browser.ts).
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { makeKey } from "../support/companies.ts";
import { newPage, shoot, takeTroubles } from "./browser.ts";
import { clipped } from "./looks.ts";
import { signedInPage, test } from "./scene.ts";
import { path, press, says } from "./steps.ts";

/** The directions in which code is written. */
const directions = (page: Page) =>
  page
    .locator("pre, code, .method + span")
    .evaluateAll((all) => [...new Set(all.map((each) => getComputedStyle(each).direction))]);

test("code stays left to right on a page translated to a language from right to left", async ({ client, admin }) => {
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
