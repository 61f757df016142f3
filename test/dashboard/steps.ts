// Steps that a person takes on the page, by the visible texts.
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

export const path = "/integrations/public-api";

/** Clicks the button with exactly this name. */
export const press = (within: Page | Locator, name: string): Promise<void> =>
  within.getByRole("button", { name, exact: true }).click();

/** Waits for a text. */
export const says = (within: Page | Locator, text: string | RegExp): Promise<void> =>
  within.getByText(text).first().waitFor();

export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await press(page, "Sign in");
}

/** Presses the button that closes a dialog, and waits until the dialog is gone. */
export async function leave(dialog: Locator, button = "Cancel"): Promise<void> {
  await press(dialog, button);
  await dialog.waitFor({ state: "hidden" });
}

/** Copies the new key. */
export async function copy(page: Page): Promise<void> {
  await press(page.getByRole("dialog"), "Copy");
  await page.getByRole("dialog").getByText("Copied", { exact: true }).first().waitFor({ state: "attached" });
}

export const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

/** Copies the new key and closes its dialog. */
export async function copyAndClose(page: Page): Promise<void> {
  await copy(page);
  await leave(page.getByRole("dialog"), "Done");
}

export async function openCreateKey(page: Page, name = ""): Promise<Locator> {
  await press(page, "Create key");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  return dialog;
}

/** Name, ticked scopes and expiry in the dialog for a new key. */
export const filledIn = async (dialog: Locator): Promise<[string, string[], string]> => [
  await dialog.getByRole("textbox", { name: "Name" }).inputValue(),
  await dialog
    .getByRole("checkbox", { checked: true })
    .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value)),
  await dialog.getByLabel("Expiry").inputValue(),
];

/** Opens the dialog, enters the name, creates the key and returns it. The dialog stays open. */
export async function createKey(page: Page, name: string): Promise<string> {
  const dialog = await openCreateKey(page, name);
  await press(dialog, "Create key");
  return await dialog.getByLabel("API key").inputValue();
}

export function row(page: Page, name: string): Locator {
  return page.getByRole("row").filter({ has: page.getByText(name, { exact: true }) });
}

/** The names of the keys that are listed, from top to bottom. */
export const names = (page: Page): Promise<string[]> =>
  page.locator("tbody td:first-child button bdi").allTextContents();

/** Shows another view of the keys. */
export const openView = (page: Page, view: "Active" | "Needs attention" | "Inactive"): Promise<void> =>
  page.getByRole("tab", { name: view === "Active" ? /^Active/ : view }).click();

/** Shows the history of all keys, and returns it. */
export async function openHistory(page: Page): Promise<Locator> {
  await page.getByRole("tab", { name: "History" }).click();
  return page.getByRole("region", { name: "History" });
}

/** Opens the dialog that tries a key, and returns it. */
export async function openQuickCheck(page: Page): Promise<Locator> {
  await press(page, "Quick check");
  return page.getByRole("dialog", { name: "Quick check" });
}

/** Opens the ⋯ menu of a key's row. */
export const openMenu = (row: Locator): Promise<void> => row.getByRole("button", { name: /^Actions for / }).click();

/** Chooses an entry in the ⋯ menu of a key's row, and returns the dialog that opens. */
export async function chooseIn(
  row: Locator,
  action: "Details" | "Replace" | "Rename" | "Revoke" | "Disconnect",
): Promise<Locator> {
  await openMenu(row);
  await row.page().getByRole("menuitem", { name: action }).click();
  return row.page().getByRole("dialog");
}

/** Chooses what a new key is for. An assistant signs in; for one that takes a key, that part of the page has a button. */
export const choosePurpose = (dialog: Locator, purpose: string): Promise<void> =>
  dialog.locator("label").filter({ hasText: purpose }).getByRole("radio").check({ force: true });

export async function expectFocus(page: Page, on: Locator): Promise<void> {
  await expect.poll(() => on.and(page.locator(":focus")).count()).toBe(1);
}

/** Whether a control looks different when it has the focus, which it has afterwards. */
export const showsFocus = (control: Locator): Promise<boolean> =>
  control.evaluate((element: HTMLElement) => {
    // A field may show it on the frame around it.
    const shown = [element, element.parentElement ?? element].map((each) => getComputedStyle(each));
    const looks = () => shown.map(({ outline, borderColor, boxShadow }) => outline + borderColor + boxShadow).join();
    element.focus();
    const withFocus = looks();
    element.blur();
    const without = looks();
    element.focus();
    return withFocus !== without;
  });

/**
 * Presses Tab until the control has the focus, as a person without a mouse does, and expects that the focus is visible.
 */
export async function tabTo(page: Page, control: Locator): Promise<void> {
  const focused = control.and(page.locator(":focus"));
  for (let steps = 0; steps < 40; steps += 1) {
    await page.keyboard.press("Tab");
    if ((await focused.count()) === 0) continue;
    expect(await showsFocus(focused), `the focus shows on ${control}`).toBe(true);
    return;
  }
  throw new Error(`Tab never reached ${control}`);
}

/** Whether the first letters of a text can be read. */
export const isOnTop = (text: Element): boolean => {
  const { left, top } = text.getBoundingClientRect();
  return text.contains(document.elementFromPoint(left + 5, top + 5));
};

/** Opens a link from an email in a page that may be open already. */
export async function openLink(page: Page, link: string): Promise<void> {
  // First a blank page: otherwise only the fragment of the address would change, and the page would not be loaded.
  await page.goto("about:blank");
  await page.goto(link);
}
