// The list of keys: views, search, order and pages, at every width, with one key and with hundreds.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { makeKey, signedIn } from "../support/companies.ts";
import { eventually } from "./browser.ts";
import { clipped, expectGoodLooks } from "./looks.ts";
import { makeKeys, openPage, setKey, setLastUse, signedInBrowser, signedInPage, test } from "./scene.ts";
import { chooseIn, expectFocus, names, openView, row } from "./steps.ts";

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

test.for([1, 6, 27, 204])(
  "%i keys: every action is in reach at every width from 320 to 1600, and nothing is cut",
  async (count, { company, admin }) => {
    await makeKeys(company, admin, count);
    for (const [name, longer] of [
      ["System 1", "W".repeat(100)],
      ["System 3", "نظام الرواتب والمكافآت"],
      ["System 5", "給与システムと人事データベースの連携用キー"],
    ] as const) {
      await setKey(company, name, { name: longer, expires_at: daysFromNow(9) });
    }
    const page = await signedInPage(admin);
    for (let width = 320; width <= 1600; width += 40) {
      await page.setViewportSize({ width, height: 900 });
      expect(await page.locator("tbody tr").count()).toBe(Math.min(25, count - Math.floor(count / 4)));
      expect(await outOfReach(page, "tbody button, thead th button:visible"), `${width} px`).toEqual([]);
      expect(await clipped(page), `${width} px`).toEqual([]);
      if (count !== 6) continue;
      await page.locator("tbody button").first().click();
      expect(await outOfReach(page, "[role=menuitem]"), `${width} px`).toEqual([]);
      await page.getByRole("menu").press("Escape");
      await page.getByRole("menu").waitFor({ state: "hidden" });
    }
    await expectGoodLooks(page, `keys-${count}`);
  },
);

test("active keys come first, others have views of their own, and each key offers what its status allows", async ({
  company,
  admin,
}) => {
  const client = await signedIn(admin);
  const made = new Map<string, string>();
  for (const name of [
    "Auditors, autumn",
    "Reward catalogue import",
    "Old spreadsheet",
    "Tableau trial",
    "Power BI, people dashboard",
    "Payroll",
    "Data warehouse",
    "Migration 2025",
    "Lost laptop",
  ]) {
    made.set(name, (await makeKey(client, name)).id);
  }
  await client.rpc("revoke_api_key", { key_id: made.get("Lost laptop") });
  for (const name of ["Payroll", "Data warehouse"])
    await client.rpc("replace_api_key", { key_id: made.get(name), overlap: "7 days" });
  await setLastUse(company, "Payroll", daysFromNow(0));
  await setKey(company, "Auditors, autumn", { expires_at: daysFromNow(9) });
  await setKey(company, "Reward catalogue import", { expires_at: daysFromNow(15) });
  await setKey(company, "Old spreadsheet", { created_at: daysFromNow(-200) });
  await setLastUse(company, "Old spreadsheet", daysFromNow(-91));
  await setKey(company, "Tableau trial", { created_at: daysFromNow(-91) });
  await setKey(company, "Power BI, people dashboard", { created_at: daysFromNow(-200) });
  await setLastUse(company, "Power BI, people dashboard", daysFromNow(-89));
  await setKey(company, "Migration 2025", { expires_at: daysFromNow(-1) });

  const page = await signedInPage(admin);
  const tabs = () => page.getByRole("tab").allTextContents();
  expect(await tabs()).toEqual(["Active 9", "Needs attention 4", "Inactive 2"]);
  expect(await names(page)).not.toContain("Lost laptop");
  await expectGoodLooks(page, "keys-in-use");
  await openView(page, "Needs attention");
  expect((await names(page)).sort()).toEqual(["Auditors, autumn", "Old spreadsheet", "Payroll", "Tableau trial"]);
  for (const [name, note] of [
    ["Auditors, autumn", "Expires in 9 days"],
    ["Old spreadsheet", "Not used for 90 days"],
    ["Tableau trial", "Not used for 90 days"],
    ["Payroll", "Replaced, still in use"],
  ] as const) {
    await row(page, name).getByText(note, { exact: true }).waitFor();
  }
  await expectGoodLooks(page, "needs-attention");
  await page.getByRole("searchbox").fill("ada");
  const menu = page.getByRole("menu");
  for (const [key, actions] of [
    [row(page, "Auditors, autumn"), ["Replace", "Rename", "History", "Revoke"]],
    [page.getByRole("row").filter({ hasText: "replaced by" }).first(), ["Rename", "History", "Revoke"]],
    [row(page, "Migration 2025"), ["Rename", "History", "Revoke"]],
    [row(page, "Lost laptop"), ["History"]],
  ] as const) {
    await key.getByRole("button", { name: "Actions" }).click();
    await eventually(() => menu.getByRole("menuitem").allTextContents()).toEqual(actions);
    await menu.press("Escape");
    await menu.waitFor({ state: "hidden" });
  }
  await openView(page, "Inactive");
  expect(await names(page)).toEqual(["Lost laptop", "Migration 2025"]);
  await row(page, "Lost laptop").getByText("by Ada Brandt").last().waitFor();
  await row(page, "Migration 2025").getByText("expired", { exact: true }).waitFor();
});

test("a search finds keys of every view by name, ending, scope, status and person; an empty one says so", async ({
  company,
  admin,
}) => {
  await makeKeys(company, admin, 9);
  const { api_key } = await makeKey(await signedIn(admin), "Année 2026", ["read:rewards"]);
  const page = await signedInPage(admin);
  const search = page.getByRole("searchbox", { name: "Search keys" });
  for (const text of ["ANNÉE", api_key.slice(-4), "ada 2026", "read:rewards année", api_key]) {
    await search.fill(text);
    await eventually(() => names(page)).toContain("Année 2026");
    expect(await names(page), text).not.toContain("System 3");
  }
  // A whole key is not kept, neither in the field nor in the address.
  expect(await search.inputValue()).toBe(api_key.slice(-4));
  expect(page.url()).not.toContain("sk_live_");
  await search.fill("revoked");
  await page.getByRole("tab", { name: "Found 2", selected: true }).waitFor();
  expect(await names(page)).toEqual(["System 8", "System 4"]);
  await search.fill("nothing like it");
  await page.getByText("No keys match.").waitFor();
  await openView(page, "Active");
  expect(await search.inputValue()).toBe("");
  expect(await names(page)).toHaveLength(8);
});

test("each heading sorts and, clicked again, reverses; view, search, order and page are in the address", async ({
  company,
  admin,
}) => {
  await makeKeys(company, admin, 60);
  await setKey(company, "System 2", { expires_at: "2099-01-01" });
  await setKey(company, "System 7", { expires_at: "2098-01-01" });
  await setKey(company, "System 9", { expires_at: "2026-01-01" });
  await setLastUse(company, "System 5", "2026-01-01");
  const browser = await signedInBrowser(admin);
  const page = await openPage(browser);
  const order = async (heading: string) => {
    await page.getByRole("columnheader", { name: heading }).getByRole("button").click();
    return (await names(page)).slice(0, 2);
  };
  expect((await names(page))[0]).toBe("System 59");
  expect(await order("Created")).toEqual(["System 1", "System 2"]);
  expect(await order("Name")).toEqual(["System 1", "System 2"]);
  expect(await order("Name")).toEqual(["System 59", "System 58"]);
  expect((await order("Last used"))[0]).toBe("System 5");
  expect(await order("Expires")).toEqual(["System 7", "System 2"]);
  expect(await page.getByRole("columnheader", { name: "Expires" }).getAttribute("aria-sort")).toBe("ascending");

  await page.getByRole("navigation", { name: "Pages of keys" }).getByRole("button", { name: "2" }).click();
  await eventually(() => names(page)).toHaveLength(44 - 25);
  expect(new URL(page.url()).search).toBe("?order=expiry&page=2");
  await page.reload();
  await page.locator("tbody tr").first().waitFor();
  expect(await names(page)).toHaveLength(44 - 25);
  await page.getByRole("searchbox").fill("system");
  expect(new URL(page.url()).search).toBe("?search=system&order=expiry");
  // Among all keys, those that have expired are not among the next to expire.
  expect((await names(page)).slice(0, 2)).toEqual(["System 7", "System 2"]);

  const other = await openPage(browser, "?view=inactive&order=name&reversed=&page=99");
  expect((await names(other))[0]).toBe("System 60");
});

test("what came of an action is said where it is in sight, and its row has the focus on whichever page it is", async ({
  company,
  admin,
}) => {
  await makeKeys(company, admin, 60);
  const page = await signedInPage(admin);
  await page.getByRole("button", { name: "Next page" }).click();
  await chooseIn(row(page, "System 7"), "Revoke");
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  const said = page.getByRole("status").filter({ hasText: "System 7 is revoked: the API refuses it from now on." });
  await said.waitFor();
  await expectFocus(page, row(page, "System 7"));
  await row(page, "System 7").getByText("revoked", { exact: true }).waitFor();
  await openView(page, "Active");
  await row(page, "System 7").waitFor({ state: "hidden" });
  await eventually(() => said.count()).toBe(0);

  // By name it would be on the last page.
  await page.getByRole("columnheader", { name: "Name" }).getByRole("button").click();
  await makeKey(await signedIn(admin), "Zebra");
  await page.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Zoo");
  await page.getByRole("dialog").getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("button", { name: "Done" }).click();
  await expectFocus(page, row(page, "Zoo"));
  expect((await names(page)).slice(-2)).toEqual(["Zebra", "Zoo"]);
});
