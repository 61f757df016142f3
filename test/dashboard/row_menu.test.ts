// The ⋯ menu of a row: its entries, by pointer and by keyboard alone, and the history of one key.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { makeKey, signedIn } from "../support/companies.ts";
import { sql } from "../support/stack.ts";
import { eventually, narrow } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { setKey, signedInPage, test } from "./scene.ts";
import { row, tabTo } from "./steps.ts";

const more = (page: Page, name: string) => row(page, name).getByRole("button", { name: "More" });
/** At most one menu of all rows is open at a time. */
const menu = (page: Page) => page.getByRole("list", { name: "More" });

async function expectFocus(page: Page, on: ReturnType<Page["locator"]>): Promise<void> {
  await eventually(() => on.and(page.locator(":focus")).count()).toBe(1);
}

test("it offers what the key's status allows, and looks good", async ({ company, admin }) => {
  const client = await signedIn(admin);
  for (const name of ["Replaced", "Revoked", "Expired", "Active"]) {
    const { id } = await makeKey(client, name);
    if (name === "Revoked") await client.rpc("revoke_api_key", { key_id: id });
    if (name === "Replaced") await client.rpc("replace_api_key", { key_id: id, overlap: "7 days", expires_at: null });
  }
  await setKey(company, "Expired", { expires_at: new Date().toISOString() });
  const page = await signedInPage(admin);
  const replaced = page.getByRole("row").filter({ hasText: "replaced by" }).getByRole("button", { name: "More" });
  for (const [opener, items] of [
    [replaced, ["Rename", "History"]],
    [more(page, "Revoked"), ["History"]],
    [more(page, "Expired"), ["Rename", "History"]],
    [more(page, "Active"), ["Replace", "Rename", "History"]],
  ] as const) {
    await opener.click();
    expect((await menu(page).getByRole("button").allTextContents()).map((words) => words.trim())).toEqual(items);
    if (items.length === 3) await expectGoodLooks(page, "row-menu");
    await page.keyboard.press("Escape");
    await menu(page).waitFor({ state: "hidden" });
    await expectFocus(page, opener);
  }

  await page.setViewportSize(narrow);
  await more(page, "Active").click();
  const box = await menu(page).boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(narrow.width);
});

test("Replace and Rename go by keyboard alone: given up, the focus is back at the row's ⋯; done, at the row", async ({
  admin,
}) => {
  await makeKey(await signedIn(admin), "Payroll");
  const page = await signedInPage(admin);
  const { keyboard } = page;
  const dialog = page.getByRole("dialog");
  const opener = more(page, "Payroll");
  const item = (name: string) => menu(page).getByRole("button", { name });

  await tabTo(page, opener);
  await keyboard.press("Enter");
  await keyboard.press("Tab");
  await expectFocus(page, item("Replace"));
  await keyboard.press("Escape");
  await expectFocus(page, opener);
  await keyboard.press("Enter");
  await tabTo(page, item("Rename"));
  await keyboard.press("Enter");
  await expectFocus(page, dialog.getByRole("textbox", { name: "Name" }));
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await expectFocus(page, opener);

  await keyboard.press("Enter");
  await tabTo(page, item("Rename"));
  await keyboard.press("Enter");
  await expectFocus(page, dialog.getByRole("textbox", { name: "Name" }));
  await keyboard.press("ControlOrMeta+a");
  await keyboard.type("Wages");
  await keyboard.press("Enter");
  await page.getByText("Payroll is called Wages now.").waitFor();
  await expectFocus(page, row(page, "Wages"));

  await tabTo(page, more(page, "Wages"));
  await keyboard.press("Enter");
  await tabTo(page, item("Replace"));
  await keyboard.press("Enter");
  await expectFocus(page, dialog.getByLabel("The old key works for another"));
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await expectFocus(page, more(page, "Wages"));

  await keyboard.press("Enter");
  await tabTo(page, item("Replace"));
  await keyboard.press("Enter");
  await expectFocus(page, dialog.getByLabel("The old key works for another"));
  await tabTo(page, dialog.getByRole("button", { name: "Replace key" }));
  await keyboard.press("Enter");
  await expectFocus(page, dialog.getByLabel("API key"));
  await tabTo(page, dialog.getByRole("button", { name: "Copy", exact: true }));
  await keyboard.press("Enter");
  await tabTo(page, dialog.getByRole("button", { name: "Done" }));
  await keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await expectFocus(page, page.getByRole("row").filter({ hasText: "replaces sk_live_" }));
});

test("History shows what was done to that key alone, day by day, until all keys are asked for", async ({
  company,
  admin,
}) => {
  const client = await signedIn(admin);
  const { id } = await makeKey(client, "Payroll");
  await makeKey(client, "Power BI");
  await client.rpc("replace_api_key", { key_id: id, overlap: "7 days", expires_at: null });
  // In the admin's time zone this is half past midnight, and in UTC still the day before.
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_key_events set created_at = '2026-01-01T23:30:00Z'
      where company_id = ${company.id} and key_id = ${id} and action = 'created'`;
    await tx`update app.api_key_events set created_at = '2026-01-01T22:30:00Z'
      where company_id = ${company.id} and key_name = 'Power BI'`;
  });
  const page = await signedInPage(admin);
  const history = page.getByRole("region", { name: "History" });
  const days = history.getByRole("heading", { level: 3 });
  await days.first().waitFor();
  expect((await days.allTextContents()).slice(1)).toEqual(["Fri, 2 Jan 2026", "Thu, 1 Jan 2026"]);
  expect(await history.getByRole("listitem").count()).toBe(4);

  const old = page.getByRole("row").filter({ hasText: "replaced by" });
  await old.getByRole("button", { name: "More" }).click();
  await menu(page).getByRole("button", { name: "History" }).click();
  await expectFocus(page, history.getByRole("heading", { name: "History" }));
  await history.getByText("Only of Payroll").waitFor();
  const entries = await history.getByRole("listitem").allTextContents();
  expect(entries).toEqual([
    expect.stringMatching(/^\d\d:\d\dAda Brandt replaced Payroll/),
    expect.stringMatching(/^00:30Ada Brandt created Payroll/),
  ]);
  await expectGoodLooks(page, "history-of-one");

  await history.getByRole("button", { name: "Show all keys" }).click();
  await eventually(() => history.getByRole("listitem").count()).toBe(4);
});
