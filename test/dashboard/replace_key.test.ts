// Replace: a key that is replaced has its successor beside it in the list.
import { expect } from "vitest";
import { makeKey, signedIn } from "../support/companies.ts";
import { call, expectError, invalidKey, sql } from "../support/stack.ts";
import { expectGoodLooks } from "./looks.ts";
import { setKey, signedInPage, test } from "./scene.ts";
import { chooseIn, copyAndClose, expectFocus, openView, row } from "./steps.ts";

test("Replace makes a successor that is shown once; the dialog says until when the old one works, the list ties both", async ({
  admin,
}) => {
  const old = await makeKey(await signedIn(admin), "Payroll", ["read:members", "read:rewards"]);
  const page = await signedInPage(admin);
  await chooseIn(row(page, "Payroll"), "Replace");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("with the same name and scopes").waitFor();
  const overlap = dialog.getByLabel("Keep the old key working for");
  await expectFocus(page, overlap);
  expect(await overlap.inputValue()).toBe("24 hours");
  await overlap.selectOption("1 hour");
  await dialog.getByLabel("Expiry").selectOption("90 days");
  await expectGoodLooks(page, "replace-key");
  await dialog.getByRole("button", { name: "Replace key" }).click();
  await page.getByRole("dialog", { name: "Key replaced" }).waitFor();
  await dialog
    .getByText(/^The old key sk_live_….{4} works until \d+ \w+ \d{4}, \d\d:\d\d \(Berlin time\)\.$/)
    .waitFor();
  await expectGoodLooks(page, "key-replaced");
  const api_key = await dialog.getByLabel("API key").inputValue();
  await copyAndClose(page);

  const hint = (key: string) => `sk_live_…${key.slice(-4)}`;
  const oldRow = page.getByRole("row").filter({ hasText: `replaced by ${hint(api_key)}` });
  const newRow = page.getByRole("row").filter({ hasText: `replaces ${hint(old.api_key)}` });
  await oldRow.waitFor();
  await expectFocus(page, newRow);

  for (const key of [old.api_key, api_key]) expect((await call("/rewards", key)).status).toBe(200);
  await expectError(await call("/activity", api_key), 403, 'Forbidden: this key is missing the "read:activity" scope');
  const [stored] = await sql`
    select old.expires_at - made.created_at as overlap, made.expires_at - now() > interval '89 days' as lasts
    from app.api_keys as old join app.api_keys as made on made.id = old.replaced_by where old.id = ${old.id}`;
  expect(stored).toEqual({ overlap: "01:00:00", lasts: true });
  await page.reload();
  await openView(page, "Needs attention");
  await oldRow.getByText("Replaced, still in use").waitFor();
});

test("the new key is to live as long as the old one was, unless another expiry is chosen", async ({
  company,
  admin,
}) => {
  const page = await signedInPage(admin);
  const dialog = page.getByRole("dialog");
  const in24Days = new Date(Date.now() + 24 * 86_400_000).toLocaleDateString("sv", { timeZone: "Europe/Berlin" });
  for (const [name, age, left, preset, lastDay] of [
    ["Never", 300, null, "", null],
    ["Quarter", 30, 60, "90", null],
    ["Odd", 4, 20, "date", in24Days],
  ] as const) {
    await makeKey(await signedIn(admin), name);
    const [day] = await sql`
      select date_trunc('day', now(), 'Europe/Berlin') - ${age}::int * interval '1 day' + interval '9 hours' as created_at,
        date_trunc('day', now(), 'Europe/Berlin') + (${left}::int + 1) * interval '1 day' as expires_at`;
    await setKey(company, name, {
      created_at: day?.created_at,
      ...(left === null ? {} : { expires_at: day?.expires_at }),
    });
    await page.reload();
    await chooseIn(row(page, name), "Replace");
    expect(await dialog.getByLabel("Expiry").inputValue(), name).toBe(preset);
    if (lastDay !== null) expect(await dialog.getByLabel("Last day").inputValue()).toBe(lastDay);
    await dialog.getByRole("button", { name: "Replace key" }).click();
    await dialog.getByLabel("API key").waitFor();
    await copyAndClose(page);
    const [made] =
      await sql`select expires_at - now() as lasts from app.api_keys where company_id = ${company.id} and name = ${name} and replaced_by is null`;
    expect(made?.lasts, name).toEqual(left === null ? null : expect.stringContaining(`${age + left} days`));
  }
});

test("a leaked key is stopped now: the old one is refused, the new one works", async ({ admin }) => {
  const old = await makeKey(await signedIn(admin), "Leaked");
  const page = await signedInPage(admin);
  await chooseIn(row(page, "Leaked"), "Replace");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Keep the old key working for").selectOption("Stop it now");
  await dialog.getByText("Whatever uses the old key stops working now.").waitFor();
  await expectGoodLooks(page, "replace-now");
  await dialog.getByRole("button", { name: "Replace key" }).click();
  await dialog.getByText("has stopped working.").waitFor();
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
  await chooseIn(row(page, "Payroll"), "Replace");
  await client.rpc("replace_api_key", { key_id: old.id, overlap: "7 days" });
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Replace key" }).click();
  await dialog.getByRole("alert").getByText("replaced already cannot be replaced").waitFor();
  await expectFocus(page, dialog.getByRole("button", { name: "Replace key" }));
  expect(await sql`select from app.api_keys where company_id = ${company.id}`).toHaveLength(2);
});
