// /reference: the OpenAPI document to read, for anybody, apart from the dashboard. Each page is watched for requests to other hosts and
// for violations of its Content-Security-Policy (browser.ts).
import { readFileSync } from "node:fs";
import { beforeEach, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { stack } from "../api/stack.ts";
import { newPage } from "./browser.ts";
import { TestCompany } from "./company.ts";
import { expectGoodLooks } from "./looks.ts";
import { path, signIn } from "./steps.ts";

const openapi = JSON.parse(readFileSync(`${root}/docs/openapi.json`, "utf8"));

let company: TestCompany;
beforeEach(async () => {
  company = await TestCompany.create("Reader & Sons");
  return () => company.remove();
});

test("it can be read without signing in: every endpoint, and of one its parameters, fields and examples", async () => {
  const page = await newPage();
  await page.goto("/reference");
  for (const [name, methods] of Object.entries<Record<string, { summary: string }>>(openapi.paths)) {
    for (const [method, { summary }] of Object.entries(methods)) {
      const operation = page.locator(`.opblock-${method}`, { has: page.locator(`[data-path="${name}"]`) });
      await operation.getByText(summary, { exact: true }).waitFor();
    }
  }
  await page.locator('[data-path="/activity"]').click();
  const activity = page.locator("#operations-Activity-listActivity");
  for (const text of ["escape_formulas", "Only kudos to this member.", "X-Has-More", "Priscilla Adjei"]) {
    await activity.getByText(text).first().waitFor();
  }
  await activity.getByText('Forbidden: this key is missing the \\"read:activity\\" scope').waitFor();
});

test("it names this project's base address, and asks for no key", async () => {
  const page = await newPage();
  await page.goto("/reference/");
  await page.getByText(`Base address: ${stack.api_url}`, { exact: true }).waitFor();
  await page.locator('[data-path="/members"]').click();
  await page.getByText("Only people with exactly this role").waitFor();
  expect(await page.getByRole("button", { name: /authori[sz]|try it out|execute/i }).count()).toBe(0);
  expect(await page.getByRole("textbox").count()).toBe(0);
});

test("it can be read by keyboard alone, and an address leads to one endpoint", async () => {
  const page = await newPage();
  await page.goto("/reference/");
  const members = page.getByRole("button", { name: "GET /members People, their roles and teams" });
  await members.waitFor();
  for (let steps = 0; steps < 20 && !(await members.evaluate((button) => button.matches(":focus"))); steps += 1) {
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByText("Only people with exactly this role").waitFor();

  const another = await newPage();
  await another.goto(page.url());
  await another.getByText("Only people with exactly this role").waitFor();
});

test("what it shows is docs/openapi.json", async () => {
  const response = await fetch(`${stack.dashboard_url}/reference/openapi.json`);
  const { servers, ...shown } = await response.json();
  const { servers: _, ...committed } = openapi;
  expect(shown).toEqual(committed);
  expect(servers).toEqual([{ url: stack.api_url, description: "The base address." }]);
});

test("it looks good: wide and narrow, light and dark", async () => {
  const page = await newPage();
  await page.goto("/reference");
  await page.locator('[data-path="/activity"]').click();
  await page.getByText("Only kudos to this member.").waitFor();
  await page.getByRole("button", { name: "Member", exact: true }).click();
  await page.getByText("created_at").first().waitFor();
  await expectGoodLooks(page, "reference");
});

test("the dashboard leads there and loads nothing of it; both pages have the same Content-Security-Policy", async () => {
  const admin = await company.addPerson("Ada Brandt", "admin");
  const page = await newPage();
  const loaded: string[] = [];
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await signIn(page, admin);
  const link = page.getByRole("link", { name: "API reference" });
  await link.waitFor();
  expect(loaded).toContain(path);
  expect(loaded.filter((name) => name.startsWith("/reference"))).toEqual([]);
  await link.click();
  await page.getByText("Create or update rewards").waitFor();

  const policies = await Promise.all(
    [path, "/reference/"].map(async (at) => {
      const html = await (await fetch(stack.dashboard_url + at)).text();
      return /"Content-Security-Policy" content="([^"]*)"/.exec(html)?.[1]?.replaceAll("&#39;", "'");
    }),
  );
  expect(policies[0]).toContain("script-src 'self';");
  expect(policies[1]).toBe(policies[0]);
});
