// Quick check: the page tries a new key or a pasted one with the real API, and leaves no trace of the key.
import { expect } from "vitest";
import { endpoints, version } from "../../functions/public-api/endpoints.ts";
import { makeKey, signedIn } from "../support/companies.ts";
import { stack } from "../support/stack.ts";
import { eventually } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { setKey, signedInPage, test } from "./scene.ts";
import { copyAndClose, createKey, row } from "./steps.ts";

/** What the page shows for a key with the default scopes of a new key. */
const shown = endpoints.map(({ method, path, scope }) => {
  const isOpen = scope === null || ["read:members", "read:activity"].includes(scope);
  return `${method} ${path}${isOpen ? "" : ` no access (needs ${scope})`}`;
});

test("a new key is checked before it is handed over: version, scopes, endpoints; then it counts as used", async ({
  page,
}) => {
  await createKey(page, "Power BI");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Check key" }).click();
  await dialog.getByText("Power BI works: it opens data of Hollis & Rowe.").waitFor();
  await dialog.getByText(version, { exact: true }).waitFor();
  await dialog.getByText("read:members, read:activity", { exact: true }).waitFor();
  expect(await dialog.getByRole("listitem").allTextContents()).toEqual(shown);
  await expectGoodLooks(page, "checked-key");
  await copyAndClose(page);
  await eventually(() => row(page, "Power BI").getByRole("cell").nth(3).textContent()).toBe("just now");
});

test("a pasted key goes to the base address in a header, and into no address, storage or field afterwards", async ({
  admin,
}) => {
  const { api_key } = await makeKey(await signedIn(admin), "Payroll");
  const page = await signedInPage(admin);
  const requested = page.waitForRequest((request) => request.url() === stack.api_url && request.method() === "GET");
  await page.getByLabel("Key to check").fill(`  ${api_key} `);
  await page.getByRole("button", { name: "Check key" }).click();
  expect((await requested).headers()["x-api-key"]).toBe(api_key);
  await page.getByText("Payroll works: it opens data of Hollis & Rowe.").waitFor();
  await expectGoodLooks(page, "quick-check");
  expect(await page.getByLabel("Key to check").inputValue()).toBe("");
  expect(await page.content()).not.toContain(api_key);
  const stored = await page.evaluate(async () => [
    JSON.stringify({ ...localStorage, ...sessionStorage }),
    document.cookie,
    String((await indexedDB.databases()).length + (await caches.keys()).length),
    JSON.stringify(history.state),
  ]);
  expect(stored.join()).not.toContain("sk_live_");
  expect(stored[2]).toBe("0");
});

test("a key may be pasted with blanks, a line break, or the header that it stood in", async ({ admin }) => {
  const { api_key } = await makeKey(await signedIn(admin), "Payroll");
  const page = await signedInPage(admin);
  const pasted = [
    `Bearer ${api_key}`,
    `bearer  ${api_key}\t`,
    `Authorization: Bearer ${api_key}`,
    `X-API-Key: ${api_key}`,
  ];
  for (const text of [...pasted, `${api_key.slice(0, 20)} ${api_key.slice(20)}`]) {
    const requested = page.waitForRequest((request) => request.url() === stack.api_url && request.method() === "GET");
    await page.getByLabel("Key to check").fill(text);
    await page.getByRole("button", { name: "Check key" }).click();
    expect((await requested).headers()["x-api-key"], text).toBe(api_key);
    await page.getByText("Payroll works").waitFor();
  }
});

test("an answer that is none is not taken for a good key", async ({ admin }) => {
  const { api_key } = await makeKey(await signedIn(admin), "Payroll");
  const page = await signedInPage(admin);
  const good = { version, company_name: "Hollis & Rowe", key_name: "Payroll", scopes: [], endpoints: [] };
  for (const status of [500, 503, 429, 204]) {
    await page.route(stack.api_url, (route) => route.fulfill({ status, ...(status === 204 ? {} : { json: good }) }));
    await page.getByLabel("Key to check").fill(api_key);
    await page.getByRole("button", { name: "Check key" }).click();
    const section = page.getByRole("region", { name: "Quick check" });
    await section.getByRole("alert").getByText("The API did not answer as it should.").waitFor();
    expect(await page.getByText("Payroll works").count(), String(status)).toBe(0);
    await page.unroute(stack.api_url);
  }
});

test("a mistyped and a cut key are refused in plain words, which go as soon as the field changes", async ({ page }) => {
  const field = page.getByLabel("Key to check");
  const section = page.getByRole("region", { name: "Quick check" });
  const tries = {
    sk_live_mistyped: "This is not a whole key: a key is sk_live_ followed by 38 letters and digits.",
    [`sk_live_${"x".repeat(38)}é`]: "This is not a whole key: a key is sk_live_ followed by 38 letters and digits.",
    [`sk_live_${"x".repeat(38)}`]: "This key does not work: it is mistyped, revoked or expired.",
  };
  for (const [key, words] of Object.entries(tries)) {
    await field.fill(key);
    await page.getByRole("button", { name: "Check key" }).click();
    await section.getByRole("alert").getByText(words, { exact: true }).waitFor();
    await field.press("End");
    await field.press("y");
    await section.getByRole("alert").waitFor({ state: "hidden" });
  }
});

test("a refused key whose end is in the list is named, with who revoked it and when, or that it expired", async ({
  company,
  admin,
}) => {
  const client = await signedIn(admin);
  const ben = await signedIn(await company.addPerson("Ben Osei", "admin"));
  const [revoked, expired, active] = [
    await makeKey(client, "Payroll"),
    await makeKey(client, "Audit"),
    await makeKey(client, "Power BI"),
  ];
  const page = await signedInPage(admin);
  await row(page, "Payroll").waitFor();
  // The page does not know of this revoke: it learns of it when the key is refused.
  await ben.rpc("revoke_api_key", { key_id: revoked.id });
  await setKey(company, "Audit", { expires_at: "2026-06-30T22:00Z" });

  const mistyped = active.api_key.replace(/^sk_live_...../, "sk_live_00000");
  const words = [
    [revoked.api_key, /It ends like “Payroll” \(sk_live_….{4}\)\. Ben Osei revoked it on \d+ \w+ \d{4}, \d\d:\d\d\./],
    [expired.api_key, /It ends like “Audit” .*It expired: it worked until end of 30 Jun 2026 \(Berlin time\)\./],
    [mistyped, /It ends like “Power BI” .*That one works, so the pasted text differs/],
  ] as const;
  for (const [key, said] of words) {
    await page.getByLabel("Key to check").fill(key);
    await page.getByRole("button", { name: "Check key" }).click();
    await page.getByRole("region", { name: "Quick check" }).getByRole("alert").getByText(said).waitFor();
  }
  await page.reload();
  await page.getByLabel("Key to check").fill(revoked.api_key);
  await page.getByRole("button", { name: "Check key" }).click();
  await page.getByRole("alert").getByText("It ends like").waitFor();
  await expectGoodLooks(page, "refused-key");
});
