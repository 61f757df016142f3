// Many keys: search, order, only active keys, and where the page shows the result of an action.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { makeKey, type Person, signedIn } from "../support/companies.ts";
import { sql } from "../support/stack.ts";
import { eventually, wide } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { setKey, signedInPage, test } from "./scene.ts";
import { row } from "./steps.ts";

const scopes = [["read:members", "read:activity"], ["read:analytics"], ["read:rewards", "write:rewards"]];

/** Creates this many keys. `System 1` is the oldest, and every fourth one is revoked. */
async function makeKeys(admin: Person, count: number): Promise<void> {
  const client = await signedIn(admin);
  for (let number = 1; number <= count; number += 1) {
    const { id } = await makeKey(client, `System ${number}`, scopes[number % 3]);
    if (number % 4 === 0) await client.rpc("revoke_api_key", { key_id: id });
  }
}

const names = (page: Page) => page.locator("tr[data-status] span[id^=key-]").allTextContents();

test("up to eight keys there is nothing to search; from nine on search, order and only active find a key", async ({
  admin,
}) => {
  await makeKeys(admin, 8);
  const page = await signedInPage(admin);
  await row(page, "System 8").waitFor();
  expect(await page.getByRole("searchbox").count()).toBe(0);
  const { api_key } = await makeKey(await signedIn(admin), "Année 2026", ["read:analytics"]);
  await page.reload();

  const search = page.getByRole("searchbox", { name: "Search" });
  await page.getByRole("status").getByText("9 keys", { exact: true }).waitFor();
  expect((await names(page))[0]).toBe("Année 2026");
  for (const text of ["ANNÉE", api_key.slice(-4), "ada 2026", "analytics année"]) {
    await search.fill(text);
    await eventually(() => names(page)).toContain("Année 2026");
    expect(await names(page), text).not.toContain("System 3");
  }
  await page.getByRole("status").getByText("1 of 9 keys", { exact: true }).waitFor();
  await search.fill("nothing like it");
  await page.getByText("No key is like that.").waitFor();
  await page.getByRole("button", { name: "Show all keys" }).click();
  await eventually(() => names(page)).toHaveLength(9);

  await page.getByLabel("Order").selectOption("Name");
  expect((await names(page)).slice(0, 3)).toEqual(["Année 2026", "System 1", "System 2"]);
  await page.getByLabel("Only active").check();
  expect(await names(page)).toHaveLength(7);
});

test("the order by use and by expiry has first what matters first", async ({ company, admin }) => {
  await makeKeys(admin, 9);
  await setKey(company, "System 2", { expires_at: "2099-01-01" });
  await setKey(company, "System 7", { expires_at: "2098-01-01" });
  await sql`update app.api_key_uses set last_used_at = now() where company_id = ${company.id}
    and key_id = (select id from app.api_keys where company_id = ${company.id} and name = 'System 5')`;
  const page = await signedInPage(admin);
  await page.getByLabel("Order").selectOption("Expiring first");
  expect((await names(page)).slice(0, 3)).toEqual(["System 7", "System 2", "System 9"]);
  await page.getByLabel("Order").selectOption("Last used first");
  expect((await names(page)).slice(0, 2)).toEqual(["System 5", "System 9"]);
});

test("a key that ends soon, or that nothing uses, stands out; a key without expiry says so", async ({
  company,
  admin,
}) => {
  const client = await signedIn(admin);
  for (const name of ["Ending", "Forgotten", "Fine"]) await makeKey(client, name);
  const daysFromNow = (days: number) => new Date(Date.now() + (days + 0.5) * 86_400_000).toISOString();
  await setKey(company, "Ending", { expires_at: daysFromNow(9) });
  await setKey(company, "Forgotten", { created_at: daysFromNow(-61) });
  await setKey(company, "Fine", { expires_at: daysFromNow(15) });
  const page = await signedInPage(admin);
  await row(page, "Ending").getByText("Expires in 9 days", { exact: true }).waitFor();
  await row(page, "Forgotten").getByText("Not used for 60 days", { exact: true }).waitFor();
  await row(page, "Forgotten").getByText("no expiry", { exact: true }).waitFor();
  expect(await row(page, "Fine").textContent()).not.toMatch(/Expires in|Not used for/);
  await expectGoodLooks(page, "concerns");
});

test("forty keys: short rows, one below the other, and good to look at", async ({ company, admin }) => {
  await makeKeys(admin, 40);
  await setKey(company, "System 38", { expires_at: new Date(Date.now() + 8 * 86_400_000).toISOString() });
  const page = await signedInPage(admin);
  await row(page, "System 40").waitFor();
  const heights = await page.locator("tr[data-status]").evaluateAll((rows) => rows.map((each) => each.clientHeight));
  expect(heights).toHaveLength(40);
  expect(Math.max(...heights)).toBeLessThan(50);
  await expectGoodLooks(page, "many-keys");
});

test("what came of a revoke is said below its row, which has the focus and stays in sight whatever is filtered", async ({
  admin,
}) => {
  await makeKeys(admin, 20);
  const page = await signedInPage(admin);
  await page.getByLabel("Only active").check();
  await row(page, "System 1").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  const said = page.getByText("System 1 is revoked: the API refuses it from now on.");
  await said.waitFor();
  await eventually(() => row(page, "System 1").evaluate((element) => element.matches(":focus"))).toBe(true);
  const box = await said.boundingBox();
  expect(box?.y).toBeGreaterThan(0);
  expect(box?.y).toBeLessThan(wide.height);
  await row(page, "System 1").getByText("revoked", { exact: true }).waitFor();
  await page.keyboard.press("Tab");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await row(page, "System 1").waitFor({ state: "hidden" });
});
