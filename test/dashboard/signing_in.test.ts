// Signing in and out, "Forgot password?", invitations, and what people see who may not manage keys. A link in an email
// signs in only whoever it was sent to, and never without a question that names the account. The stack captures the
// emails of its Auth. Where a test must replace something that this Auth cannot do, a comment says so.
import { existsSync, readFileSync } from "node:fs";
import { AuthApiError } from "@supabase/supabase-js";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { authProblem } from "../../dashboard/src/problems.ts";
import { root } from "../../scripts/stack/process.ts";
import { client, emptyCompany, newAccount, type Person, signUp } from "../support/companies.ts";
import { sql, stack } from "../support/stack.ts";
import { newPage, shoot, translateEachPage } from "./browser.ts";
import { clipped, expectGoodLooks } from "./looks.ts";
import { linkMailedTo, mailbox, mailsTo, test as scene, sessionOf, signedInBrowser, signedInPage } from "./scene.ts";
import { expectFocus, openLink, path, press, says, signIn } from "./steps.ts";

translateEachPage();

/** Another company, and its admin. */
const test = scene
  .extend("rivalName", "Rival & Co")
  .extend("rival", async ({ rivalName }, { onCleanup }) => {
    const rival = await emptyCompany(rivalName);
    onCleanup(() => rival.remove());
    return rival;
  })
  .extend("theo", ({ rival }) => rival.addPerson("Theo Rival", "admin"));

/** A link with the tokens of a new session, as Auth builds it. */
async function linkOf(person: Person, type: string, at = "/"): Promise<string> {
  const { access_token, refresh_token } = await sessionOf(person);
  const fragment = new URLSearchParams({ access_token, refresh_token, type, expires_in: "3600", token_type: "bearer" });
  return `${stack.dashboard_url}${at}#${fragment}`;
}

const whoIsSignedIn = (page: Page) =>
  page.evaluate(() => Object.values(localStorage).map((stored) => JSON.parse(stored).user.email));

// Proves: states.1, keys.21
test("signing in leads an admin to the keys; a former admin makes none", async ({ company, admin, rival }) => {
  const page = await newPage();
  await page.goto("/");
  for (const email of [`nobody@${company.domain}`, admin.email]) {
    await signIn(page, { email, password: "not the password" });
    const words = "The email address or the password is wrong. Check both, or use “Forgot password?”.";
    await says(page.getByRole("alert"), words);
    await expectFocus(page, page.getByRole("button", { name: "Sign in" }));
  }
  await expectGoodLooks(page, "wrong-password");
  await signIn(page, admin);
  await page.getByRole("heading", { name: "Public API", level: 1 }).waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
  expect(await page.title()).toBe("Public API · Recognition and rewards");
  expect(await page.getByRole("navigation", { name: "Breadcrumbs" }).textContent()).toBe("Integrations›Public API");
  for (const words of ["Hollis & Rowe", admin.name]) await says(page.getByRole("banner"), words);
  await sql`update app.members set role = 'employee' where email = ${admin.email}`;
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await page.getByRole("heading", { name: "Only admins manage API keys" }).waitFor();
  expect(await page.getByRole("button", { name: "Create key" }).count()).toBe(0);
  await says(page.getByRole("main"), "with the role employee");
  // Who is an admin, of their own company, and a request to send them.
  await rival.addMember("Rita Rival", "admin");
  await company.addMember("Ben Osei", "admin");
  await page.goto(`${path}?create=power-bi`);
  const admins = page.getByRole("list", { name: "Admins of your company" });
  await admins.waitFor();
  expect(await admins.getByRole("listitem").allTextContents()).toEqual([`Ben Osei, ${company.emailOf("Ben Osei")}`]);
  const mail = new URL((await page.getByRole("link", { name: "Write to them" }).getAttribute("href")) ?? "");
  expect(decodeURIComponent(mail.pathname)).toBe(company.emailOf("Ben Osei"));
  expect(mail.searchParams.get("body")).toContain(`${stack.dashboard_url}${path}?create=power-bi\n`);
  await expectGoodLooks(page, "no-admin");
});

// Proves: keys.26, keys.27
test("who has no access sees why and what to do, and gets in as soon as that is done", async ({ company, rival }) => {
  const shared = company.emailOf("Shared");
  for (const firm of [company, rival]) await firm.addMember("Shared", "admin", shared);
  const [both, unknown] = [await newAccount(shared), await newAccount(company.emailOf("Late Comer"))];
  for (const [person, heading, words] of [
    [both, "This email address belongs to more than one company", "Ask whoever runs the service to link your sign-in"],
    [unknown, "No company knows this address", `No company lists ${unknown.email} among its people`],
  ] as const) {
    const page = await (await signedInBrowser(person)).newPage();
    await page.goto(path);
    await page.getByRole("heading", { name: heading }).waitFor();
    await says(page.getByRole("main"), words);
    const create = page.getByRole("button", { name: "Create key" });
    expect(await create.count()).toBe(0);
    if (person !== unknown) continue;
    await expectGoodLooks(page, "no-access");
    await company.addMember("Late Comer", "admin");
    await press(page, "Try again");
    await create.waitFor();
  }
});

test("on a slow line the sign-in is there before the scripts, and not for who is signed in", async ({ admin }) => {
  const [page, inside] = [await newPage(), await (await signedInBrowser(admin)).newPage()];
  const arrived = Promise.withResolvers<void>();
  for (const each of [page, inside]) {
    await each.route("**/assets/*.js", (route) => arrived.promise.then(() => route.continue()));
    await each.goto("/", { waitUntil: "commit" });
    await each.locator("#first").waitFor({ state: "attached" });
  }
  await page.getByLabel("Email").fill(admin.email);
  await page.getByLabel("Password").fill(admin.password);
  expect(await inside.getByLabel("Email").isVisible()).toBe(false);
  arrived.resolve();
  await press(page, "Sign in");
  for (const each of [page, inside]) await each.getByRole("heading", { name: "Public API" }).waitFor();
  // So it is on every page on which somebody may have to sign in, also where a host has no fallback.
  for (const at of ["/", "/sign-in", path, "/forgot-password", "/set-password"]) {
    const html = await (await fetch(stack.dashboard_url + at)).text();
    const first = at.includes("password") ? undefined : '<main id="first">';
    expect(/%SIGN_IN%|<main id="first">/.exec(html)?.[0], at).toBe(first);
  }
});

test("Forgot password? leads to a new password, once, and never says who has an account", async ({ company, skip }) => {
  skip(!existsSync(mailbox), "the mailbox of a stack of its own is missing");
  const person = await company.addPerson("Will Weak", "admin");
  await sql`update auth.users set email_confirmed_at = null where email = ${person.email}`;
  const page = await newPage();
  await page.goto("/sign-in");
  // The address that was typed goes along, there and back.
  await page.getByLabel("Email").fill(person.email);
  for (const link of ["Forgot password?", "Back to sign-in", "Forgot password?"]) {
    await page.getByRole("link", { name: link }).click();
    await expect.poll(() => page.getByLabel("Email").inputValue()).toBe(person.email);
  }
  await expectFocus(page, page.getByLabel("Email"));
  expect(await page.title()).toBe("Forgot password? · Recognition and rewards");
  const unknown = `nobody@${company.domain}`;
  for (const email of [unknown, person.email]) {
    await page.getByLabel("Email").fill(email);
    await press(page, "Send link");
    await says(page.getByRole("status"), `If ${email} has an account`);
  }
  expect(mailsTo(unknown)).toEqual([]);
  await expectGoodLooks(page, "forgot-password");

  const link = await linkMailedTo(person.email);
  expect(mailsTo(person.email)[0]?.html).toContain("the API keys of your company.");
  // A mail server that looks for viruses opens the link before the person does, in a browser of its own that runs scripts.
  const scanner = await newPage();
  const asked: string[] = [];
  scanner.on("request", (request) => asked.push(request.url()));
  await scanner.goto(link);
  await scanner.getByRole("button", { name: "Use the link" }).waitFor();
  expect(asked.filter((url) => url.startsWith(stack.supabase_url))).toEqual([]);
  expect(asked.filter((url) => url.includes("token"))).toEqual([]);

  await openLink(page, link);
  await expectGoodLooks(page, "unused-link");
  await page.route("**/auth/v1/verify", (route) => route.abort(), { times: 1 });
  await press(page, "Use the link", "The service cannot be reached.");
  await press(page, "Use the link", `This link signs you in as ${person.email}.`);
  // A reload on the way loses nothing.
  await page.reload();
  await press(page, "Continue", person.email);
  await expect.poll(() => page.url()).toBe(`${stack.dashboard_url}/set-password`);
  const field = page.getByLabel("New password");
  await expectFocus(page, field);
  // A project that is set up with the repository's configuration requires the same length.
  expect(readFileSync(`${root}/supabase/config.toml`, "utf8")).toMatch(/^minimum_password_length = 8$/m);
  for (const [entered, words] of [
    ["abc", "Use at least 8 characters."],
    [person.password, "Choose a password that differs from the old one."],
  ] as const) {
    await field.fill(entered);
    await press(page, "Set password", words);
    if (entered === "abc") await expectGoodLooks(page, "weak-password");
    await field.fill("");
    await page.getByText("Use at least 8 characters.").waitFor({ state: "hidden" });
  }
  await page.getByRole("button", { name: "Show or hide the password" }).press("Enter");
  expect(await field.getAttribute("type")).toBe("text");
  await field.fill("a new and long password");
  await press(page, "Set password");
  await page.getByRole("button", { name: "Create key" }).waitFor();
  expect(new URL(page.url()).pathname).toBe(path);
  const signsIn = (password: string) => client().auth.signInWithPassword({ email: person.email, password });
  expect((await signsIn("a new and long password")).error).toBeNull();
  expect((await signsIn(person.password)).error).not.toBeNull();

  // The link works once, and a new one can be requested on the spot.
  await openLink(page, link);
  await press(page, "Use the link", "This link has expired or was used before.");
  await expectGoodLooks(page, "used-link");
  await page.getByLabel("Email").fill(person.email);
  await press(page, "Send link");
  await openLink(page, await linkMailedTo(person.email, 2));
  await press(page, "Use the link");
  await press(page, "Continue");
  await field.waitFor();
});

test("why Auth refuses is said in plain words, never in its own", () => {
  const wait = "For security purposes, you can only request this after 42 seconds.";
  for (const [code = "", words = "", message = "its own words"] of [
    ["email_not_confirmed", "This email address is not confirmed yet. Open the link in the email"],
    ["over_email_send_rate_limit", "This service has sent as many emails as it may for now."],
    ["over_email_send_rate_limit", "An email was sent a moment ago. Try again in 42 seconds.", wait],
    ["email_address_not_authorized", "This service may not send emails to that address yet."],
    ["email_address_invalid", "Check it for a typing error."],
    ["captcha_failed", "This service asks for a captcha, which this page cannot show."],
    ["insufficient_aal", "Your account has a second factor."],
    ["user_banned", "This account is blocked."],
    ["over_request_rate_limit", "Too many tries. Wait a few minutes"],
    ["nobody_knows_this_one", "Something went wrong on the service's side."],
  ]) {
    const shown = authProblem(new AuthApiError(message, 400, code)).message;
    expect(shown, code).toContain(words);
    expect(shown).not.toContain(message);
  }
});

test("both emails fit a phone, name the product and the company if it is known, and link their address", async () => {
  const page = await newPage({ viewport: { width: 390, height: 740 } });
  const companies = /\{\{ with \.Data\.company \}\}\{\{ \. \}\}\{\{ else \}\}(.*?)\{\{ end \}\}/g;
  for (const name of ["invite", "recovery"])
    for (const company of ["Hollis & Rowe", null]) {
      const html = readFileSync(`${root}/supabase/templates/${name}.html`, "utf8")
        .replaceAll(companies, company?.replace("&", "&amp;") ?? "$1")
        .replaceAll("{{ .RedirectTo }}", "https://keys.example.com/set-password")
        .replaceAll("{{ .TokenHash }}", "0123456789abcdef".repeat(4))
        .replaceAll("{{ .Email }}", `${"longname".repeat(6)}@example.com`);
      expect(html).not.toContain("{{");
      await page.setContent(html);
      expect(await clipped(page), name).toEqual([]);
      const keys = `the API keys of ${company ?? "your company"}`;
      for (const words of ["Recognition and rewards", keys, "longname", `&type=${name}`]) await says(page, words);
      expect(await page.getByRole("link").count()).toBe(2);
      if (process.env.PICTURES) await shoot(page, `mail-${name}-${company}-390`);
    }
});

// The Auth of the stack cannot invite. The test uses a password reset instead, for an account that has no password yet,
// like that of an invited person. The tokens are real. The test replaces recovery with invite in the address, and back again
// in the request to Auth.
test("an invitation leads to the page that sets a password, also when it arrives at /", async ({ company, skip }) => {
  skip(!existsSync(mailbox), "the mailbox of a stack of its own is missing");
  const email = await company.addMember("Ida Invited", "admin");
  await signUp(email);
  await sql`update auth.users set encrypted_password = null where email = ${email}`;
  await client().auth.resetPasswordForEmail(email);
  const { hash } = new URL(await linkMailedTo(email));
  const invitation = readFileSync(`${root}/supabase/templates/invite.html`, "utf8");
  expect(/#token_hash=\{\{ \.TokenHash \}\}(&type=invite)"/.exec(invitation)).not.toBeNull();
  const page = await newPage();
  await page.route("**/auth/v1/verify", (route) => {
    const sent = route.request().postDataJSON();
    expect(sent.type).toBe("invite");
    return route.continue({ postData: { ...sent, type: "recovery" } });
  });
  await page.goto(`/${hash.replace("type=recovery", "type=invite")}`);
  await press(page, "Use the link");
  await press(page, "Continue");
  await page.getByLabel("New password").fill("my first password");
  await press(page, "Set password", "No keys yet");
  await sessionOf({ name: "Ida Invited", email, password: "my first password" });
});

// Proves: layer.13
test("links of other types and dead links sign nobody in, and end no session", async ({ admin, theo, page }) => {
  const out = await newPage();
  const hash = (type: string) => `${stack.dashboard_url}${path}#token_hash=0123&type=${type}`;
  for (const link of [
    ...(await Promise.all(["magiclink", "signup", "email_change", ""].map((type) => linkOf(theo, type, path)))),
    ...["magiclink", "email"].map(hash),
  ]) {
    await openLink(out, link);
    await says(out, "That link signs nobody in");
    expect(out.url()).toBe(`${stack.dashboard_url}/sign-in`);
    expect(await whoIsSignedIn(out)).toEqual([]);
  }
  for (const link of [await linkOf(theo, "magiclink", path), hash("email")]) {
    await openLink(page, link);
    await says(page.getByRole("banner"), "Hollis & Rowe");
    expect(await whoIsSignedIn(page)).toEqual([admin.email]);
    expect(page.url()).toBe(stack.dashboard_url + path);
  }
  await expectGoodLooks(out, "refused-link");
  const dead = await linkOf(theo, "invite");
  await sql`delete from auth.sessions where user_id = (select id from auth.users where email = ${theo.email})`;
  const junk = ["access_token=junk&refresh_token=junk&type=recovery", "token_hash=junk&type=invite"];
  for (const link of [dead, ...junk.map((fragment) => `${stack.dashboard_url}/#${fragment}`)]) {
    await openLink(page, link);
    if (link.includes("token_hash")) await press(page, "Use the link");
    await says(page, "This link has expired or was used before.");
    expect(await whoIsSignedIn(page)).toEqual([admin.email]);
  }
});

// Proves: layer.13
test("a link names its account, and signs in only whoever continues", async ({ admin, theo, page }) => {
  const [out, own] = [await newPage(), await signedInPage(theo)];
  const link = await linkOf(theo, "recovery");
  // Without a network it waits for the next try.
  await page.route("**/auth/v1/user", (route) => route.abort(), { times: 1 });
  await openLink(page, link);
  await says(page, "The service cannot be reached.");
  await press(page, "Try again");
  for (const each of [out, own]) await openLink(each, link);
  for (const [each, signedIn, replaced, decline, stays] of [
    [out, [], "", "This is not my account", "/sign-in"],
    [own, [theo.email], "", "Stay signed in", path],
    [page, [admin.email], ` and signs ${admin.email} out`, "Stay signed in", path],
  ] as const) {
    await says(each, `This link signs you in as ${theo.email}${replaced}. Continue only if this is your`);
    if (each === page) await expectGoodLooks(page, "other-persons-link");
    expect(await whoIsSignedIn(each)).toEqual(signedIn);
    await press(each, decline);
    await each.waitForURL(stack.dashboard_url + stays);
    expect(await whoIsSignedIn(each)).toEqual(signedIn);
  }

  // The page in the other tab shows nothing of the company before, also while nothing new has come.
  await page.route("**/rpc/link_member", () => {});
  await openLink(out, link);
  const tab = await page.context().newPage();
  await tab.goto(link);
  for (const each of [out, tab]) {
    await press(each, "Continue");
    await each.getByLabel("New password").waitFor();
    expect(await whoIsSignedIn(each)).toEqual([theo.email]);
    expect(each.url()).toBe(`${stack.dashboard_url}/set-password`);
  }
  await tab.goto(path);
  await says(tab.getByRole("banner"), "Rival & Co");
  await says(page.getByRole("banner"), theo.email);
  expect(await page.content()).not.toContain("Hollis & Rowe");
  await page.unrouteAll({ behavior: "ignoreErrors" });
});
