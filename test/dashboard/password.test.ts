// "Forgot password?" and the invitation: a link in an email leads to the page that sets a password. The stack captures
// the emails of its Auth. Where a test must replace something that this Auth cannot do, a comment says so.
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { type Company, client, emptyCompany, type Person, signUp } from "../support/companies.ts";
import { sql, stack } from "../support/stack.ts";
import { newPage } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { linkMailedTo, mailsTo } from "./mails.ts";
import { fillSignIn, openLink, path } from "./steps.ts";

let company: Company;
let admin: Person;
beforeAll(async () => {
  company = await emptyCompany("Cedar Works");
  admin = await company.addPerson("Ada Brandt", "admin");
});
afterAll(() => company.remove());

const signsIn = async (email: string, password: string): Promise<boolean> =>
  (await client().auth.signInWithPassword({ email, password })).error === null;

test("Forgot password? mails a link to whom it knows and says the same to others; it leads to the page that sets a password, and on to the keys", async () => {
  const page = await newPage();
  await page.goto("/");
  await page.getByRole("link", { name: "Forgot password?" }).click();
  await page.getByRole("heading", { name: "Forgot password?" }).waitFor();
  const unknown = `nobody@${company.domain}`;
  for (const email of [unknown, admin.email]) {
    await page.getByLabel("Email").fill(email);
    await page.getByRole("button", { name: "Send link" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: `If ${email} has an account` })
      .waitFor();
  }
  expect(mailsTo(unknown)).toEqual([]);
  await expectGoodLooks(page, "forgot-password");

  await openLink(page, await linkMailedTo(admin.email));
  await page.getByRole("heading", { name: "Set a password" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/set-password");
  await page.getByText(admin.email).waitFor();
  await expectGoodLooks(page, "set-password");
  expect(page.url()).not.toContain("token");

  await page.getByLabel("New password").fill("a new and long password");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("button", { name: "Create key" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
  expect(await signsIn(admin.email, "a new and long password")).toBe(true);
  expect(await signsIn(admin.email, admin.password)).toBe(false);
});

test("a link that was used before says so, and a new one can be asked for on the spot", async () => {
  const person = await company.addPerson("Olga Twice", "admin");
  await client().auth.resetPasswordForEmail(person.email);
  const link = await linkMailedTo(person.email);
  await openLink(await newPage(), link);

  const page = await newPage();
  await page.goto(link);
  await page.getByText("This link has expired or was used before.").waitFor();
  await expectGoodLooks(page, "used-link");
  await page.getByLabel("Email").fill(person.email);
  await page.getByRole("button", { name: "Send link" }).click();
  await openLink(page, await linkMailedTo(person.email, 2));
  await page.getByLabel("New password").waitFor();
});

test("a password that Auth refuses is explained beside the field", async () => {
  const person = await company.addPerson("Will Weak", "admin");
  await client().auth.resetPasswordForEmail(person.email);
  const page = await newPage();
  await openLink(page, await linkMailedTo(person.email));
  const field = page.getByLabel("New password");
  await page.getByText("At least 8 characters.").waitFor();
  // A project that is set up with the repository's configuration requires the same length.
  expect(readFileSync(`${root}/supabase/config.toml`, "utf8")).toMatch(/^minimum_password_length = 8$/m);
  expect(await field.evaluate((element) => element.matches(":focus"))).toBe(true);
  await field.fill("abc");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("Use at least 8 characters.").waitFor();
  expect(await field.getAttribute("aria-invalid")).toBe("true");
  await expectGoodLooks(page, "weak-password");
  await field.fill("abcdefgh");
  await page.getByText("Use at least 8 characters.").waitFor({ state: "hidden" });

  await field.fill(person.password);
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByText("Choose a password that differs from the old one.").waitFor();

  await page.getByRole("button", { name: "Show or hide the password" }).press("Enter");
  expect(await field.getAttribute("type")).toBe("text");
});

test("why Auth refuses is told in plain words, never in its own", async () => {
  const page = await newPage();
  const told = {
    over_email_send_rate_limit: "This service has sent as many emails as it may for now.",
    email_address_not_authorized: "This service may not send emails to that address yet.",
    email_address_invalid: "Check it for a typing error.",
    captcha_failed: "This service asks for a captcha, which this page cannot show.",
    insufficient_aal: "This account asks for a second factor",
    user_banned: "This account is blocked.",
    over_request_rate_limit: "Too many tries. Wait a few minutes",
    nobody_knows_this_one: "Something went wrong on the service's side.",
  };
  for (const [code, words] of Object.entries(told)) {
    await page.route("**/auth/v1/recover*", (route) =>
      route.fulfill({ status: 400, json: { code: 400, error_code: code, msg: "its own words" } }),
    );
    await page.goto("/forgot-password");
    expect(await page.title()).toBe("Forgot password? · Recognition and rewards");
    await page.getByLabel("Email").and(page.locator(":focus")).fill(admin.email);
    await page.getByRole("button", { name: "Send link" }).click();
    await page.getByRole("alert").getByText(words).waitFor();
    expect(await page.content()).not.toContain("its own words");
    await page.unroute("**/auth/v1/recover*");
  }
  const msg = "For security purposes, you can only request this after 42 seconds.";
  await page.route("**/auth/v1/recover*", (route) =>
    route.fulfill({ status: 429, json: { code: 429, error_code: "over_email_send_rate_limit", msg } }),
  );
  await page.getByRole("button", { name: "Send link" }).click();
  await page.getByRole("alert").getByText("An email was sent a moment ago. Try again in 42 seconds.").waitFor();
});

test("the link of Forgot password? confirms an address that was never confirmed", async () => {
  const person = await company.addPerson("Uma Confirm", "admin");
  await sql`update auth.users set email_confirmed_at = null where email = ${person.email}`;
  await client().auth.resetPasswordForEmail(person.email);
  const page = await newPage();
  await openLink(page, await linkMailedTo(person.email));
  await page.getByLabel("New password").fill("a new and long password");
  await page.getByRole("button", { name: "Set password" }).click();
  await page.getByRole("button", { name: "Create key" }).waitFor();
});

// The Auth of the stack cannot invite. The test uses a password reset instead, for an account that has no password yet,
// like that of an invited person. The tokens are real. The test replaces type=recovery with type=invite in the address,
// which the hosted service writes there.
test("an invitation leads to the page that sets a password, on whatever path it arrives", async () => {
  for (const arrival of ["/set-password", "/"]) {
    const email = company.emailOf(`Invited ${arrival.length}`);
    await company.addMember(`Invited ${arrival.length}`, "admin", email);
    await signUp(email);
    await sql`update auth.users set encrypted_password = null where email = ${email}`;
    await client().auth.resetPasswordForEmail(email);
    const verified = await fetch(await linkMailedTo(email), { redirect: "manual" });
    const tokens = new URL(verified.headers.get("Location") ?? "").hash.replace("type=recovery", "type=invite");
    expect(tokens).toContain("type=invite");

    const page = await newPage();
    await openLink(page, `${stack.dashboard_url}${arrival}${tokens}`);
    await page.getByLabel("New password").fill("my first password");
    await page.getByRole("button", { name: "Set password" }).click();
    await page.getByText("No keys yet").waitFor();

    await page.getByRole("button", { name: "Sign out" }).click();
    await fillSignIn(page, { email, password: "my first password" });
    await page.getByText("No keys yet").waitFor();
  }
});
