// What people do on the page, in the words that they see there.
import type { Locator, Page } from "playwright-core";
import type { Person } from "../api/companies.ts";

export const path = "/integrations/public-api";

export async function fillSignIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Signs in and waits for the keys to be there. */
export async function signIn(page: Page, person: Person): Promise<void> {
  await page.goto(path);
  await fillSignIn(page, person);
  await page.getByRole("button", { name: "Create key" }).waitFor();
}

/** Leaves the dialog with a new key, which has been copied. */
export async function copyAndClose(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  await dialog.getByText("Copied", { exact: true }).waitFor({ state: "attached" });
  await dialog.getByRole("button", { name: "Done" }).click();
  await dialog.waitFor({ state: "hidden" });
}

export async function openCreateKey(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.waitFor();
  return dialog;
}

/** Opens the dialog, names the key, creates it and returns it. The dialog stays open. */
export async function createKey(page: Page, name: string): Promise<string> {
  const dialog = await openCreateKey(page);
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("button", { name: "Create key" }).click();
  return await dialog.getByLabel("API key").inputValue();
}

/** The row of a key. */
export function row(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
}
