// Replace and Rename: a replaced key has its successor beside it in the list; a renamed key has both names in the
// history.
import { expect } from "vitest";
import { makeKey, signedIn } from "../support/companies.ts";
import { call, expectError, invalidKey, sql } from "../support/stack.ts";
import { eventually } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { signedInPage, test } from "./scene.ts";
import { chooseInRow, copyAndClose, row } from "./steps.ts";

test("Replace makes a successor that is shown once; the list ties both together and says whether the old one may go", async ({
  admin,
}) => {
  const old = await makeKey(await signedIn(admin), "Payroll", ["read:members", "read:rewards"]);
  const page = await signedInPage(admin);
  await chooseInRow(page, "Payroll", "Replace");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("with the same name and scopes").waitFor();
  await dialog.getByText("Scopes are fixed for as long as a key lives").waitFor();
  const overlap = dialog.getByLabel("The old key works for another");
  expect(await overlap.evaluate((field) => field.matches(":focus"))).toBe(true);
  expect(await overlap.inputValue()).toBe("24 hours");
  await overlap.selectOption("1 hour");
  await dialog.getByLabel("Expiry").selectOption("90 days");
  await expectGoodLooks(page, "replace-key");
  await dialog.getByRole("button", { name: "Replace key" }).click();
  const api_key = await dialog.getByLabel("API key").inputValue();
  await copyAndClose(page);

  const hint = (key: string) => `sk_live_…${key.slice(-4)}`;
  const rowOf = (key: string) => page.getByRole("row").filter({ has: page.locator("code").getByText(hint(key)) });
  const oldRow = rowOf(old.api_key).filter({ hasText: "replaced by" });
  const newRow = rowOf(api_key).filter({ hasText: "replaces" });
  await oldRow.getByText(`replaced by ${hint(api_key)}`).waitFor();
  await newRow.getByText(`replaces ${hint(old.api_key)}`).waitFor();
  await oldRow.getByText("Not used since it was replaced").waitFor();
  await eventually(() => newRow.evaluate((element) => element.matches(":focus"))).toBe(true);
  await expectGoodLooks(page, "replaced-key");

  for (const key of [old.api_key, api_key]) expect((await call("/rewards", key)).status).toBe(200);
  await expectError(await call("/activity", api_key), 403, 'Forbidden: this key is missing the "read:activity" scope');
  const [stored] = await sql`
    select old.expires_at - made.created_at as overlap from app.api_keys as old
    join app.api_keys as made on made.id = old.replaced_by where old.id = ${old.id}`;
  expect(stored?.overlap).toBe("01:00:00");
  await page.reload();
  await oldRow.getByText("Still in use").waitFor();
  await page.getByRole("region", { name: "History" }).getByText("Ada Brandt replaced Payroll").waitFor();
});

test("a leaked key is replaced at once: the old one stops, the new one works", async ({ admin }) => {
  const old = await makeKey(await signedIn(admin), "Leaked");
  const page = await signedInPage(admin);
  await chooseInRow(page, "Leaked", "Replace");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("The old key works for another").selectOption("No longer: it stops at once");
  await dialog.getByRole("button", { name: "Replace key" }).click();
  const api_key = await dialog.getByLabel("API key").inputValue();
  await expectError(await call("/members", old.api_key), 401, invalidKey);
  expect((await call("/members", api_key)).status).toBe(200);
});

test("a key that another admin has replaced meanwhile is not replaced twice, and the dialog says why", async ({
  company,
  admin,
}) => {
  const client = await signedIn(admin);
  const old = await makeKey(client, "Payroll");
  const page = await signedInPage(admin);
  await chooseInRow(page, "Payroll", "Replace");
  await client.rpc("replace_api_key", { key_id: old.id, overlap: "7 days", expires_at: null });
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Replace key" }).click();
  await dialog.getByRole("alert").getByText("replaced already cannot be replaced").waitFor();
  expect(await sql`select from app.api_keys where company_id = ${company.id}`).toHaveLength(2);
});

test("Rename changes the name and nothing else; the history keeps both names", async ({ admin }) => {
  const { id, api_key } = await makeKey(await signedIn(admin), "Powr BI");
  const page = await signedInPage(admin);
  await chooseInRow(page, "Powr BI", "Rename");
  const dialog = page.getByRole("dialog");
  const name = dialog.getByRole("textbox", { name: "Name" });
  expect(await name.inputValue()).toBe("Powr BI");
  await name.fill(" ");
  await dialog.getByRole("button", { name: "Rename key" }).click();
  await dialog.getByText("Give the key a name: what will use it?").waitFor();
  await expectGoodLooks(page, "rename-key");
  await name.fill("Power BI");
  await dialog.getByText("Give the key a name").waitFor({ state: "hidden" });
  await page.keyboard.press("Enter");
  await page.getByText("Powr BI is called Power BI now.").waitFor();
  await eventually(() => row(page, "Power BI").evaluate((element) => element.matches(":focus"))).toBe(true);
  await page.getByRole("region", { name: "History" }).getByText("Ada Brandt renamed Powr BI to Power BI").waitFor();
  expect((await call("/members", api_key)).status).toBe(200);
  const [stored] = await sql`select name, scopes from app.api_keys where id = ${id}`;
  expect(stored).toEqual({ name: "Power BI", scopes: ["read:members"] });
});
