// Signing in and out, and what people see who may not manage keys.
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Company, emptyCompany, newAccount, type Person } from "../support/companies.ts";
import { sql, stack } from "../support/stack.ts";
import { newPage } from "./browser.ts";
import { expectGoodLooks } from "./looks.ts";
import { openPage, signedInBrowser, signedInPage } from "./scene.ts";
import { expectFocus, fillSignIn, path } from "./steps.ts";

let company: Company;
let other: Company;
let admin: Person;
beforeAll(async () => {
  company = await emptyCompany("Alder & Finch");
  other = await emptyCompany("Brightwater");
  admin = await company.addPerson("Ada Brandt", "admin");
});
afterAll(async () => {
  await company.remove();
  await other.remove();
});

// Proves: states.1
test("an admin signs in with Email and Password, and comes to Integrations → Public API", async () => {
  const page = await newPage();
  await page.goto("/");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await expectGoodLooks(page, "sign-in");
  await fillSignIn(page, admin);
  await page.getByRole("heading", { name: "Public API", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
  expect(await page.title()).toBe("Public API · Recognition and rewards");
  expect(await page.getByRole("navigation", { name: "Breadcrumbs" }).textContent()).toBe("Integrations→Public API");
  await page.getByText("Alder & Finch").waitFor();
});

// Proves: keys.21
test("the first sign-in links the person to their member row; who stops being an admin sees it on the next return", async () => {
  const nora = await company.addPerson("Nora Lind", "admin");
  const { email } = nora;
  const page = await signedInPage(nora);
  await page.getByText("Nora Lind").waitFor();
  const linked = await sql`
    select m.email from app.member_accounts a join auth.users u on u.id = a.user_id
    join app.members m on m.company_id = a.company_id and m.id = a.member_id where u.email = ${email}`;
  expect(linked).toEqual([{ email }]);
  await sql`update app.members set role = 'employee' where email = ${email}`;
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.getByRole("heading", { name: "Only admins manage API keys" }).waitFor();
});

test("the demo admins sign in with what npm start prints, each to their own company", async () => {
  for (const { name, admin_email, admin_password } of stack.companies) {
    const page = await signedInPage({ name, email: admin_email, password: admin_password });
    await page.getByRole("banner").getByText(name).waitFor();
  }
});

test("the session survives a reload and a new tab, and ends with Sign out, in this browser alone", async () => {
  const browser = await signedInBrowser(admin);
  const page = await openPage(browser);
  const home = await signedInPage(admin);
  await page.reload();
  const tab = await browser.newPage();
  await tab.goto("/");
  for (const each of [page, tab]) await each.getByRole("button", { name: "Create key" }).waitFor();

  // The scope of the request is checked, because the stack's Auth never ends other sessions, whatever the scope.
  const asked = page.waitForRequest((request) => request.url().includes("/auth/v1/logout"));
  await page.getByRole("button", { name: "Sign out" }).click();
  expect(new URL((await asked).url()).searchParams.get("scope")).toBe("local");
  for (const each of [page, tab]) await each.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain("token");
  await page.goto(path);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  await home.reload();
  await home.getByRole("button", { name: "Create key" }).waitFor();
});

test("a wrong password and an unknown address say the same, and what to do", async () => {
  const page = await newPage();
  await page.goto("/sign-in");
  for (const email of [`nobody@${company.domain}`, admin.email]) {
    await page.reload();
    await fillSignIn(page, { email, password: "not the password" });
    const words = "The email address or the password is wrong. Check both, or use “Forgot password?”.";
    await page.getByRole("alert").getByText(words).waitFor();
    await expectFocus(page, page.getByRole("button", { name: "Sign in" }));
  }
  await expectGoodLooks(page, "wrong-password");
  await fillSignIn(page, admin);
  await page.getByRole("button", { name: "Create key" }).waitFor();
});

// Proves: keys.26, keys.27
test("who cannot be let in is told why and what to do, and gets in as soon as that is done", async () => {
  const shared = company.emailOf("Shared");
  for (const firm of [company, other]) await firm.addMember("Shared", "admin", shared);
  const unconfirmed = await company.addPerson("Uma Confirm", "admin");
  await sql`update auth.users set email_confirmed_at = null where email = ${unconfirmed.email}`;
  const unknown = await newAccount(company.emailOf("Late Comer"));
  for (const [person, heading, words] of [
    [unconfirmed, "Sign in", "This email address is not confirmed yet. Open the link in the email"],
    [
      await newAccount(shared),
      "Several companies know this address",
      "Ask whoever runs the service to link your sign-in",
    ],
    [
      await company.addPerson("Emil Plain", "employee"),
      "Only admins manage API keys",
      "Emil Plain of Alder & Finch, with the role employee",
    ],
    [unknown, "No company knows this address", `No company lists ${unknown.email} among its people`],
  ] as const) {
    const page = await newPage();
    await page.goto("/sign-in");
    await fillSignIn(page, person);
    await page.getByRole("main").getByText(words).waitFor();
    await page.getByRole("heading", { name: heading }).waitFor();
    await expectGoodLooks(page, `no-access-${heading.toLowerCase().replaceAll(" ", "-")}`);
    expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
    if (person !== unknown) continue;
    await company.addMember("Late Comer", "admin");
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("button", { name: "Create key" }).waitFor();
  }
});
