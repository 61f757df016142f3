// The list, Create key, Revoke, History: each seen on the page and proven through the API.
import { spawnSync } from "node:child_process";
import { beforeEach, expect, test } from "vitest";
import { call, expectError, invalidKey, sql, stack } from "../api/stack.ts";
import { newPage } from "./browser.ts";
import { makeKey, type Person, signedIn, TestCompany } from "./company.ts";
import { expectGoodLooks } from "./looks.ts";
import { copyAndClose, createKey, row, signIn } from "./steps.ts";

let company: TestCompany;
let admin: Person;
beforeEach(async () => {
  company = await TestCompany.create("Hollis & Rowe");
  admin = await company.addPerson("Ada Brandt", "admin");
  return () => company.remove();
});

test("without keys the page explains what a key is for, and shows the base address with a copy button", async () => {
  const page = await newPage();
  await signIn(page, admin);
  await page.getByText("A key lets one other system").waitFor();
  await page.getByText(stack.api_url, { exact: true }).waitFor();
  await expectGoodLooks(page, "no-keys");
  await page.getByRole("button", { name: "Copy base address" }).click();
  await page.getByText("Copied").waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(stack.api_url);
});

test("Create key shows the key once; it works with exactly the ticked scopes, and the list tells all about it", async () => {
  const page = await newPage();
  await signIn(page, admin);
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();

  const boxes = dialog.getByRole("checkbox");
  const labels = await boxes.evaluateAll((all) =>
    all.map((box) => (box as HTMLInputElement).labels?.[0]?.textContent ?? ""),
  );
  const ticked = await boxes.evaluateAll((all) => all.map((box) => (box as HTMLInputElement).checked));
  expect(labels.map((label) => label.split(" ")[0])).toEqual([
    "read:members",
    "read:activity",
    "read:rewards",
    "read:analytics",
    "write:rewards",
  ]);
  expect(ticked).toEqual([true, true, false, false, false]);
  expect(labels[0]).toContain("names, e-mail addresses");
  expect(labels[3]).toContain("moods");
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

  const cells = await row(page, "Power BI").getByRole("cell").allTextContents();
  expect(cells).toEqual([
    `Power BI sk_live_…${key.slice(-4)}`,
    "read:membersread:analytics",
    expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d by Ada Brandt$/),
    expect.stringMatching(/^\d+ \w+ \d{4}, \d\d:\d\d$/),
    "active  no expiry",
    "ReplaceRevoke",
  ]);
  const created = row(page, "Power BI").getByRole("time").first();
  expect(await created.getAttribute("title")).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/);
});

test("the list is newest first; last used says never until the key is used", async () => {
  const page = await newPage();
  await signIn(page, admin);
  for (const name of ["First", "Second", "Third"]) {
    await createKey(page, name);
    await copyAndClose(page);
    await row(page, name).waitFor();
  }
  const names = await page.getByRole("row").locator("td:first-child").allTextContents();
  expect(names.map((name) => name.split(" ")[0])).toEqual(["Third", "Second", "First"]);
  expect(await row(page, "Second").getByRole("cell").nth(3).textContent()).toBe("never");
});

test("errors stand beside their field, and the right ones go when it is put right", async () => {
  const page = await newPage();
  await signIn(page, admin);
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  const name = dialog.getByRole("textbox", { name: "Name" });
  const create = dialog.getByRole("button", { name: "Create key" });
  for (const scope of ["read:members", "read:activity"]) await dialog.getByRole("checkbox", { name: scope }).uncheck();
  await dialog.getByLabel("Expiry").selectOption("On a date …");
  await dialog.getByLabel("Last day").fill("2020-02-29");
  await create.click();

  await dialog.getByText("Give the key a name: what will use it?").waitFor();
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

  await name.fill("Payroll");
  expect(await name.getAttribute("aria-invalid")).toBeNull();
  await dialog.getByLabel("Last day").fill("");
  // Typed by hand and left half-way: the browser's own form data takes it for no date.
  await dialog.getByLabel("Last day").press("1");
  await create.click();
  await dialog.getByText("Enter the whole date.").waitFor();
  expect(await sql`select from app.api_keys where company_id = ${company.id}`).toHaveLength(0);

  await dialog.getByLabel("Last day").fill("2099-12-31");
  await create.click();
  await dialog.getByLabel("API key").waitFor();
});

test("the database's own refusal stands beside the field that it names", async () => {
  const page = await newPage();
  await signIn(page, admin);
  await page.route("**/rpc/create_api_key", async (route) => {
    const body = { ...route.request().postDataJSON(), name: "x".repeat(101) };
    await route.continue({ postData: JSON.stringify(body) });
  });
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Short");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await dialog.getByText("name must be a text of 1 to 100 characters").waitFor();
  expect(await dialog.getByRole("textbox", { name: "Name" }).getAttribute("aria-invalid")).toBe("true");
});

test("an expiry by date is the end of that day for the admin; form and list say the same, everywhere with the zone", async () => {
  const page = await newPage({ timezoneId: "Europe/Berlin" });
  await signIn(page, admin);
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill("Audit");
  await dialog.getByLabel("Expiry").selectOption("On a date …");
  await dialog.getByLabel("Last day").fill("2099-06-30");
  await dialog.getByText("Works until 30 Jun 2099, 24:00 CEST, the end of that day where you are.").waitFor();
  await expectGoodLooks(page, "create-key-expiry");
  await dialog.getByRole("button", { name: "Create key" }).click();
  const key = await dialog.getByLabel("API key").inputValue();
  await copyAndClose(page);
  await row(page, "Audit").getByText("until 30 Jun 2099, 24:00 CEST").waitFor();
  const [stored] = await sql`select expires_at from app.api_keys where company_id = ${company.id}`;
  expect(stored?.expires_at.toISOString()).toBe("2099-06-30T22:00:00.000Z");
  const elsewhere = await newPage({ timezoneId: "America/New_York" });
  await signIn(elsewhere, admin);
  await row(elsewhere, "Audit").getByText("until 30 Jun 2099, 18:00 GMT-4").waitFor();

  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx`update app.api_keys set expires_at = now() - interval '1 hour' where company_id = ${company.id}`;
  });
  await page.reload();
  await row(page, "Audit").getByText("expired", { exact: true }).waitFor();
  await expectError(await call("", key), 401, invalidKey);
});

test("an expiry in 30, 90 or 365 days is the end of that day, also over a change of the clocks", async () => {
  const page = await newPage({ timezoneId: "Europe/Berlin" });
  await page.clock.setFixedTime(new Date("2027-03-01T10:00:00+01:00"));
  await signIn(page, admin);
  const ends = {
    "30": "2027-03-31T22:00:00.000Z",
    "90": "2027-05-30T22:00:00.000Z",
    "365": "2028-02-29T23:00:00.000Z",
  };
  for (const [days, end] of Object.entries(ends)) {
    await page.getByRole("button", { name: "Create key" }).click();
    const dialog = page.getByRole("dialog");
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

test("closing the dialog with a new key by accident asks first, until the key has been copied", async () => {
  const page = await newPage();
  await signIn(page, admin);
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

test("after a copy nothing asks: by the button or by hand, Done or Escape, and leaving the page", async () => {
  const page = await newPage();
  await signIn(page, admin);
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

test("the curl line asks for the key, works in a shell, and holds no key", async () => {
  const page = await newPage();
  await signIn(page, admin);
  const key = await createKey(page, "Shell");
  await page.getByRole("button", { name: "Copy curl line" }).click();
  await page.getByText("Copied", { exact: true }).last().waitFor();
  const line = await page.evaluate(() => navigator.clipboard.readText());
  expect(line).not.toContain("sk_live_");
  const shell = spawnSync("bash", ["-c", line], { input: `${key}\n`, encoding: "utf8" });
  expect(shell.stderr).not.toContain(key);
  expect(shell.stdout).toContain('"key_name":"Shell"');
});

test("Revoke names the key and its last use; from then on the API answers 401 and the row says by whom and when", async () => {
  const page = await newPage();
  await signIn(page, admin);
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

  // Not the moment at which it was created, nor now.
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
  expect(await row(page, "Power BI").getByRole("button").count()).toBe(0);
});

test("the history tells every create and revoke: who, when, which key, what scopes", async () => {
  const page = await newPage();
  await signIn(page, admin);
  const key = await createKey(page, "Power BI");
  await copyAndClose(page);
  await row(page, "Power BI").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByRole("dialog").waitFor({ state: "hidden" });

  const entries = await page.getByRole("region", { name: "History" }).getByRole("listitem").allTextContents();
  const time = "\\d+ \\w+ \\d{4}, \\d\\d:\\d\\d";
  const what = (action: string) =>
    expect.stringMatching(
      new RegExp(`^${time}Ada Brandt ${action} Power BI sk_live_…${key.slice(-4)}read:members, read:activity$`),
    );
  expect(entries).toEqual([what("revoked"), what("created")]);
});

test("a page in use: several admins' keys, used and unused, active, expired and revoked, all told apart", async () => {
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

  const page = await newPage();
  await signIn(page, admin);
  const statuses = await page.getByRole("row").locator("td:nth-child(5)").allTextContents();
  expect(statuses).toEqual([
    "active  no expiry",
    "active  no expiry",
    expect.stringMatching(/^revoked {2}by Ada Brandt/),
    expect.stringMatching(/^expired {2}since/),
  ]);
  await expectGoodLooks(page, "keys");
});

test("a long history shows its newest entries first and all of them on demand", async () => {
  const page = await newPage();
  await signIn(page, admin);
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

test("names of any kind are shown as they are: long, with markup, in other scripts", async () => {
  const page = await newPage();
  await signIn(page, admin);
  for (const name of ["給与システム 🚀", "W".repeat(100), '<img src=x onerror="alert(1)">']) {
    await createKey(page, name);
    await copyAndClose(page);
    await row(page, name).waitFor();
  }
});
