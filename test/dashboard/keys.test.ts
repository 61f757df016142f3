// Revoke, Rename, Replace and History: each is checked on the page and through the API. Quick check: the page tries a
// pasted key with the real API, and leaves no trace of it.
import { readFileSync } from "node:fs";
import type { Locator } from "playwright-core";
import { expect } from "vitest";
import { version } from "../../functions/public-api/table/endpoints.ts";
import { makeKey, signedIn } from "../support/companies.ts";
import { call, expectError, invalidKey, sql, stack } from "../support/stack.ts";
import { translateEachPage } from "./browser.ts";
import { chooseIn, copyAndClose, openView, row } from "./key_steps.ts";
import { expectGoodLooks } from "./looks.ts";
import { setKey, signedInPage, test } from "./scene.ts";
import { expectFocus, leave, openHistory, openQuickCheck, press, says } from "./steps.ts";

translateEachPage();

const entriesIn = (part: Locator) => part.locator("ol").getByRole("listitem");

// Proves: states.3, lifecycle.10
test("after Revoke the API answers 401, and the row says by whom and when", async ({ company, client, admin }) => {
  const { api_key } = await makeKey(client, "Power BI");
  const used = await call("/members?limit=1", api_key, { headers: { "User-Agent": "python-requests/2.32.3" } });
  expect(used.status).toBe(200);
  const page = await signedInPage(admin);
  const dialog = await chooseIn(row(page, "Power BI"), "Revoke");
  // What will stop, before it is stopped.
  await says(dialog, "just now, GET /members, by python-requests/2.32.3", "Called on 1 of 30 days: at least 1 answer");
  await expectGoodLooks(page, "revoke-key");
  expect((await call("/members", api_key)).status).toBe(200);
  await press(dialog, "Revoke key");
  await says(page, "Power BI is revoked: the API refuses it from now on.");
  await expectError(await call("/members", api_key), 401, invalidKey);
  const cell = await row(page, "Power BI").getByRole("cell").first().textContent();
  expect(cell).toMatch(/^Power BIrevokedby Ada Brandt, \d+ \w+ \d{4}sk_live_….{4}$/);

  // Others revoke while the dialog is open: the page says by whom, and the history says why an operator did.
  const [shared, leaked] = [await makeKey(client, "Shared"), await makeKey(client, "Leaked")];
  const ben = await signedIn(await company.addPerson("Ben Osei", "admin"));
  await page.reload();
  await chooseIn(row(page, "Shared"), "Revoke");
  await says(dialog, `Shared ${shared.hint} stops working now.`, "Called on 0 of 30 days");
  await ben.rpc("revoke_api_key", { key_id: shared.id });
  await sql`select app.revoke_key(${leaked.id}, 'It stood in a public repository')`;
  await press(dialog, "Revoke key");
  await says(page, /Shared had been revoked before, by Ben Osei on \d+ \w+ \d{4}/);
  await says(row(page, "Shared"), "by Ben Osei");
  await openView(page, "Inactive");
  await says(row(page, "Leaked"), "by an operator");
  const entry = entriesIn(await openHistory(page)).first();
  await expect.poll(() => entry.textContent()).toMatch(/An operator revoked Leaked.*Reason: It stood in a public rep/);
});

test("Rename changes the name and nothing else; the history keeps both names", async ({ client, admin }) => {
  const { api_key } = await makeKey(client, "Powr BI");
  await makeKey(client, "Payroll");
  const page = await signedInPage(admin);
  const dialog = await chooseIn(row(page, "Powr BI"), "Rename");
  const name = dialog.getByRole("textbox", { name: "Name" });
  expect(await name.inputValue()).toBe("Powr BI");
  await expectFocus(page, name);
  await name.fill(" ");
  await press(dialog, "Rename key", "Give the key a name.");
  await expectGoodLooks(page, "rename-key");
  await name.fill("Payroll");
  await says(dialog.getByRole("status"), "Another key has this name.");
  await name.fill("Power BI");
  expect(await dialog.getByText(/Give the key a name|Another key/).count()).toBe(0);
  await page.keyboard.press("Enter");
  await says(page, "Powr BI is called Power BI now.");
  await expectFocus(page, row(page, "Power BI"));
  await says(entriesIn(await openHistory(page)), "Ada Brandt renamed Powr BI to Power BI");
  expect((await call("/members", api_key)).status).toBe(200);
});

// Proves: lifecycle.1
test("Replace ties a new key to the old one, in the list and in both histories", async ({ company, client, admin }) => {
  const old = await makeKey(client, "Payroll", ["read:members", "read:rewards"]);
  await makeKey(client, "Power BI");
  const page = await signedInPage(admin);
  const dialog = await chooseIn(row(page, "Payroll"), "Replace");
  await says(dialog, "A new key with the same name takes the place of Payroll");
  const overlap = dialog.getByLabel("Keep the old key working for");
  await expectFocus(page, overlap);
  expect(await overlap.inputValue()).toBe("24 hours");
  expect(await overlap.getByRole("option").allTextContents()).toEqual(["7 days", "24 hours", "1 hour", "Stop it now"]);
  expect(await dialog.getByLabel("Expiry").inputValue()).toBe("");
  await overlap.selectOption("1 hour");
  await dialog.getByLabel("Expiry").selectOption("90 days");
  await expectGoodLooks(page, "replace-key");
  await press(dialog, "Replace key");
  await says(dialog, /^The old key sk_live_….{4} works until \d+ \w+ \d{4}, \d\d:\d\d \(Berlin\stime\)\.$/);
  expect(await page.getByRole("dialog", { name: "Key replaced" }).count()).toBe(1);
  await expectGoodLooks(page, "key-replaced");
  const api_key = await copyAndClose(page);

  const hint = (key: string) => `sk_live_…${key.slice(-4)}`;
  const oldRow = page.getByRole("row").filter({ hasText: `replaced by ${hint(api_key)}` });
  const newRow = page.getByRole("row").filter({ hasText: `replaces ${hint(old.api_key)}` });
  await oldRow.waitFor();
  await expectFocus(page, newRow);
  for (const key of [old.api_key, api_key]) expect((await call("/rewards", key)).status).toBe(200);
  await expectError(await call("/activity", api_key), 403, 'Forbidden: this key is missing the "read:activity" scope');
  const [stored] = await sql`
    select old.expires_at - made.created_at as overlap,
      made.expires_at at time zone 'Europe/Berlin' - date_trunc('day', now() at time zone 'Europe/Berlin') as lasts
    from app.api_keys as old join app.api_keys as made on made.id = old.replaced_by where old.id = ${old.id}`;
  expect(stored).toEqual({ overlap: "01:00:00", lasts: "91 days" });

  // In the admin's time zone this is half past midnight, and in UTC still the day before.
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_key_events set created_at = '2026-01-01T23:30:00Z'
      where company_id = ${company.id} and key_id = ${old.id} and action = 'created'`;
  });
  await page.reload();
  const replaced = /^\d\d:\d\dAda Brandt replaced Payroll/;
  for (const [key, first, day] of [
    [newRow, /^\d\d:\d\dAda Brandt created Payroll/, /^\w{3}, \d+ \w+ \d{4}$/],
    [oldRow, /^00:30Ada Brandt created Payroll/, /^Fri,? 2 Jan 2026$/],
  ] as const) {
    await chooseIn(key, "Details");
    const entries = [replaced, first].map((entry) => expect.stringMatching(entry));
    await expect.poll(() => entriesIn(dialog).allTextContents()).toEqual(entries);
    await dialog.getByRole("heading", { level: 4 }).getByText(day).last().waitFor();
    await leave(dialog, "Escape");
    await expectFocus(page, key.getByRole("button", { name: "Actions for Payroll" }));
  }
});

test("the new key lives as long as the old one, which can be stopped now", async ({ company, client, admin }) => {
  const in24Days = new Date(Date.now() + 24 * 86_400_000).toLocaleDateString("sv", { timeZone: "Europe/Berlin" });
  const ended = await makeKey(client, "Odd");
  await makeKey(client, "Quarter");
  for (const [name, age, left] of [
    ["Quarter", 30, 60],
    ["Odd", 4, 20],
  ] as const) {
    const [day] = await sql`
      select date_trunc('day', now(), 'Europe/Berlin') - ${age}::int * interval '1 day' + interval '9 hours' as created_at,
        date_trunc('day', now(), 'Europe/Berlin') + (${left}::int + 1) * interval '1 day' as expires_at`;
    await setKey(company, name, { ...day });
  }
  const shared = await makeKey(client, "Shared");
  const page = await signedInPage(admin);
  const dialog = await chooseIn(row(page, "Quarter"), "Replace");
  expect(await dialog.getByLabel("Expiry").inputValue()).toBe("90");
  await leave(dialog);
  await chooseIn(row(page, "Odd"), "Replace");
  expect(await dialog.getByLabel("Last day").inputValue()).toBe(in24Days);
  await dialog.getByLabel("Keep the old key working for").selectOption("Stop it now");
  await says(dialog, "Whatever uses the old key stops working now.");
  await press(dialog, "Replace key", "has stopped working.");
  await copyAndClose(page);
  await expectError(await call("/members", ended.api_key), 401, invalidKey);
  const [made] = await sql`
    select expires_at - now() as lasts from app.api_keys
    where company_id = ${company.id} and name = 'Odd' and id <> ${ended.id}`;
  expect(made?.lasts).toContain("24 days");

  await chooseIn(row(page, "Shared"), "Replace");
  await client.rpc("replace_api_key", { key_id: shared.id, overlap: "7 days" });
  await press(dialog, "Replace key");
  await says(dialog.getByRole("alert"), "This key cannot be replaced any more: it is revoked, expired, or replaced");
  await expectFocus(page, dialog.getByRole("button", { name: "Replace key" }));
});

test("the history comes in pages of 25, and as CSV without formulas", async ({ company, client, admin }) => {
  await makeKey(client, "=1+1");
  await sql`
    insert into app.api_key_events (company_id, created_at, action, key_id, key_name, hint, scopes, member_id, member_name)
    select company_id, created_at - n * interval '1 day', 'created', gen_random_uuid(), 'Key ' || n, hint, scopes, member_id, member_name
    from app.api_key_events, generate_series(1, 30) as n where company_id = ${company.id}`;
  const page = await signedInPage(admin);
  const entries = entriesIn(await openHistory(page));
  await expect.poll(() => entries.count()).toBe(25);
  await press(page, "Older");
  await expect.poll(() => entries.count()).toBe(6);
  expect(await entries.last().textContent()).toContain("Key 30");
  await press(page, "Newer");
  await expect.poll(() => entries.first().textContent()).toContain("=1+1");

  const [download] = await Promise.all([page.waitForEvent("download"), press(page, "Download CSV")]);
  const lines = readFileSync(await download.path(), "utf8").split("\r\n");
  expect(lines).toHaveLength(1 + 31 + 1);
  const columns =
    "created_at,action,member,key_id,key_name,hint,scopes,expires_at,former_name,replaced_by,reason,assistant";
  // With a byte-order mark, without which Excel takes UTF-8 for something else.
  expect(lines[0]).toBe(`\ufeff${columns}`);
  expect(lines[1]).toMatch(/^2.*Z,created,Ada Brandt,[0-9a-f-]{36},"'=1\+1",sk_live_….{4},read:members,,,,,$/);
});

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
  const expired = (await makeKey(client, "Audit")).api_key;
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
    [expired, /It ends like Audit sk_live_….{4}\. It expired: it worked until end of 30 Jun 2026 \(Berlin\stime\)\./],
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
