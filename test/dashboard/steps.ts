// Steps that a person takes on the page, by the visible texts.
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

export const path = "/integrations/public-api";

/** Clicks the button with exactly this name, and waits for the texts that answer. */
export async function press(within: Page | Locator, name: string, ...answers: (string | RegExp)[]): Promise<void> {
  await within.getByRole("button", { name, exact: true }).click();
  await says(within, ...answers);
}

/** Waits for texts. */
export async function says(within: Page | Locator, ...texts: (string | RegExp)[]): Promise<void> {
  for (const text of texts) await within.getByText(text).first().waitFor();
}

export async function signIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel("Email").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await press(page, "Sign in");
}

/** Presses what closes a dialog or a menu, a button or Escape, and waits until it is gone. */
export async function leave(dialog: Locator, by = "Cancel"): Promise<void> {
  if (by === "Escape") await dialog.press(by);
  else await press(dialog, by);
  await dialog.waitFor({ state: "hidden" });
}

export const clipboard = (page: Page): Promise<string> => page.evaluate(() => navigator.clipboard.readText());

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
