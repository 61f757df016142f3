// The second factor of an admin, over a substitute for hosted Auth (test/support/factors.ts). What the database does with it
// is in test/sql/084_second_factor.sql.
// Needs a stack of its own: its secret signs the tokens of the substitute.
import { createClient } from "@supabase/supabase-js";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { codeOf, giveFactors, withFactorShown } from "../support/factors.ts";
import { agreed, exchange } from "../support/sign_in.ts";
import { call, sql, stack } from "../support/stack.ts";
import { newBrowser } from "./browser.ts";
import { createKey } from "./key_steps.ts";
import { expectGoodLooks } from "./looks.ts";
import { openPage, sessionOf, test } from "./scene.ts";
import { expectFocus, openLink, path, press, says, signIn } from "./steps.ts";

/** A page in a new browser, without a session. */
async function newPage(): Promise<Page> {
  const browser = await newBrowser();
  await giveFactors(browser);
  return browser.newPage();
}

async function openSecondFactor(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Second factor" }).click();
  await page.getByRole("heading", { name: "Second factor", level: 1 }).waitFor();
}

const secretOn = async (page: Page): Promise<string> => (await page.locator("pre").textContent()) ?? "";

async function enterCode(page: Page, code: string, button: string, answer: string): Promise<void> {
  await page.getByLabel("Code").fill(code);
  await press(page, button, answer);
}

// Proves: layer.21
test("once a second factor is set up, a password alone opens nothing and sets none", async ({ browser, admin }) => {
  const before = await sessionOf(admin);
  await giveFactors(browser);
  const factors = () => sql`
    select f.status from auth.mfa_factors as f join auth.users as u on u.id = f.user_id where u.email = ${admin.email}`;
  const page = await openPage(browser);
  await says(page, "Protect these keys with a second factor: then each of your sign-ins asks for a code, too.");
  await page.route("**/auth/v1/user", (route) => route.abort(), { times: 1 });
  await openSecondFactor(page);
  await says(page, "The service cannot be reached.");
  await press(page, "Try again", "nobody manages your company's keys with your password alone");
  await expectGoodLooks(page, "second-factor");
  await press(page, "Set up");
  const picture = page.getByRole("img", { name: "QR code of the secret" });
  await picture.waitFor();
  expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(75);
  await expectFocus(page, page.getByLabel("Code"));
  for (const [code, words] of [
    ["12345", "Enter the six digits"],
    ["000000", "This code is wrong."],
  ] as const)
    await enterCode(page, code, "Turn on", words);
  await expectGoodLooks(page, "second-factor-set-up");
  expect(await sql`select from auth.mfa_factors where secret = ${await secretOn(page)}`).toHaveLength(1);

  // Begun again, it takes the place of the one that was left.
  await page.goto(path);
  await openSecondFactor(page);
  await press(page, "Set up");
  const secret = await secretOn(page);
  await enterCode(page, codeOf(secret), "Turn on", "From now on, each sign-in asks for a code.");
  expect(await factors()).toEqual([{ status: "verified" }]);
  await page.goto(path);
  await says(page, "Your second factor protects these keys: each of your sign-ins asks for a code, too.");
  await createKey(page, "Protected");

  const other = await newPage();
  await other.goto("/sign-in");
  await signIn(other, admin);
  await says(other, "Enter your code");
  for (const words of ["No keys yet", "Protected", "Only admins manage"]) {
    expect(await other.getByText(words).count(), words).toBe(0);
  }
  expect(await other.getByRole("button", { name: "Create key" }).count()).toBe(0);
  await expectFocus(other, other.getByLabel("Code"));
  await expectGoodLooks(other, "second-factor-wanted");
  await enterCode(other, "000000", "Continue", "This code is wrong.");
  const code = codeOf(secret);
  await enterCode(other, `${code.slice(0, 3)} ${code.slice(3)}`, "Continue", "Protected");

  // Neither removing the factor nor "Forgot password?" goes around it.
  const without = await newPage();
  await without.goto("/second-factor");
  await signIn(without, admin);
  await press(without, "Remove");
  await enterCode(without, "000000", "Continue", "This code is wrong.");
  const { access_token, refresh_token } = before;
  const forgot = await newPage();
  const fragment = new URLSearchParams({ access_token, refresh_token, type: "recovery" });
  await openLink(forgot, `${stack.dashboard_url}/#${fragment}`);
  await press(forgot, "Continue");
  await forgot.getByLabel("New password").fill("a new and long password");
  await press(forgot, "Set password");
  await enterCode(forgot, codeOf(secret), "Continue", "Protected");
  await sessionOf({ ...admin, password: "a new and long password" });
  expect(new URL(forgot.url()).pathname).toBe(path);

  // A program that an admin lets read with the factor gets its key, for which nobody enters a code.
  const withToken = (token: string) =>
    createClient(stack.supabase_url, stack.publishable_key, { accessToken: async () => token });
  await expect(agreed(withToken(access_token))).rejects.toThrow("this account has a second factor");
  const { status, body } = await exchange(await agreed(withToken(await withFactorShown(access_token))));
  expect([status, (await call("/members", body.access_token)).status]).toEqual([200, 200]);

  // Removed, it asks for nothing any more.
  await page.goto("/second-factor");
  await says(page, "Your account has a second factor");
  await expectGoodLooks(page, "second-factor-remove");
  await press(page, "Remove", "Your password is enough again.");
  expect(await factors()).toEqual([]);
  await page.getByRole("link", { name: "Back to the keys" }).click();
  await says(page, "Protect these keys with a second factor");
});
