// Revoke, Rename and History: each is checked on the page and through the API. The curl line, and names of any kind.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { makeKey, signedIn } from "../support/companies.ts";
import { call, expectError, invalidKey, sql, stack } from "../support/stack.ts";
import { eventually } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { setLastUse, signedInPage, test } from "./scene.ts";
import { chooseIn, createKey, expectFocus, names, openView, row } from "./steps.ts";

const entriesIn = (page: Page, part: "region" | "dialog") =>
  page.getByRole(part, { name: "History" }).getByRole("listitem");

test("without keys the page explains what a key is for, and shows the base address with a copy button", async ({
  page,
}) => {
  await page.getByText("A key lets one other system").waitFor();
  await page.getByText(stack.api_url, { exact: true }).waitFor();
  await expectGoodLooks(page, "no-keys");
  await page.getByRole("button", { name: "Copy base address" }).click();
  await page.getByText("Copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(stack.api_url);
});

test("the command asks for the key, works in a shell, and holds no key", async ({ page }) => {
  const key = await createKey(page, "Shell");
  await page.getByText("Try it on a command line").click();
  await page.getByRole("button", { name: "Copy command" }).click();
  await page.getByText("Copied", { exact: true }).last().waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).not.toContain("sk_live_");
  const shell = spawnSync("bash", ["-c", line], { input: `${key}\n`, encoding: "utf8" });
  expect(shell.stderr).not.toContain(key);
  expect(shell.stdout).toContain('"key_name":"Shell"');
});

// Proves: states.3
test("Revoke names the key and its last use; from then on the API answers 401 and the row says by whom and when", async ({
  company,
  admin,
}) => {
  const { api_key, hint } = await makeKey(await signedIn(admin), "Power BI");
  const page = await signedInPage(admin);
  const dialog = page.getByRole("dialog");
  await chooseIn(row(page, "Power BI"), "Revoke");
  await dialog.getByText(`Power BI ${hint} has never been used.`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });

  await setLastUse(company, "Power BI", "2026-01-02T03:04:05Z");
  await page.reload();
  await chooseIn(row(page, "Power BI"), "Revoke");
  await dialog.getByText("was last used on 2 Jan 2026, 04:04.").waitFor();
  await expectGoodLooks(page, "revoke-key");
  expect((await call("/members", api_key)).status).toBe(200);
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await dialog.waitFor({ state: "hidden" });
  await expectError(await call("/members", api_key), 401, invalidKey);
  await page.getByText("Power BI is revoked: the API refuses it from now on.").waitFor();
  expect(await row(page, "Power BI").getByRole("cell").nth(4).textContent()).toMatch(
    /^revokedby Ada Brandt, \d+ \w+ \d{4}$/,
  );
});

test("a key that an operator revoked says so in the list, and why in the history", async ({ admin }) => {
  const { id } = await makeKey(await signedIn(admin), "Leaked");
  await sql`select app.revoke_key(${id}, 'It stood in a public repository')`;
  const page = await signedInPage(admin);
  await openView(page, "Inactive");
  await row(page, "Leaked").getByText("by an operator").waitFor();
  const entry = entriesIn(page, "region").first();
  await eventually(() => entry.textContent()).toContain("An operator revoked Leaked");
  expect(await entry.textContent()).toContain("Reason: It stood in a public repository");
});

test("Rename changes the name and nothing else; the history keeps both names", async ({ admin }) => {
  const client = await signedIn(admin);
  const { id, api_key } = await makeKey(client, "Powr BI");
  await makeKey(client, "Payroll");
  const page = await signedInPage(admin);
  await chooseIn(row(page, "Powr BI"), "Rename");
  const dialog = page.getByRole("dialog");
  const name = dialog.getByRole("textbox", { name: "Name" });
  expect(await name.inputValue()).toBe("Powr BI");
  await name.fill(" ");
  await dialog.getByRole("button", { name: "Rename key" }).click();
  await dialog.getByText("Give the key a name.").waitFor();
  await expectGoodLooks(page, "rename-key");
  await name.fill("Payroll");
  await dialog.getByRole("status").getByText("Another key has this name.").waitFor();
  await name.fill("Power BI");
  expect(await dialog.getByText(/Give the key a name|Another key/).count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.getByText("Powr BI is called Power BI now.").waitFor();
  await expectFocus(page, row(page, "Power BI"));
  await entriesIn(page, "region").getByText("Ada Brandt renamed Powr BI to Power BI").waitFor();
  expect((await call("/members", api_key)).status).toBe(200);
  const [stored] = await sql`select name, scopes from app.api_keys where id = ${id}`;
  expect(stored).toEqual({ name: "Power BI", scopes: ["read:members"] });
});

test("History of one key opens beside the list: what was done to it alone, from its replacement of another key on", async ({
  company,
  admin,
}) => {
  const client = await signedIn(admin);
  const { id, hint } = await makeKey(client, "Payroll");
  await makeKey(client, "Power BI");
  await client.rpc("replace_api_key", { key_id: id, overlap: "7 days" });
  // In the admin's time zone this is half past midnight, and in UTC still the day before.
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_key_events set created_at = '2026-01-01T23:30:00Z'
      where company_id = ${company.id} and key_id = ${id} and action = 'created'`;
  });
  const page = await signedInPage(admin);
  await eventually(() => entriesIn(page, "region").count()).toBe(4);
  const dialog = page.getByRole("dialog", { name: "History of Payroll" });
  const old = page.getByRole("row").filter({ hasText: "replaced by" });
  const successor = page.getByRole("row").filter({ hasText: "replaces" });
  for (const [key, entries, day] of [
    [
      successor,
      [/^\d\d:\d\dAda Brandt replaced Payroll/, /^\d\d:\d\dAda Brandt created Payroll/],
      /^\w{3}, \d+ \w+ \d{4}$/,
    ],
    [old, [/^\d\d:\d\dAda Brandt replaced Payroll/, /^00:30Ada Brandt created Payroll/], /^Fri,? 2 Jan 2026$/],
  ] as const) {
    await chooseIn(key, "History");
    await dialog.getByText(hint).first().waitFor();
    expect(await entriesIn(page, "dialog").allTextContents()).toEqual(
      entries.map((entry) => expect.stringMatching(entry)),
    );
    await dialog.getByRole("heading", { level: 3 }).getByText(day).last().waitFor();
    if (key === old) await expectGoodLooks(page, "history-of-one");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "hidden" });
    await expectFocus(page, key.getByRole("button", { name: "Actions" }));
  }
});

test("the whole history comes 25 entries at a time, and as a CSV file in which no name is a formula", async ({
  company,
  admin,
}) => {
  await makeKey(await signedIn(admin), "=1+1");
  await sql`
    insert into app.api_key_events (company_id, created_at, action, key_id, key_name, hint, scopes, member_id, member_name)
    select company_id, created_at - n * interval '1 day', 'created', gen_random_uuid(), 'Key ' || n, hint, scopes, member_id, member_name
    from app.api_key_events, generate_series(1, 30) as n where company_id = ${company.id}`;
  const page = await signedInPage(admin);
  const entries = entriesIn(page, "region");
  await eventually(() => entries.count()).toBe(25);
  await page.getByRole("button", { name: "Older" }).click();
  await eventually(() => entries.count()).toBe(6);
  expect(await entries.last().textContent()).toContain("Key 30");
  await page.getByRole("button", { name: "Newer" }).click();
  await eventually(() => entries.first().textContent()).toContain("=1+1");

  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).click(),
  ]);
  const lines = readFileSync(await download.path(), "utf8").split("\r\n");
  expect(lines).toHaveLength(1 + 31 + 1);
  expect(lines[0]).toBe(
    "created_at,action,member,key_id,key_name,hint,scopes,expires_at,former_name,replaced_by,reason",
  );
  expect(lines[1]).toMatch(/^2.*Z,created,Ada Brandt,[0-9a-f-]{36},"'=1\+1",sk_live_….{4},read:members,,,,$/);
});

test("names of any kind are shown as they are: long, with markup, from right to left, in other scripts", async ({
  admin,
}) => {
  const client = await signedIn(admin);
  const all = ["給与システム 🚀", "W".repeat(100), '<img src=x onerror="alert(1)">', "نظام الرواتب (2026)"];
  for (const name of all) await makeKey(client, name);
  const page = await signedInPage(admin);
  expect(await names(page)).toEqual(all.reverse());
  for (const name of all) expect(await row(page, name).locator("bdi").first().textContent()).toBe(name);
});
