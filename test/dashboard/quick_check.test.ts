// Quick check: the page tries a pasted key with the real API, and leaves no trace of it.
import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { version } from "../../functions/public-api/table/endpoints.ts";
import { makeKey, signedIn } from "../support/companies.ts";
import { stack } from "../support/stack.ts";
import { translateEachPage } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { setKey, signedInPage, test } from "./scene.ts";
import { openQuickCheck, press, says } from "./steps.ts";

translateEachPage();

async function check(dialog: Locator, pasted: string): Promise<void> {
  await dialog.getByLabel("Key to check").fill(pasted);
  await press(dialog, "Check key");
}

test("a pasted key goes to the base address, and into no storage or field", async ({ client, admin }) => {
  const { api_key } = await makeKey(client, "Payroll");
  const page = await signedInPage(admin);
  const dialog = await openQuickCheck(page);
  for (const text of [
    `  ${api_key} `,
    `bearer  ${api_key}\t`,
    `Authorization: Bearer ${api_key}`,
    `X-API-Key: ${api_key}`,
    `${api_key.slice(0, 20)} ${api_key.slice(20)}`,
  ]) {
    const requested = page.waitForRequest((request) => request.url() === stack.api_url && request.method() === "GET");
    await check(dialog, text);
    expect((await requested).headers()["x-api-key"], text).toBe(api_key);
    await says(page, "Payroll works: it opens data of Hollis & Rowe.");
  }
  await expectGoodLooks(page, "quick-check");
  expect(await page.getByLabel("Key to check").inputValue()).toBe("");
  expect(await page.content()).not.toContain(api_key);
  const stored = () => JSON.stringify({ ...localStorage, ...sessionStorage, ...history.state }) + document.cookie;
  expect(await page.evaluate(stored)).not.toContain("sk_live_");
  expect(await page.evaluate(async () => [await indexedDB.databases(), await caches.keys()])).toEqual([[], []]);

  // An answer that is none is not taken for a good key.
  const good = { version, company_name: "Hollis & Rowe", key_name: "Payroll", scopes: [], endpoints: [] };
  for (const status of [500, 503, 429, 204]) {
    await page.route(stack.api_url, (route) => route.fulfill({ status, ...(status === 204 ? {} : { json: good }) }));
    await check(dialog, api_key);
    await says(dialog.getByRole("alert"), "The API did not answer as it should.");
    expect(await page.getByText("Payroll works").count(), String(status)).toBe(0);
    await page.unroute(stack.api_url);
  }
});

test("a refused key is explained; one that is in the list is named", async ({ company, client, admin }) => {
  const ben = await signedIn(await company.addPerson("Ben Osei", "admin"));
  const revoked = await makeKey(client, "نظام الرواتب");
  const expired = await makeKey(client, "Audit");
  const mistyped = (await makeKey(client, "Power BI")).api_key.replace(/(?<=_live_0*)[^0]/, "0");
  const page = await signedInPage(admin);
  // The page does not know of this revoke: it learns of it when the key is refused.
  await ben.rpc("revoke_api_key", { key_id: revoked.id });
  await setKey(company, "Audit", { expires_at: "2026-06-30T22:00Z" });

  // From the errors of the reference.
  await page.goto("/reference/guides/api/");
  await page.getByRole("link", { name: "check it" }).click();
  const dialog = page.getByRole("dialog", { name: "Quick check" });
  const alert = dialog.getByRole("alert");
  const notWhole = "This is not a whole key: a key is sk_live_ followed by 38 letters and digits.";
  for (const [key, words] of [
    ["sk_live_mistyped", notWhole],
    [`sk_live_${"x".repeat(38)}é`, notWhole],
    [`sk_live_${"x".repeat(38)}`, "This key does not work: it is mistyped, revoked or expired."],
    [
      expired.api_key,
      /It ends like Audit sk_live_….{4}\. It expired: it worked until end of 30 Jun 2026 \(Berlin\stime\)\./,
    ],
    [mistyped, /like Power BI sk_live_….{4}\. That one works, so the pasted text differs/],
    [revoked.api_key, /It ends like نظام الرواتب sk_live_….{4}\. Ben Osei revoked it on \d+ \w+ \d{4}, \d/],
  ] as const) {
    await check(dialog, key);
    await says(alert, words);
    if (key === revoked.api_key) break;
    await page.getByLabel("Key to check").press("y");
    await alert.waitFor({ state: "hidden" });
  }
  expect(await alert.locator("bdi").allTextContents()).toEqual(["نظام الرواتب", "Ben Osei"]);
  await expectGoodLooks(page, "refused-key");
  await alert.getByRole("button").click();
  await says(page.getByRole("dialog", { name: "نظام الرواتب" }), "Ben Osei revoked");
});
