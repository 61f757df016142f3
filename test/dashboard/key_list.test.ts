// The list of keys: views, search, order and pages, at every width, with one key and with hundreds.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type ApiKey, makeKey, signedIn } from "../support/companies.ts";
import { call, sql } from "../support/stack.ts";
import { narrow, wide } from "./browser.ts";
import { chooseIn, copyAndClose, createKey, names, openMenu, openView, row, ticked } from "./key_steps.ts";
import { clipped, expectGoodLooks, settled } from "./looks.ts";
import { makeKeys, openPage, setKey, setLastUse, signedInBrowser, signedInPage, test } from "./scene.ts";
import { expectFocus, leave, press, says } from "./steps.ts";

/** Calls the API as a program, and waits until the key's use is noted, with its time in this column. */
async function use({ id, api_key }: ApiKey, path: string, program: string, column: string): Promise<void> {
  await call(path, api_key, { headers: { "User-Agent": program } });
  const noted = () => sql`select from app.api_key_uses where key_id = ${id} and ${sql(column)} is not null`;
  await expect.poll(noted).toHaveLength(1);
}

const daysFromNow = (days: number) => new Date(Date.now() + (days + 0.5) * 86_400_000).toISOString();

/** Buttons whose middle is not what a mouse or a finger would hit there. */
const outOfReach = (page: Page, buttons: string) =>
  page.locator(buttons).evaluateAll((all) =>
    all.flatMap((button) => {
      button.scrollIntoView({ block: "center" });
      const { x, y, width, height } = button.getBoundingClientRect();
      const hit = document.elementFromPoint(x + width / 2, y + height / 2);
      return width >= 24 && height >= 24 && button.contains(hit) ? [] : [button.outerHTML];
    }),
  );

/** From 320 to 1600, and 320 less the width of a scrollbar. */
const widths = [304, ...Array.from({ length: 33 }, (_, step) => 320 + 40 * step)];

test("204 keys: every action is in reach at every width, and nothing is cut", async ({ company, admin }) => {
  await makeKeys(company, admin, 204);
  const longer = {
    "System 203": "W".repeat(100),
    "System 202": "نظام الرواتب والمكافآت",
    "System 201": "給与システムと人事データベースの連携用キー 🚀",
    "System 199": '<img src=x onerror="alert(1)">',
  };
  for (const [before, name] of Object.entries(longer))
    await setKey(company, before, { name, expires_at: daysFromNow(9) });
  const page = await signedInPage(admin);
  const menus = page.locator("tbody button[aria-haspopup=menu]");
  expect((await names(page)).slice(0, 4)).toEqual(Object.values(longer));
  for (const [turn, width] of widths.entries()) {
    await page.setViewportSize({ width, height: 900 });
    expect(await menus.count()).toBe(25);
    expect(await outOfReach(page, "tbody button, thead th button:visible"), `${width} px`).toEqual([]);
    expect(await clipped(page), `${width} px`).toEqual([]);
    // Each row's menu is opened at another width: the 34 widths are more than the rows of a page.
    await menus.nth(turn % 25).click();
    expect(await outOfReach(page, "[role=menuitem]"), `${width} px`).toEqual([]);
    await leave(page.getByRole("menu"), "Escape");
  }
  await expectGoodLooks(page, "keys-204");

  // A line each, and on a phone the first one in the first screen.
  await page.setViewportSize({ width: 1280, height: 800 });
  const heights = await page.locator("tbody tr").evaluateAll((rows) => rows.map((row) => row.clientHeight));
  expect(heights.sort((one, other) => one - other)[12]).toBeLessThan(48);
  // Nothing of a row shows beside the head that stays at the top.
  await page.evaluate(() => window.scrollTo(0, 700));
  const corners = await page
    .locator("thead th")
    .evaluateAll((all) => all.map((one) => document.elementFromPoint(one.getBoundingClientRect().x + 1, 1)?.tagName));
  expect(corners).toEqual(Array(6).fill("TH"));
  // A keystroke asks for nothing, and shows a page of keys at most.
  const sent: string[] = [];
  page.on("request", (request) => sent.push(request.url()));
  const place = () => page.getByRole("searchbox").evaluate((field) => field.getBoundingClientRect().x + window.scrollX);
  const before = await place();
  await page.getByRole("searchbox").press("m");
  await page.getByRole("tab", { name: "Found 204" }).waitFor();
  expect(await place()).toBe(before);
  expect(await menus.count()).toBe(25);
  expect(sent).toEqual([]);
  await page.getByRole("searchbox").fill("");
  await page.setViewportSize({ width: 390, height: 740 });
  await page.reload();
  await names(page);
  const first = await page.locator("tbody tr").first().boundingBox();
  expect((first?.y ?? 740) + 40).toBeLessThan(740);
});

test("views show active keys first, what needs attention, and what can be done", async ({ company, client, admin }) => {
  const made: Record<string, string> = {};
  const [people, moods, catalogue] = ["read:members", "read:analytics", "read:rewards"] as const;
  for (const [name, scopes, change, lastUse, program = "Microsoft.Data.Mashup"] of [
    ["Auditors, autumn", [people, "read:activity"], { expires_at: daysFromNow(9) }, -3, "python-requests/2.32.3"],
    ["Rewards", [catalogue, "write:rewards"], { expires_at: daysFromNow(15) }, -2, "public-data-api/1.3.0 import"],
    ["Old spreadsheet", [people], { created_at: daysFromNow(-200) }, -91, "Google-Apps-Script"],
    ["Tableau trial", [people, moods], { created_at: daysFromNow(-91) }],
    ["Power BI, people dashboard", [people, "read:activity", moods], { created_at: daysFromNow(-200) }, -89],
    ["Payroll", [people], {}, 0, "Java/21"],
    ["Data warehouse", [people, "read:activity", catalogue, moods], {}],
    ["Migration 2025", [people], { expires_at: daysFromNow(-1) }],
    ["Audit", [people], { expires_at: daysFromNow(0) }],
  ] as const) {
    made[name] = (await makeKey(client, name, [...scopes])).id;
    if (Object.keys(change).length > 0) await setKey(company, name, change);
    if (lastUse === undefined) continue;
    await setLastUse(company, name, lastUse === 0 ? new Date(Date.now() + 60_000).toISOString() : daysFromNow(lastUse));
    await sql`update app.api_key_uses set last_client = ${program}, last_endpoint = 'GET /members' where key_id = ${made[name] ?? ""}`;
  }
  const lost = await makeKey(client, "Lost laptop");
  await client.rpc("revoke_api_key", { key_id: lost.id });
  await use(lost, "/teams", "python-requests/2.32.3", "refused_at");
  for (const name of ["Payroll", "Data warehouse"])
    await client.rpc("replace_api_key", { key_id: made[name], overlap: "7 days" });

  const ben = await company.addPerson("Ben Osei", "admin");
  const left = await makeKey(await signedIn(ben), "Warehouse");
  await sql`update app.members set role = 'employee' where email = ${ben.email}`;

  const page = await signedInPage(admin);
  const views = page.getByRole("tablist", { name: "Views" });
  expect(await views.getByRole("tab").allTextContents()).toEqual(["Active 11", "Needs attention 7", "Inactive 2"]);
  expect(await names(page)).not.toContain("Lost laptop");
  await expectGoodLooks(page, "keys-in-use");
  await openView(page, "Needs attention");
  const notes = {
    "Lost laptop": "python-requests still calls it; it was revoked just now",
    Audit: "Expires within a day",
    Payroll: "Replaced, still in use",
    "Auditors, autumn": "Expires in 9 days",
    Warehouse: "Ben Osei, who made it, is no admin any more",
    "Tableau trial": "Not used for 90 days",
    "Old spreadsheet": "Not used for 90 days",
  };
  // What fails first stands first.
  expect(await names(page)).toEqual(Object.keys(notes));
  for (const [name, note] of Object.entries(notes)) await says(row(page, name), note);
  // It is revoked by her, not called.
  await says(row(page, "Lost laptop"), /^still called$/, /^revoked by Ada Brandt, /);
  await expectGoodLooks(page, "needs-attention");
  await page.getByRole("searchbox").fill("ada");
  const menu = page.getByRole("menu");
  for (const [key, actions] of [
    [row(page, "Auditors, autumn"), ["Details", "Replace", "Rename", "Revoke"]],
    [page.getByRole("row").filter({ hasText: "replaced by" }).first(), ["Details", "Rename", "Revoke"]],
    [row(page, "Migration 2025"), ["Details", "Create the same again", "Rename", "Revoke"]],
    [row(page, "Lost laptop"), ["Details", "Create the same again"]],
  ] as const) {
    await openMenu(key as typeof menu);
    await expect.poll(() => menu.getByRole("menuitem").allTextContents()).toEqual(actions);
    if (actions.length === 4) await expectGoodLooks(page, "menu");
    await leave(menu, "Escape");
  }
  await openView(page, "Inactive");
  expect(await names(page)).toEqual(["Lost laptop", "Migration 2025"]);
  await row(page, "Migration 2025").getByText("expired", { exact: true }).waitFor();
  const dialog = await chooseIn(row(page, "Lost laptop"), "Details");
  await says(dialog, "GET /teams, by python-requests/2.32.3");
  await leave(dialog, "Close");
  // What can be done stands in the row.
  await openView(page, "Needs attention");
  await press(page, "Replace: Audit");
  await leave(page.getByRole("dialog", { name: "Replace key" }));
  const again = "Create the same again: Lost laptop";
  await press(page, again);
  await press(dialog, "Create key");
  const same = `sk_live_…${(await copyAndClose(page)).slice(-4)}`;
  await says(row(page, "Lost laptop"), `${notes["Lost laptop"]}, and ${same}, which replaces it, is not used yet`);
  expect(await page.getByRole("button", { name: again }).count()).toBe(0);
  // Without a gap.
  await press(page, "Replace: Warehouse");
  await press(dialog, "Replace key");
  const next = await copyAndClose(page);
  for (const key of [left.api_key, next]) expect((await call("/members?limit=1", key)).status).toBe(200);
  expect(await page.getByText("is no admin any more").count()).toBe(0);
});

test("a key that ended and is called warns until its program uses the next one", async ({ client, admin }) => {
  const old = await makeKey(client, "Warehouse");
  const { data: next } = await client.rpc("replace_api_key", { key_id: old.id, overlap: "0" });
  await use(old, "/teams", "python-requests/2.32.3", "refused_at");
  const page = await signedInPage(admin);
  await openView(page, "Needs attention");
  const words = `python-requests still calls it; it expired just now, and ${next.hint}, which replaces it, is`;
  await says(row(page, "Warehouse"), `${words} not used yet`);
  // The use of another program ends nothing.
  await use(next, "/members?limit=1", "curl/8", "last_used_at");
  await page.reload();
  await says(row(page, "Warehouse"), `${words} in use`);
  // Where what replaced a key was revoked, the key is made again.
  const kept = await makeKey(client, "Reports");
  const { data: lost } = await client.rpc("replace_api_key", {
    key_id: kept.id,
    scopes: ["read:members", "write:rewards"],
  });
  for (const key_id of [next.id, lost.id]) await client.rpc("revoke_api_key", { key_id });
  await page.reload();
  await says(row(page, "Warehouse"), `${words} revoked`);
  await says(row(page, "Reports"), `Expires within a day, and ${lost.hint}, which replaces it, is revoked`);
  await page.getByRole("button", { name: "Create the same again: Warehouse" }).waitFor();
  const again = await chooseIn(row(page, "Reports"), "Create the same again");
  // What it had itself, and not what took its place.
  expect(await ticked(again)).toEqual(["read:members"]);
  await press(again, "Create key");
  await copyAndClose(page);
  await page.reload();
  await expect.poll(() => names(page)).toEqual(["Warehouse"]);
  await sql`update app.api_key_uses set last_client = 'python-requests/3' where key_id = ${next.id}`;
  await page.reload();
  await says(page, /^No keys need attention\. .* created by a former admin/);
});

test("a search finds the one of 200 by anything that is known of it", async ({ company, client, admin }) => {
  await makeKeys(company, admin, 198);
  const { api_key } = await makeKey(client, "Année 2026", ["read:rewards"]);
  const called = await makeKey(client, "Warehouse");
  await use(called, "/members", "python-requests/2.32.3", "last_used_at");
  await use(called, "/activity", "Microsoft.Data.Mashup", "forbidden_at");
  const page = await signedInPage(admin);
  for (const text of ["python-requests", "PowerBI", "GET /members", "/activity", "power bi refused", "needs kudos"]) {
    await page.getByRole("searchbox").fill(text);
    await expect.poll(() => names(page), { message: text }).toEqual(["Warehouse"]);
  }
  // What is found can be sent: the address has it.
  await page.goto(page.url());
  await expect.poll(() => names(page)).toEqual(["Warehouse"]);
  await page.getByRole("searchbox").fill("not used yet année");
  await expect.poll(() => names(page)).toEqual(["Année 2026"]);
  const search = page.getByRole("searchbox", { name: "Search keys" });
  for (const text of ["ANNÉE", api_key.slice(-4), "ada 2026", "read:rewards année", api_key]) {
    await search.fill(text);
    await expect.poll(() => names(page)).toContain("Année 2026");
    expect(await names(page), text).not.toContain("System 3");
  }
  // A whole key is not kept, neither in the field nor in the address.
  expect(await search.inputValue()).toBe(api_key.slice(-4));
  await page.getByRole("status").getByText("1 key found", { exact: true }).waitFor({ state: "attached" });
  expect(page.url()).not.toContain("sk_live_");
  await search.fill("revoked");
  await page.getByRole("tab", { name: "Found 49", selected: true }).waitFor();
  expect((await names(page)).slice(0, 2)).toEqual(["System 196", "System 192"]);
  await search.fill("nothing like it");
  await says(page, "No keys match.");
  await openView(page, "Active");
  expect(await search.inputValue()).toBe("");
  expect(await names(page)).toHaveLength(25);
});

// Proves: lifecycle.12
test("an import that fails at night is seen with what was wrong, until one succeeds", async ({ client, admin }) => {
  const { id, api_key } = await makeKey(client, "Shop", ["read:rewards", "write:rewards"]);
  const importing = async (points_cost: unknown, notedReason: string | null) => {
    await sql`update app.api_key_uses set last_used_at = last_used_at - interval '1 day' where key_id = ${id}`;
    const body = JSON.stringify([{ external_id: "R-1", name: "Umbrella", points_cost }]);
    const headers = { "User-Agent": "Google-Apps-Script", "Content-Type": "application/json" };
    const { status } = await call("/rewards", api_key, { method: "POST", headers, body });
    const uses = () => sql`select forbidden_reason as reason from app.api_key_uses where key_id = ${id}`;
    await expect.poll(uses).toEqual([{ reason: notedReason }]);
    return status;
  };
  const rule = "points_cost must be a number of 0 or more";
  expect(await importing("ten-umbrellas", rule)).toBe(400);
  // It still reads by day.
  await sql`update app.api_key_uses set last_used_at = last_used_at - interval '1 hour' where key_id = ${id}`;
  expect((await call("/rewards", api_key)).status).toBe(200);
  const page = await signedInPage(admin);
  await openView(page, "Needs attention");
  expect(await names(page)).toEqual(["Shop"]);
  await says(row(page, "Shop"), `An import by Google Sheets was refused just now: ${rule}`, /^refused$/);
  const dialog = await chooseIn(row(page, "Shop"), "Details");
  await says(dialog, `POST /rewards, by Google-Apps-Script: ${rule}`, "2 answers, 1 refused");
  expect(await page.locator("body").textContent()).not.toContain("umbrellas");
  await expectGoodLooks(page, "refused-import");
  expect(await importing(10, null)).toBe(200);
  await page.reload();
  await says(dialog, "Refused import");
  await leave(dialog, "Close");
  expect(await names(page)).toEqual([]);
});

test("order and page are in the address; a changed key has the focus", async ({ company, client, admin, browser }) => {
  await makeKeys(company, admin, 60);
  const ends = { "System 2": "2099-01-01", "System 7": "2098-01-01", "System 9": "2026-01-01" };
  for (const [name, expires_at] of Object.entries(ends)) await setKey(company, name, { expires_at });
  await setLastUse(company, "System 5", "2026-01-01");
  const page = await openPage(browser);
  const header = (name: string) => page.getByRole("columnheader", { name });
  expect((await names(page))[0]).toBe("System 59");
  for (const [heading, first, second] of [
    ["Created", "System 1", "System 2"],
    ["Name", "System 1", "System 2"],
    ["Name", "System 59", "System 58"],
    ["Last used", "System 5", "System 59"],
    ["Expires", "System 7", "System 2"],
  ] as const) {
    await header(heading).getByRole("button").click();
    expect((await names(page)).slice(0, 2), heading).toEqual([first, second]);
  }
  expect(await header("Expires").getAttribute("aria-sort")).toBe("ascending");
  await press(page.getByRole("navigation", { name: "Pages of keys" }), "2");
  await expect.poll(() => names(page)).toHaveLength(44 - 25);
  expect(new URL(page.url()).search).toBe("?order=expiry&page=2");
  await page.reload();
  await page.locator("tbody tr").first().waitFor();
  expect(await names(page)).toHaveLength(44 - 25);
  await page.getByRole("searchbox").fill("system");
  await expect.poll(() => new URL(page.url()).search).toBe("?search=system&order=expiry");
  // Among all keys, those that have expired are not among the next to expire.
  expect((await names(page)).slice(0, 2)).toEqual(["System 7", "System 2"]);
  // On cards, which have no headings, the order is chosen, from either end.
  await page.setViewportSize(narrow);
  await page.getByLabel("Order").selectOption("Name: Z first");
  expect((await names(page)).slice(0, 2)).toEqual(["System 60", "System 59"]);
  await page.getByLabel("Order").selectOption("Expires: next first");
  await page.setViewportSize(wide);
  const other = await openPage(browser, "?view=inactive&order=name&reversed=&page=99");
  expect((await names(other))[0]).toBe("System 60");

  await openView(page, "Active");
  await press(page, "Next page");
  await expectFocus(page, page.getByRole("button", { name: "Next page", disabled: true }));
  const name = (await names(page))[3] ?? "";
  await press(await chooseIn(row(page, name), "Revoke"), "Revoke key");
  const said = page.getByRole("status").filter({ hasText: `${name} is revoked: the API refuses it from now on.` });
  await said.waitFor();
  await expectFocus(page, row(page, name));
  await row(page, name).getByText("revoked", { exact: true }).waitFor();
  await openView(page, "Active");
  await row(page, name).waitFor({ state: "hidden" });
  await expect.poll(() => said.count()).toBe(0);

  // By name it would be on the last page.
  await header("Name").getByRole("button").click();
  await makeKey(client, "Zebra");
  await createKey(page, "Zoo");
  await copyAndClose(page);
  await expectFocus(page, row(page, "Zoo"));
  expect((await names(page)).slice(-2)).toEqual(["Zebra", "Zoo"]);
});

test("Back undoes a step on the page: page, order, view, part and drawer", async ({ company, admin, browser }) => {
  await makeKeys(company, admin, 60);
  const page = await openPage(browser);
  const drawer = page.getByRole("dialog");
  const steps: [step: () => Promise<void>, query: string][] = [
    [() => press(page.getByRole("navigation", { name: "Pages of keys" }), "2"), "?page=2"],
    [() => page.getByRole("columnheader", { name: "Name" }).getByRole("button").click(), "?order=name"],
    [() => openView(page, "Inactive"), "?view=inactive"],
    [() => page.getByRole("tab", { name: "History" }).click(), "?tab=history&view=inactive"],
    [() => page.getByRole("tab", { name: "Keys" }).click(), "?view=inactive"],
  ];
  const query = () => new URL(page.url()).search;
  await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
  for (const [step, there] of steps) {
    await step();
    expect(query()).toBe(there);
    // Another page of keys begins at its top.
    if (there === "?page=2") await expect.poll(() => page.evaluate(() => window.scrollY)).toBeLessThan(400);
  }
  const name = (await names(page))[0] ?? "";
  await press(row(page, name), name);
  await drawer.waitFor();
  await page.goBack();
  await drawer.waitFor({ state: "detached" });
  await expectFocus(page, row(page, name).getByRole("button", { name, exact: true }));
  // What closed the drawer is no step: Back does not open it again.
  await press(row(page, name), name);
  await leave(drawer, "Close");
  for (const [, there] of [...steps].reverse()) {
    await expect.poll(query).toBe(there);
    await page.goBack();
  }
  await expect.poll(query).toBe("");
  await page.getByRole("tab", { name: /^Active/, selected: true }).waitFor();
});

test.for([
  ["keys", "/integrations/public-api", (page: Page) => page.locator("tbody tr").first()],
  ["no admin", "/integrations/public-api", (page: Page) => page.getByText("Only admins manage API keys")],
  ["reference", "/reference/", (page: Page) => page.getByRole("button", { name: "Sign out" })],
] as const)(
  "nothing moves when the data and the typeface arrive, and nothing is cut, at any width: %s",
  async ([what, at, arrived], { company, admin }) => {
    await makeKeys(company, admin, 30);
    const person = what === "no admin" ? await company.addPerson("Ben Osei", "employee") : admin;
    const browser = await signedInBrowser(person);
    for (const width of [320, 390, 768, 1280, 1440]) {
      const page = await browser.newPage();
      await page.setViewportSize({ width, height: 800 });
      // An answer comes when all that waits for it has appeared.
      await page.route("**/rpc/*", (route) => settled(page).then(() => route.continue()));
      const typeface = Promise.withResolvers<void>();
      await page.route("**/*.woff2", (route) => typeface.promise.then(() => route.continue()));
      await page.addInitScript(() => {
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) shifts.push((entry as unknown as { value: number }).value);
        }).observe({ type: "layout-shift", buffered: true });
        const shifts: number[] = [];
        Object.assign(window, { shifts });
      });
      await page.goto(at, { waitUntil: "commit" });
      await arrived(page).waitFor();
      const loaded = page.waitForEvent("requestfinished", (request) => request.url().endsWith(".woff2"));
      typeface.resolve();
      await loaded;
      await page.evaluate(() => document.fonts.ready.then(() => new Promise((drawn) => requestAnimationFrame(drawn))));
      const shifts = await page.evaluate(() => (window as unknown as { shifts: number[] }).shifts);
      const moved = shifts.reduce((sum, one) => sum + one, 0);
      expect(moved, `${width} px: ${shifts}`).toBeLessThan(0.02);
      expect(await clipped(page), `${width} px`).toEqual([]);
      await page.close();
    }
  },
);
