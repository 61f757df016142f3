// Create key: the dialog, what it refuses, when the key expires, and that nobody closes the dialog without the key by
// accident.
import { expect } from "vitest";
import { makeKey, signedIn } from "../support/companies.ts";
import { call, expectError, invalidKey, sql } from "../support/stack.ts";
import { expectGoodLooks } from "./looks.ts";
import { setKey, signedInBrowser, signedInPage, test } from "./scene.ts";
import { copyAndClose, createKey, expectFocus, openCreateKey, path, row } from "./steps.ts";

// Proves: key.1, states.1, authentication.1, authentication.8
test("Create key shows the key once; it works with exactly the ticked scopes, and the list tells all about it", async ({
  page,
}) => {
  const dialog = await openCreateKey(page);

  const boxes = await dialog
    .getByRole("checkbox")
    .evaluateAll((all) =>
      (all as HTMLInputElement[]).map((box) => [box.labels?.[0]?.textContent ?? "", box.checked] as const),
    );
  expect(boxes.map(([label, ticked]) => [label.split(" ")[0], ticked])).toEqual([
    ["read:members", true],
    ["read:activity", true],
    ["read:rewards", false],
    ["read:analytics", false],
    ["write:rewards", false],
  ]);
  expect(boxes[0]?.[0]).toContain("names, email addresses");
  await expectGoodLooks(page, "create-key");

  await dialog.getByRole("textbox", { name: "Name" }).fill("Power BI");
  await dialog.getByRole("checkbox", { name: "read:activity" }).uncheck();
  await dialog.getByRole("checkbox", { name: "read:analytics" }).check();
  await dialog.getByRole("button", { name: "Create key" }).click();
  const key = await dialog.getByLabel("API key").inputValue();
  expect(key).toMatch(/^sk_live_[0-9A-Za-z]{38}$/);
  await dialog.getByText("shown only this once").waitFor();
  await expectGoodLooks(page, "new-key");

  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  await dialog.getByText("Copied", { exact: true }).waitFor({ state: "attached" });
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(key);

  expect((await call("/members", key)).status).toBe(200);
  expect((await call("/day-ratings", key)).status).toBe(200);
  expect((await call("/activity", key)).status).toBe(403);

  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
  expect(await page.content()).not.toContain(key);
  await page.reload();
  await row(page, "Power BI").waitFor();

  expect(await row(page, "Power BI").getByRole("cell").allTextContents()).toEqual([
    `Power BIsk_live_…${key.slice(-4)}`,
    "read members, analytics",
    expect.stringMatching(/^\d+ \w+ \d{4}by Ada Brandt$/),
    "just now",
    "never",
    "",
  ]);
  // The moment of the last use, also in UTC, as in the API; without a mouse too.
  await row(page, "Power BI").getByText("just now").focus();
  await page
    .getByRole("tooltip")
    .getByText(/^\d+ \w+ \d{4}, \d\d:\d\d \(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC\)$/)
    .waitFor();
});

// Proves: keys.19
test("errors stand beside their field, and the right ones go when it is put right", async ({ company, page }) => {
  const dialog = await openCreateKey(page);
  const name = dialog.getByRole("textbox", { name: "Name" });
  const create = dialog.getByRole("button", { name: "Create key" });
  for (const scope of ["read:members", "read:activity"]) await dialog.getByRole("checkbox", { name: scope }).uncheck();
  await dialog.getByLabel("Expiry").selectOption("On a date …");
  await dialog.getByLabel("Last day").fill("2020-02-29");
  await create.click();

  await dialog.getByText("Give the key a name.").waitFor();
  await dialog.getByText("Tick at least one: a key without a scope opens nothing.").waitFor();
  await dialog.getByText("Choose today or a later day.").waitFor();
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  expect(await name.evaluate((field) => field === document.activeElement)).toBe(true);
  await expectGoodLooks(page, "create-key-errors");

  await name.fill("x".repeat(101));
  expect(await dialog.getByText("Give the key a name").count()).toBe(0);
  await dialog.getByText("Use at most 100 characters.").waitFor();
  await dialog.getByRole("checkbox", { name: "read:rewards" }).check();
  await dialog.getByText("Tick at least one").waitFor({ state: "hidden" });
  await dialog.getByLabel("Last day").fill("2099-12-31");
  await dialog.getByText("Choose today or a later day.").waitFor({ state: "hidden" });
  await dialog.getByLabel("Last day").fill("9999-12-31");
  await create.click();
  await dialog.getByText("Use at most 100 characters.").waitFor();
  await dialog.getByText("Choose an earlier day.").waitFor();

  await dialog.getByLabel("Last day").fill(await page.evaluate(() => new Date().toLocaleDateString("sv")));
  await dialog.getByText(/Works until end of/).waitFor();
  await name.fill("Payroll");
  expect(await name.getAttribute("aria-invalid")).toBeNull();
  await dialog.getByLabel("Last day").fill("");
  // A half-typed date: the browser's form data has no value for it.
  await dialog.getByLabel("Last day").press("1");
  await create.click();
  await dialog.getByText("Enter the whole date.").waitFor();
  expect(await sql`select from app.api_keys where company_id = ${company.id}`).toHaveLength(0);

  await dialog.getByLabel("Last day").fill("2099-12-31");
  await create.click();
  await dialog.getByLabel("API key").waitFor();
});

test("the database's own refusal stands beside the field that it names; a name twice is pointed out, not refused", async ({
  admin,
}) => {
  await makeKey(await signedIn(admin), "Twice");
  const page = await signedInPage(admin);
  const dialog = await openCreateKey(page);
  const name = dialog.getByRole("textbox", { name: "Name" });
  await name.fill("Power\u202e BI");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("name must be a text without control characters, direction marks").waitFor();
  expect(await name.getAttribute("aria-invalid")).toBe("true");
  await expectFocus(page, name);
  await name.fill("\u200b\u3164");
  await dialog.getByText("Give the key a name.").waitFor();
  await name.fill("Twice");
  await dialog.getByRole("status").getByText("Another key has this name.").waitFor();
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByLabel("API key").waitFor();
});

// Proves: lifecycle.8
test("an expiry by date is the end of that day for the admin; the page says it in the words of each admin's region", async ({
  company,
  admin,
}) => {
  const page = await signedInPage(admin, { timezoneId: "Europe/Berlin" });
  const dialog = await openCreateKey(page);
  await dialog.getByRole("textbox", { name: "Name" }).fill("Audit");
  await dialog.getByLabel("Expiry").selectOption("On a date …");
  await dialog.getByLabel("Last day").fill("2099-06-30");
  await dialog.getByText("Works until end of 30 Jun 2099 (Berlin time).").waitFor();
  await expectGoodLooks(page, "create-key-expiry");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const key = await dialog.getByLabel("API key").inputValue();
  await copyAndClose(page);
  await row(page, "Audit").getByText("end of 30 Jun 2099 (Berlin time)").waitFor();
  const [stored] = await sql`select expires_at from app.api_keys where company_id = ${company.id}`;
  expect(stored?.expires_at.toISOString()).toBe("2099-06-30T22:00:00.000Z");
  for (const [locale, timezoneId, words] of [
    ["en-US", "America/New_York", /^Jun 30, 2099, 6:00\sPM \(New York time\)$/],
    ["de-DE", "Asia/Kolkata", /^1 Jul 2099, 03:30 \((Kolkata|Calcutta) time\)$/],
  ] as const) {
    const elsewhere = await signedInPage(admin, { locale, timezoneId });
    expect(await row(elsewhere, "Audit").getByRole("cell").nth(4).textContent(), locale).toMatch(words);
  }
  await setKey(company, "Audit", { expires_at: new Date(Date.now() - 3_600_000).toISOString() });
  await expectError(await call("", key), 401, invalidKey);
});

test("an expiry in 30, 90 or 365 days is the end of that day, also over a change of the clocks", async ({
  company,
  admin,
}) => {
  const page = await (await signedInBrowser(admin)).newPage();
  await page.clock.setFixedTime(new Date("2027-03-01T10:00:00+01:00"));
  await page.goto(path);
  const ends = {
    "30": "2027-03-31T22:00:00.000Z",
    "90": "2027-05-30T22:00:00.000Z",
    "365": "2028-02-29T23:00:00.000Z",
  };
  for (const [days, end] of Object.entries(ends)) {
    const dialog = await openCreateKey(page);
    await dialog.getByRole("textbox", { name: "Name" }).fill(`For ${days} days`);
    await dialog.getByLabel("Expiry").selectOption(`${days} days`);
    await dialog.getByRole("button", { name: "Create key" }).click();
    await dialog.getByLabel("API key").waitFor();
    await copyAndClose(page);
    const [stored] =
      await sql`select expires_at from app.api_keys where company_id = ${company.id} and name = ${`For ${days} days`}`;
    expect(stored?.expires_at.toISOString(), days).toBe(end);
  }
});

// Proves: states.2
test("closing the dialog with a new key by accident asks first, until the key has been copied", async ({ page }) => {
  const key = await createKey(page, "Power BI");
  const dialog = page.getByRole("dialog");
  for (const accident of ["Escape", "cross", "beside", "Done"]) {
    if (accident === "Done") await dialog.getByRole("button", { name: "Done" }).click();
    else if (accident === "Escape") await page.keyboard.press("Escape");
    else if (accident === "cross") await dialog.getByRole("button", { name: "Close", exact: true }).click();
    else await page.mouse.click(5, 450);
    await dialog.getByText("is never shown again").waitFor();
    if (accident === "Escape") await expectGoodLooks(page, "close-without-key");
    await dialog.getByRole("button", { name: "Back to the key" }).click();
    expect(await dialog.getByLabel("API key").inputValue()).toBe(key);
  }

  const asked = page.waitForEvent("dialog");
  const reloading = page.evaluate(() => window.location.reload());
  const question = await asked;
  expect(question.type()).toBe("beforeunload");
  await question.dismiss();
  await reloading;
  expect(await dialog.getByLabel("API key").inputValue()).toBe(key);

  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Close anyway" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Create key" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).waitFor();
  expect(await page.content()).not.toContain(key);
});

test("after a copy nothing asks: by the button or by hand, Done or Escape, and leaving the page", async ({ page }) => {
  const dialog = page.getByRole("dialog");
  await createKey(page, "By the button");
  await copyAndClose(page);
  await row(page, "By the button").waitFor();

  await createKey(page, "By hand");
  await page.keyboard.press("ControlOrMeta+c");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });

  const key = await createKey(page, "Left");
  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  await dialog.getByText("Copied", { exact: true }).waitFor({ state: "attached" });
  await page.reload();
  await row(page, "Left").waitFor();
  expect(await page.content()).not.toContain(key);
});
