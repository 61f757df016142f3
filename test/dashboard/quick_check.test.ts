// Quick check: a new or a pasted key is tried against the real API from the page, and leaves no trace.
import { beforeEach, expect, test } from "vitest";
import { stack } from "../api/stack.ts";
import { eventually, newPage } from "./browser.ts";
import { makeKey, type Person, signedIn, TestCompany } from "./company.ts";
import { expectGoodLooks } from "./looks.ts";
import { createKey, row, signIn } from "./steps.ts";

let company: TestCompany;
let admin: Person;
beforeEach(async () => {
  company = await TestCompany.create("Hollis & Rowe");
  admin = await company.addPerson("Ada Brandt", "admin");
  return () => company.remove();
});

const endpoints = [
  "GET /",
  "GET /members",
  "GET /activity",
  "GET /rewards closed: needs read:rewards",
  "GET /day-ratings closed: needs read:analytics",
  "GET /pulse-responses closed: needs read:analytics",
  "POST /rewards closed: needs write:rewards",
];

test("a new key is checked before it is handed over: version, scopes, endpoints; then it counts as used", async () => {
  const page = await newPage();
  await signIn(page, admin);
  await createKey(page, "Power BI");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Check key" }).click();
  await dialog.getByText("Power BI works: it opens data of Hollis & Rowe.").waitFor();
  await dialog.getByText("1.0.0", { exact: true }).waitFor();
  await dialog.getByText("read:members, read:activity", { exact: true }).waitFor();
  expect(await dialog.getByRole("listitem").allTextContents()).toEqual(endpoints);
  await expectGoodLooks(page, "checked-key");
  await dialog.getByRole("button", { name: "Done" }).click();
  await eventually(() => row(page, "Power BI").getByRole("cell").nth(4).textContent()).toMatch(/^\d+ \w+ \d{4}/);
});

test("a pasted key goes to the base address in a header, and into no address, storage or field afterwards", async () => {
  const { api_key } = await makeKey(await signedIn(admin), "Payroll");
  const page = await newPage();
  await signIn(page, admin);
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

test("a mistyped and a revoked key are refused in plain words", async () => {
  const client = await signedIn(admin);
  const { api_key, id } = await makeKey(client, "Payroll");
  await client.rpc("revoke_api_key", { key_id: id });
  const page = await newPage();
  await signIn(page, admin);
  for (const key of ["sk_live_mistyped", api_key]) {
    await page.getByLabel("Key to check").fill(key);
    await page.getByRole("button", { name: "Check key" }).click();
    await page.getByText("This key does not work: it is mistyped, revoked or expired.").waitFor();
    if (key === api_key) await expectGoodLooks(page, "refused-key");
    await page.reload();
  }
});
