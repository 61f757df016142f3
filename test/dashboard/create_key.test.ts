// Create key: what the dialog makes and refuses, when a key expires, and that nobody loses the key by accident.
import { expect } from "vitest";
import { makeKey } from "../support/companies.ts";
import { call, sql, stack } from "../support/stack.ts";
import { translateEachPage } from "./browser.ts";
import { copy, copyAndClose, createKey, filledIn, openCreateKey, row } from "./key_steps.ts";
import { expectGoodLooks } from "./looks.ts";
import { signedInPage, test } from "./scene.ts";
import { clipboard, expectFocus, isOnTop, leave, openHistory, press, says } from "./steps.ts";

translateEachPage();

// Proves: key.1, states.1, authentication.1, authentication.8
test("Create key shows the key once; it works with exactly the ticked scopes", async ({ page }) => {
  await says(page, "A key lets one other system");
  await expectGoodLooks(page, "no-keys");
  await press(page, "Copy base address", "Copied");
  expect(await clipboard(page)).toBe(stack.api_url);
  const dialog = await openCreateKey(page, "Power BI");
  expect(await filledIn(dialog)).toEqual(["Power BI", ["read:members", "read:activity"], ""]);
  expect(await dialog.getByRole("checkbox").count()).toBe(5);
  await says(dialog, "names, email addresses", "No expiry: it works until you revoke it.");
  await expectGoodLooks(page, "create-key");
  // Nobody has to scroll to see that there is none, and to change it.
  await page.setViewportSize({ width: 1280, height: 800 });
  const remedy = dialog.getByRole("button", { name: "End it after 365 days" });
  expect(await remedy.evaluate(isOnTop)).toBe(true);
  await remedy.click();
  await says(dialog, "Works until end of");
  await dialog.getByLabel("Expiry").selectOption("No expiry");

  await dialog.getByRole("checkbox", { name: "read:activity" }).uncheck();
  await dialog.getByRole("checkbox", { name: "read:analytics" }).check();
  await press(dialog, "Create key");
  const key = await dialog.getByLabel("API key").inputValue();
  expect(key).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
  await says(dialog, "shown only this once");
  await expectGoodLooks(page, "new-key");
  await copy(page);
  expect(await clipboard(page)).toBe(key);
  // On a low screen, pressing a button of the bar scrolls nothing, and the key and what it opens are in sight together. With
  // the mouse itself: a click of Playwright scrolls first.
  await page.setViewportSize({ width: 390, height: 600 });
  await dialog.evaluate((content) => content.scrollTo(0, 0));
  const { x, y } = (await dialog.getByRole("button", { name: "Check key" }).boundingBox()) ?? { x: 0, y: 0 };
  await page.mouse.move(x + 5, y + 5);
  await page.mouse.down();
  expect(await dialog.evaluate((content) => content.scrollTop)).toBe(0);
  await page.mouse.up();
  await says(dialog, "Power BI works: it opens data of Hollis & Rowe.");
  for (const shown of [dialog.getByLabel("API key"), dialog.getByText("Can read: People, Moods.")])
    await expect.poll(() => shown.evaluate(isOnTop)).toBe(true);
  await says(dialog, "Cannot: Kudos, Rewards, Import rewards.");
  await expectGoodLooks(page, "checked-key");
  for (const [list, status] of Object.entries({ "/members": 200, "/day-ratings": 200, "/activity": 403 }))
    expect((await call(list, key)).status, list).toBe(status);

  await leave(dialog, "Done");
  expect(await page.content()).not.toContain(key);
  await page.reload();
  await row(page, "Power BI").waitFor();
  expect(await row(page, "Power BI").getByRole("cell").allInnerTexts()).toEqual([
    // The last request was one that the key has no scope for.
    `Power BI\nrefused\nsk_live_…${key.slice(-4)}`,
    "People, Moods",
    expect.stringMatching(/^\d+ \w+ \d{4}$/),
    "just now · node",
    "never",
    "",
    "A request by node was refused: it needs Kudos\nReplace with other scopes",
  ]);
  // The moment of the last use, also in UTC, as in the API; without a mouse too.
  await row(page, "Power BI").locator("time[tabindex]").focus();
  await says(page.getByRole("tooltip"), /^\d+ \w+ \d{4}, \d\d:\d\d \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)$/);
});

// Proves: keys.19
test("each error stands beside its field; a name twice is only pointed out", async ({ company, client, page }) => {
  await makeKey(client, "Twice");
  await page.reload();
  const dialog = await openCreateKey(page);
  const name = dialog.getByRole("textbox", { name: "Name" });
  const lastDay = dialog.getByLabel("Last day");
  for (const scope of ["read:members", "read:activity"]) await dialog.getByRole("checkbox", { name: scope }).uncheck();
  await dialog.getByLabel("Expiry").selectOption("On a date …");
  await lastDay.fill("2020-02-29");
  await press(dialog, "Create key");
  const ticking = "Tick at least one: a key without a scope opens nothing.";
  await says(dialog, "Give the key a name.", ticking, "Choose today or a later day.");
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  await expectFocus(page, name);
  await expectGoodLooks(page, "create-key-errors");

  await name.fill("x".repeat(101));
  await says(dialog, "Use at most 100 characters.");
  await dialog.getByRole("checkbox", { name: "read:rewards" }).check();
  await lastDay.fill("2099-12-31");
  for (const words of ["Give the key a name.", ticking, "Choose today or a later day."])
    await dialog.getByText(words).waitFor({ state: "hidden" });
  await lastDay.fill("9999-12-31");
  const odd = { "\u200b\u3164": "Give the key a name.", Payroll: "Choose an earlier day." };
  for (const [entered, words] of Object.entries(odd)) {
    await name.fill(entered);
    await press(dialog, "Create key", words);
  }
  await lastDay.fill("");
  // A half-typed date: the browser's form data has no value for it.
  await lastDay.press("1");
  await press(dialog, "Create key", "Enter the whole date.");
  await lastDay.fill(await page.evaluate(() => new Date().toLocaleDateString("sv")));
  await says(dialog, /Works until end of/);
  // What only the database refuses stands beside the field that it names.
  await name.fill("Power\u202e BI");
  await press(dialog, "Create key");
  await says(dialog, "Use characters that can be seen: no control characters, direction marks or invisible");
  await expectFocus(page, name);
  expect(await sql`select from app.api_keys where company_id = ${company.id}`).toHaveLength(1);

  await name.fill("Twice");
  expect(await name.getAttribute("aria-invalid")).toBeNull();
  await says(dialog.getByRole("status"), "Another key has this name.");
  await press(dialog, "Create key");
  await dialog.getByLabel("API key").waitFor();
});

// Proves: lifecycle.8
test("an expiry is the end of the admin's day, in the words of each region", async ({ company, admin, page }) => {
  await page.clock.setFixedTime(new Date("2027-03-01T10:00:00+01:00"));
  const form = await openCreateKey(page);
  // Also over a change of the clocks.
  for (const [days, last] of Object.entries({ 30: "31 Mar 2027", 90: "30 May 2027", 365: "29 Feb 2028" })) {
    await form.getByLabel("Expiry").selectOption(`${days} days`);
    await says(form, `Works until end of ${last} (Berlin time).`);
  }
  await press(form, "Cancel");
  const far = await signedInPage(admin, { timezoneId: "America/Santiago" });
  for (const [there, day, words, end] of [
    // The first day of summer time, which leaves out its midnight, and the day before.
    [far, "2027-09-05", "5 Sept 2027", "2027-09-06T03:00:00.000Z"],
    [far, "2027-09-04", "4 Sept 2027", "2027-09-05T04:00:00.000Z"],
    [page, "2099-06-30", "30 Jun 2099", "2099-06-30T22:00:00.000Z"],
  ] as const) {
    const dialog = await openCreateKey(there, `Until ${day}`);
    await dialog.getByLabel("Expiry").selectOption("On a date …");
    await dialog.getByLabel("Last day").fill(day);
    await says(dialog, `Works until end of ${words} (${there === page ? "Berlin" : "Santiago"} time).`);
    await press(dialog, "Create key");
    await copyAndClose(there);
    const [stored] = await sql`
      select expires_at from app.api_keys where company_id = ${company.id} and name = ${`Until ${day}`}`;
    expect(stored?.expires_at.toISOString(), day).toBe(end);
    await says(row(there, `Until ${day}`), `end of ${words}`);
  }
  for (const [locale, timezoneId, words] of [
    ["en-US", "America/New_York", /^Jun 30, 2099, 6:00\sPM$/],
    ["de-DE", "Asia/Kolkata", /^1 Jul 2099, 03:30$/],
  ] as const) {
    const elsewhere = await signedInPage(admin, { locale, timezoneId });
    const shown = row(elsewhere, "Until 2099-06-30").getByRole("cell").nth(4).locator("time");
    expect(await shown.textContent(), locale).toMatch(words);
    const clock = (await openHistory(elsewhere)).locator("li > div > time");
    expect(await clock.first().evaluate((time) => time.getClientRects().length), "lines of the clock").toBe(1);
  }
  // A browser whose language is no language tag.
  await page.addInitScript(() => Object.defineProperty(navigator, "language", { value: "en-US@posix" }));
  await page.reload();
  await says(row(page, "Until 2099-06-30"), "end of 30 Jun 2099");
  await says(page.getByRole("columnheader"), /^Expires \(Berlin\stime\)$/);
});

// Proves: states.2
test("closing the dialog with a new key by accident asks first, until the key has been copied", async ({ page }) => {
  const key = await createKey(page, "Power BI");
  const dialog = page.getByRole("dialog");
  const accidents = {
    done: () => press(dialog, "Done"),
    cross: () => press(dialog, "Close"),
    beside: () => page.mouse.click(5, 450),
    escape: () => page.keyboard.press("Escape"),
  };
  for (const [accident, happens] of Object.entries(accidents)) {
    await happens();
    await says(dialog, "is never shown again");
    if (accident === "escape") await expectGoodLooks(page, "close-without-key");
    await press(dialog, "Back to the key");
    expect(await dialog.getByLabel("API key").inputValue(), accident).toBe(key);
  }
  const opened = page.waitForEvent("dialog");
  const reloading = page.evaluate(() => window.location.reload());
  const question = await opened;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  await reloading;
  expect(await dialog.getByLabel("API key").inputValue()).toBe(key);
  await page.keyboard.press("Escape");
  await leave(dialog, "Close anyway");

  // After a copy nothing asks: by hand and Escape, or by the button and a reload.
  await createKey(page, "By hand");
  expect(await page.content()).not.toContain(key);
  await page.keyboard.press("ControlOrMeta+c");
  await leave(dialog, "Escape");
  const left = await createKey(page, "Left");
  await copy(page);
  await page.reload();
  await row(page, "Left").waitFor();
  expect(await page.content()).not.toContain(left);
  // Nothing that is copied or compared was handed to the translator.
  expect(await page.locator("font", { hasText: "Needs attention" }).count()).toBeGreaterThan(0);
  expect(await page.locator("font", { hasText: /sk_live_|https?:|read:|@|Ada Brandt|Hollis/ }).count()).toBe(0);
});
