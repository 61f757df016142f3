// Steps that a person takes on the page, by the visible texts.
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { eventually } from "./browser.ts";

export const path = "/integrations/public-api";

export async function fillSignIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Copies the new key and closes its dialog. */
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

/** Opens the dialog, enters the name, creates the key and returns it. The dialog stays open. */
export async function createKey(page: Page, name: string): Promise<string> {
  const dialog = await openCreateKey(page);
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  await dialog.getByRole("button", { name: "Create key" }).click();
  return await dialog.getByLabel("API key").inputValue();
}

export function row(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
}

/** The names of the keys that are listed, from top to bottom. */
export const names = (page: Page): Promise<string[]> => page.locator("tbody td:first-child bdi").allTextContents();

/** Shows another view of the keys. */
export const openView = (page: Page, view: "Active" | "Needs attention" | "Inactive"): Promise<void> =>
  page.getByRole("tab", { name: view === "Active" ? /^Active/ : view }).click();

/** Chooses an entry in the ⋯ menu of a key's row. */
export async function chooseIn(row: Locator, action: "Replace" | "Rename" | "History" | "Revoke"): Promise<void> {
  await row.getByRole("button", { name: "Actions" }).click();
  await row.page().getByRole("menuitem", { name: action }).click();
}

export async function expectFocus(page: Page, on: Locator): Promise<void> {
  await eventually(() => on.and(page.locator(":focus")).count()).toBe(1);
}

/**
 * Presses Tab until the control has the focus, as a person without a mouse does, and expects that the focus is visible.
 */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  const focused = control.and(page.locator(":focus"));
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press("Tab");
    if ((await focused.count()) === 0) continue;
    const changes = await focused.evaluate((element: HTMLElement) => {
      const looks = (): string => {
        // A field may show it on the frame around it.
        const styles = [element, element.parentElement ?? element].map((each) => getComputedStyle(each));
        return styles.map(({ outline, borderColor }) => `${outline} ${borderColor}`).join();
      };
      const withFocus = looks();
      element.blur();
      const without = looks();
      element.focus();
      return withFocus !== without;
    });
    expect(changes, `the focus shows on ${control}`).toBe(true);
    return;
  }
  throw new Error(`Tab never reached ${control}`);
}

/** Opens a link from an email, and confirms that the account is one's own. */
export async function openLink(page: Page, link: string): Promise<void> {
  await page.goto(link);
  await page.getByRole("button", { name: "Continue" }).click();
}
