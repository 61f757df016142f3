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

test("a key may be pasted with blanks, a line break, or the header that it stood in", async () => {
  const { api_key } = await makeKey(await signedIn(admin), "Payroll");
  const page = await newPage();
  await signIn(page, admin);
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
    await page.reload();
  }
});

test("an answer that is none is not taken for a good key", async () => {
  const { api_key } = await makeKey(await signedIn(admin), "Payroll");
  const page = await newPage();
  await signIn(page, admin);
  const good = { version: "1.0.0", company_name: "Hollis & Rowe", key_name: "Payroll", scopes: [], endpoints: [] };
  for (const status of [500, 503, 429, 204]) {
    await page.route(stack.api_url, (route) => route.fulfill({ status, ...(status === 204 ? {} : { json: good }) }));
    await page.getByLabel("Key to check").fill(api_key);
    await page.getByRole("button", { name: "Check key" }).click();
    const section = page.getByRole("region", { name: "Quick check" });
    await section.getByRole("alert").getByText("The API did not answer as it should.").waitFor();
    expect(await page.getByText("Payroll works").count(), String(status)).toBe(0);
    await page.unroute(stack.api_url);
    await page.reload();
  }
});

test("a mistyped, a cut and a revoked key are refused in plain words", async () => {
  const client = await signedIn(admin);
  const { api_key, id } = await makeKey(client, "Payroll");
  await client.rpc("revoke_api_key", { key_id: id });
  const page = await newPage();
  await signIn(page, admin);
  const refused = "This key does not work: it is mistyped, revoked or expired.";
  const cut = "This is not a whole key: a key is sk_live_ followed by 38 letters and digits.";
  const tries = [
    ["sk_live_mistyped", cut],
    [`${api_key}é`, cut],
    [`sk_live_${"x".repeat(38)}`, refused],
    [api_key, refused],
  ] as const;
  for (const [key, words] of tries) {
    await page.getByLabel("Key to check").fill(key);
    await page.getByRole("button", { name: "Check key" }).click();
    await page.getByText(words).waitFor();
    if (key === api_key) await expectGoodLooks(page, "refused-key");
    await page.reload();
  }
});
