// The list of keys, Revoke and History: each is checked on the page and through the API.
import { spawnSync } from "node:child_process";
import { expect, onTestFinished } from "vitest";
import { emptyCompany, makeKey, signedIn } from "../support/companies.ts";
import { call, expectError, invalidKey, sql, stack } from "../support/stack.ts";
import { expectGoodLooks } from "./looks.ts";
import { signedInPage, test } from "./scene.ts";
import { copyAndClose, createKey, row } from "./steps.ts";

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

test("the list is newest first; last used says never until the key is used", async ({ page }) => {
  for (const name of ["First", "Second", "Third"]) {
    await createKey(page, name);
    await copyAndClose(page);
    await row(page, name).waitFor();
  }
  const names = await page.getByRole("row").locator("td:first-child").allTextContents();
  expect(names.map((name) => name.split(" ")[0])).toEqual(["Third", "Second", "First"]);
  expect(await row(page, "Second").getByRole("cell").nth(3).textContent()).toBe("never");
});

test("the page of an admin shows only their own company's keys and history", async ({ admin }) => {
  const rival = await emptyCompany("Rival & Co");
  onTestFinished(() => rival.remove());
  await makeKey(await signedIn(await rival.addPerson("Theo Rival", "admin")), "Theirs");
  await makeKey(await signedIn(admin), "Ours alone");
  const page = await signedInPage(admin);
  await row(page, "Ours alone").waitFor();
  expect(await page.getByRole("row").count()).toBe(2);
  expect(await page.getByRole("region", { name: "History" }).getByRole("listitem").count()).toBe(1);
});

test("the curl line asks for the key, works in a shell, and holds no key", async ({ page }) => {
  const key = await createKey(page, "Shell");
  await page.getByRole("button", { name: "Copy curl line" }).click();
  await page.getByText("Copied", { exact: true }).last().waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).not.toContain("sk_live_");
  const shell = spawnSync("bash", ["-c", line], { input: `${key}\n`, encoding: "utf8" });
  expect(shell.stderr).not.toContain(key);
  expect(shell.stdout).toContain('"key_name":"Shell"');
});

test("Revoke names the key and its last use; from then on the API answers 401 and the row says by whom and when", async ({
  company,
  page,
}) => {
  const key = await createKey(page, "Power BI");
  await copyAndClose(page);
  await row(page, "Power BI").getByRole("button", { name: "Revoke" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(`Power BI sk_live_…${key.slice(-4)} has never been used.`).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "hidden" });

  expect((await call("/members", key)).status).toBe(200);
  await page.reload();
  await row(page, "Power BI").getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText(/was last used on \d+ \w+ \d{4}, \d\d:\d\d\./).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();

  // A time that is neither that of the key's creation nor the present time.
  await sql`update app.api_key_uses set last_used_at = '2026-01-02T03:04:05Z' where company_id = ${company.id}`;
  await page.reload();
  await row(page, "Power BI").getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText("was last used on 2 Jan 2026, 04:04.").waitFor();
  await expectGoodLooks(page, "revoke-key");
  expect((await call("/members", key)).status).toBe(200);
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await dialog.waitFor({ state: "hidden" });
  await expectError(await call("/members", key), 401, invalidKey);

  await page.getByText("Power BI is revoked: the API refuses it from now on.").waitFor();
  const status = await row(page, "Power BI").getByRole("cell").nth(4).textContent();
  expect(status).toMatch(/^revoked {2}by Ada Brandt, \d+ \w+ \d{4}, \d\d:\d\d$/);
  expect(await row(page, "Power BI").getByRole("button", { name: "Revoke" }).count()).toBe(0);
});

test("the history tells every create and revoke: who, when, which key, what scopes", async ({ page }) => {
  const key = await createKey(page, "Power BI");
  await copyAndClose(page);
  await row(page, "Power BI").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });

  const entries = await page.getByRole("region", { name: "History" }).getByRole("listitem").allTextContents();
  const what = (action: string) =>
    expect.stringMatching(
      new RegExp(`^\\d\\d:\\d\\dAda Brandt ${action} Power BI sk_live_…${key.slice(-4)}read:members, read:activity$`),
    );
  expect(entries).toEqual([what("revoked"), what("created")]);
  const days = page.getByRole("region", { name: "History" }).getByRole("heading", { level: 3 });
  await days.getByText(/^\w{3}, \d+ \w+ \d{4}$/).waitFor();
});

test("a page in use: several admins' keys, used and unused, active, expired and revoked, all told apart", async ({
  company,
  admin,
}) => {
  const client = await signedIn(admin);
  const ben = await signedIn(await company.addPerson("Ben Osei", "admin"));
  const old = await makeKey(client, "Old spreadsheet");
  const autumn = await makeKey(ben, "Auditors, autumn", ["read:members", "read:analytics"]);
  await makeKey(ben, "Reward catalogue import", ["read:rewards", "write:rewards"]);
  const { api_key } = await makeKey(client, "Power BI, people dashboard", ["read:members", "read:activity"]);
  await client.rpc("revoke_api_key", { key_id: old.id });
  expect((await call("/members", api_key)).status).toBe(200);
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    const then = tx`created_at = created_at - interval '40 days', expires_at = now() - interval '9 days'`;
    await tx`update app.api_keys set ${then} where company_id = ${company.id} and id = ${autumn.id}`;
    await tx`update app.api_key_events set ${then} where company_id = ${company.id} and key_id = ${autumn.id}`;
  });

  const page = await signedInPage(admin);
  const statuses = await page.getByRole("row").locator("td:nth-child(5)").allTextContents();
  expect(statuses).toEqual([
    "active  no expiry",
    "active  no expiry",
    expect.stringMatching(/^revoked {2}by Ada Brandt/),
    expect.stringMatching(/^expired {2}since/),
  ]);
  await expectGoodLooks(page, "keys");
});

test("a long history shows its newest entries first and all of them on demand", async ({ company, page }) => {
  await createKey(page, "Model");
  await copyAndClose(page);
  await sql`
    insert into app.api_key_events (company_id, created_at, action, key_id, key_name, hint, scopes, member_id, member_name)
    select company_id, created_at - n * interval '1 day', 'created', gen_random_uuid(), 'Key ' || n, hint, scopes, member_id, member_name
    from app.api_key_events, generate_series(1, 24) as n where company_id = ${company.id}`;
  await page.reload();
  const entries = page.getByRole("region", { name: "History" }).getByRole("listitem");
  await entries.first().waitFor();
  expect(await entries.count()).toBe(10);
  await page.getByRole("button", { name: "Show all 25" }).click();
  expect(await entries.count()).toBe(25);
  expect(await entries.last().textContent()).toContain("Key 24");
});

test("names of any kind are shown as they are: long, with markup, in other scripts", async ({ page }) => {
  for (const name of ["給与システム 🚀", "W".repeat(100), '<img src=x onerror="alert(1)">']) {
    await createKey(page, name);
    await copyAndClose(page);
    await row(page, name).waitFor();
  }
});
