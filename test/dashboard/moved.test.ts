// A company that has moved to another project: what its admins see in the dashboard of the old project.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { type Company, makeKey, signedIn } from "../support/companies.ts";
import { sql } from "../support/stack.ts";
import { expectGoodLooks } from "./looks.ts";
import { signedInBrowser, signedInPage, test } from "./scene.ts";
import { chooseIn, path, row } from "./steps.ts";

/** Sets how the company is served, as a move does (docs/moving-a-company.md), or as before the move. */
const serve = ({ id }: Company, serving: "open" | "moving" | "readable" | "closed") =>
  sql`update app.companies set serving = ${serving}, move_id = gen_random_uuid() where id = ${id}`;

// Proves: layer.14
test("an admin of a company that has moved is told so and whom to ask, sees no key, and is back when it is", async ({
  company,
  admin,
}) => {
  await makeKey(await signedIn(admin), "Payroll");
  for (const serving of ["moving", "readable", "closed"] as const) {
    await serve(company, serving);
    const page = await (await signedInBrowser(admin)).newPage();
    await page.goto(path);
    await page.getByRole("heading", { name: "Your company has moved" }).waitFor();
    const text = await page.getByRole("main").textContent();
    expect(text, serving).toContain("Hollis & Rowe is served at another address, and its keys are managed there.");
    expect(text).toContain("Ask whoever runs the service for the address of this page there.");
    expect(text).not.toContain("Payroll");
    expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
    if (serving !== "closed") continue;
    await expectGoodLooks(page, "moved");
    await serve(company, "open");
    await page.getByRole("button", { name: "Try again" }).click();
    await row(page, "Payroll").waitFor();
  }
});

// Proves: layer.14
test("while the page is open the company moves: nothing can be done to its keys any more, and the page says why", async ({
  company,
  admin,
}) => {
  await makeKey(await signedIn(admin), "Payroll");
  const stored = () => sql`select name, revoked_at, replaced_by from app.api_keys where company_id = ${company.id}`;
  const before = await stored();
  const deeds: Record<string, (page: Page) => Promise<void>> = {
    "Create key": async (page) => {
      await page.getByRole("button", { name: "Create key" }).click();
      await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("New");
    },
    "Revoke key": (page) => chooseIn(row(page, "Payroll"), "Revoke"),
    "Replace key": (page) => chooseIn(row(page, "Payroll"), "Replace"),
    "Rename key": async (page) => {
      await chooseIn(row(page, "Payroll"), "Rename");
      await page.getByRole("dialog").getByRole("textbox", { name: "Name" }).fill("Wages");
    },
  };
  for (const [button, prepare] of Object.entries(deeds)) {
    await serve(company, "open");
    const page = await signedInPage(admin);
    await prepare(page);
    await serve(company, "readable");
    await page.getByRole("dialog").getByRole("button", { name: button }).click();
    await page.getByRole("heading", { name: "Your company has moved" }).waitFor();
    expect(await stored(), button).toEqual(before);
    await page.close();
  }
});
