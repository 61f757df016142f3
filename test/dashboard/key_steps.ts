// Steps that an admin takes with keys, by the visible texts.
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { leave, press } from "./steps.ts";

/** Copies the new key. */
export async function copy(page: Page): Promise<void> {
  await press(page.getByRole("dialog"), "Copy");
  await page.getByRole("dialog").getByText("Copied", { exact: true }).first().waitFor({ state: "attached" });
}

/** Copies the new key, closes its dialog, and returns the key. */
export async function copyAndClose(page: Page): Promise<string> {
  const key = await page.getByRole("dialog").getByLabel("API key").inputValue();
  await copy(page);
  await leave(page.getByRole("dialog"), "Done");
  return key;
}

export async function openCreateKey(page: Page, name = ""): Promise<Locator> {
  await press(page, "Create key");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Name" }).fill(name);
  return dialog;
}

/** The ticked scopes of a dialog. */
export const ticked = (dialog: Locator): Promise<string[]> =>
  dialog
    .getByRole("checkbox", { checked: true })
    .evaluateAll((all) => all.map((one) => (one as HTMLInputElement).value));

/** Name, ticked scopes and expiry in the dialog for a new key. */
export const filledIn = async (dialog: Locator): Promise<[string, string[], string]> => [
  await dialog.getByRole("textbox", { name: "Name" }).inputValue(),
  await ticked(dialog),
  await dialog.getByLabel("Expiry").inputValue(),
];

/** Opens the dialog, enters the name, creates the key and returns it. The dialog stays open. */
export async function createKey(page: Page, name: string): Promise<string> {
  const dialog = await openCreateKey(page, name);
  await press(dialog, "Create key");
  const [key, problem] = [dialog.getByLabel("API key"), dialog.getByRole("alert").filter({ hasText: /./ })];
  await key.or(problem).first().waitFor();
  expect(await problem.allTextContents(), "why there is no key").toEqual([]);
  return await key.inputValue();
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

/** Opens the ⋯ menu of a key's row. */
export const openMenu = (row: Locator): Promise<void> => row.getByRole("button", { name: /^Actions for / }).click();

/** Chooses an entry in the ⋯ menu of a key's row, and returns the dialog that opens. */
export async function chooseIn(row: Locator, action: string): Promise<Locator> {
  await openMenu(row);
  await row.page().getByRole("menuitem", { name: action }).click();
  return row.page().getByRole("dialog");
}

/** Chooses what a new key is for. An assistant signs in; for one that takes a key, that part of the page has a button. */
export const choosePurpose = (dialog: Locator, purpose: string): Promise<void> =>
  dialog.locator("label").filter({ hasText: purpose }).getByRole("radio").check({ force: true });
