// Tests of the whole page: keyboard, colors, size, Content-Security-Policy, and a language that is written from right to
// left. Most files here use the page while the browser translates it (translateEachPage in browser.ts).
import axe from "axe-core";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { makeKey } from "../support/companies.ts";
import { stack } from "../support/stack.ts";
import { newBrowser, newPage, shoot, takeTroubles } from "./browser.ts";
import { chooseIn, openCreateKey, row } from "./key_steps.ts";
import { clipped, showIn } from "./looks.ts";
import { makeKeys, signedInPage, test } from "./scene.ts";
import { expectFocus, leave, path, press, says, showsFocus, tabTo } from "./steps.ts";
import { translator } from "./translator.ts";

test("everything can be done by keyboard alone, and the focus is always somewhere sensible", async ({ admin }) => {
  const page = await newPage();
  const { keyboard } = page;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const dialog = page.getByRole("dialog");
  const name = dialog.getByRole("textbox", { name: "Name" });
  const pressOn = async (control: Locator, key = "Enter") => {
    await tabTo(page, control);
    await keyboard.press(key);
  };

  await page.goto("/");
  await expectFocus(page, page.getByLabel("Email"));
  await keyboard.type(admin.email);
  await tabTo(page, page.getByLabel("Password", { exact: true }));
  await keyboard.type(admin.password);
  await keyboard.press("Enter");
  await button("Create key").waitFor();
  expect(await page.locator(":focus").textContent()).toBe("Public API");

  await pressOn(button("Create key"));
  await expectFocus(page, dialog.getByRole("radio").first());
  await tabTo(page, name);
  await keyboard.type("Power BI");
  await pressOn(dialog.getByRole("checkbox", { name: "read:rewards" }), "Space");
  await pressOn(button("Create key"));
  await expectFocus(page, dialog.getByLabel("API key"));
  await keyboard.press("Escape");
  await expectFocus(page, button("Back to the key"));
  await keyboard.press("Enter");
  await pressOn(button("Check key"));
  await says(dialog, "Power BI works");
  await expectFocus(page, button("Check key"));
  await dialog.getByLabel("API key").focus();
  await pressOn(button("Copy"));
  await dialog.getByText("Copied", { exact: true }).waitFor({ state: "attached" });
  await pressOn(button("Done"));
  await dialog.waitFor({ state: "hidden" });
  await expectFocus(page, row(page, "Power BI"));

  await pressOn(row(page, "Power BI").getByRole("button", { name: "Actions for Power BI" }));
  const item = page.getByRole("menuitem", { name: "Revoke" });
  await item.waitFor();
  for (let steps = 0; steps < 5 && !(await item.evaluate((each) => each.matches(":focus"))); steps += 1)
    await keyboard.press("ArrowDown");
  await keyboard.press("Enter");
  await expectFocus(page, button("Cancel"));
  await pressOn(button("Revoke key"));
  await row(page, "Power BI").getByText("revoked", { exact: true }).waitFor();
  await expectFocus(page, row(page, "Power BI"));
  await page.goto(path);
  // In this browser alone: the scope shows it, because the stack's Auth never ends other sessions, whatever the scope.
  const sent = page.waitForRequest((request) => request.url().includes("/auth/v1/logout"));
  await button("Sign out").waitFor();
  await pressOn(button("Sign out"));
  expect(new URL((await sent).url()).searchParams.get("scope")).toBe("local");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage, ...sessionStorage }))).not.toContain("token");
});

test("what is loaded apart is shown as soon as it is there: with timers that never fire", async ({ browser }) => {
  const page = await browser.newPage();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  for (const [at, words] of [
    [path, "No keys yet"],
    ["/connect-assistant", "This link does not work"],
    ["/second-factor", "nobody manages your company's keys with your password alone"],
  ] as const) {
    await page.goto(at);
    await says(page, words);
  }
});

test("in a dialog Tab leaves a date for good, and the page behind it does not scroll", async ({ browser }) => {
  const page = await browser.newPage();
  await page.clock.install();
  await page.goto(path);
  const dialog = await openCreateKey(page);
  const create = dialog.getByRole("button", { name: "Create key" });
  await dialog.getByLabel("Expiry").selectOption("On a date …");
  await dialog.getByLabel("Last day").focus();
  // The clock is stopped, so that no timer of the page fires between two Tab keys.
  await page.clock.pauseAt(Date.now() + 60_000);
  await tabTo(page, create);
  await page.clock.runFor(1000);
  await expectFocus(page, create);
  await page.mouse.move(5, 400);
  await page.mouse.wheel(0, 2000);
  await page.clock.runFor(1000);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  // What scrolls in the dialog ends at a line below its title.
  const header = dialog.locator("header");
  expect(await header.evaluate((bar) => getComputedStyle(bar).backgroundImage)).toContain("gradient");
});

/** The focused control, if none of it can be seen (WCAG 2.2, 2.4.11): something else is drawn over it, or it is scrolled away. */
const hiddenFocus = (page: Page) =>
  page.evaluate(() => {
    const focused = document.activeElement;
    if (!focused || focused === document.body) return "nothing has the focus";
    const { x, y, width, height } = focused.getBoundingClientRect();
    const points = [0.05, 0.5, 0.95].flatMap((right) =>
      [0.1, 0.5, 0.9].map((down) => [x + width * right, y + height * down]),
    );
    const seen = points.some(([right = 0, down = 0]) => {
      const there = document.elementFromPoint(right, down);
      return there !== null && (focused.contains(there) || focused.parentElement?.contains(there));
    });
    return seen ? null : focused.outerHTML.slice(0, 120);
  });

test("what has the focus is never hidden behind a bar", async ({ company, admin }) => {
  await makeKeys(company, admin, 40);
  const page = await signedInPage(admin);
  const dialog = page.getByRole("dialog");
  // The first is 1280 x 800 at 200 %, the third as low as a keyboard leaves a screen.
  for (const [width, height] of [
    [640, 400],
    [390, 667],
    [320, 256],
    [320, 200],
  ] as const) {
    await page.setViewportSize({ width, height });
    await press(page, "Create key");
    await expectFocus(page, dialog.getByRole("radio").first());
    await expect.poll(() => hiddenFocus(page), { message: `${width} x ${height}` }).toBeNull();
    await dialog.getByLabel("Expiry").selectOption("On a date …");
    await press(dialog, "Create key");
    for (const key of ["Tab", "Shift+Tab"])
      for (let steps = 0; steps < 14; steps += 1) {
        await page.keyboard.press(key);
        expect(await hiddenFocus(page), `${key}, ${width} x ${height}`).toBeNull();
      }
    await leave(dialog);
  }
  await page.setViewportSize({ width: 1280, height: 600 });
  await page.locator("tbody button").last().focus();
  for (let steps = 0; steps < 30; steps += 1) {
    await page.keyboard.press("Shift+Tab");
    expect(await hiddenFocus(page)).toBeNull();
  }
});

test.for(["no-preference", "reduce"] as const)(
  "a dialog that closes shows the same until it is gone, and gives the focus back: motion %s",
  async (reducedMotion, { client, admin }) => {
    await makeKey(client, "Payroll");
    const page = await signedInPage(admin, { reducedMotion });
    const dialog = page.getByRole("dialog");
    const key = row(page, "Payroll");
    const menu = key.getByRole("button", { name: /^Actions/ });
    const name = key.getByRole("button", { name: "Payroll", exact: true });
    for (const [opener, ends] of [
      [page.getByRole("button", { name: "Create key" }), "Cancel"],
      [page.getByRole("button", { name: "Quick check" }), "Check key"],
      [name, "Close"],
      ["Replace", "Cancel"],
      ["Rename", "Cancel"],
      ["Revoke", "Cancel"],
    ] as const) {
      if (typeof opener === "string") await chooseIn(key, opener);
      else await opener.click();
      await page.getByRole("button", { name: ends, exact: true }).waitFor();
      if (opener === name) await says(dialog, "Ada Brandt created");
      // Every text that the dialog shows from now on, until it is gone.
      const shown = await dialog.evaluateHandle((element) => {
        const texts = new Set([element.textContent]);
        const watch = new MutationObserver(() => texts.add(element.textContent));
        watch.observe(element, { childList: true, subtree: true, characterData: true });
        return texts;
      });
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
      expect(await shown.evaluate((texts) => [...texts].filter((text) => text !== "")), String(opener)).toHaveLength(1);
      await expectFocus(page, typeof opener === "string" ? menu : opener);
    }
    // What came from the drawer leads back to it, and its end to where the drawer came from.
    await name.click();
    for (const action of ["Replace", "Rename", "Revoke"]) {
      await press(page.getByRole("dialog", { name: "Payroll" }), action);
      await page.getByRole("dialog", { name: `${action} key` }).waitFor();
      await leave(page.getByRole("dialog", { name: `${action} key` }), "Escape");
      await expectFocus(page, page.getByRole("dialog", { name: "Payroll" }).getByRole("button", { name: action }));
    }
    await leave(page.getByRole("dialog", { name: "Payroll" }), "Close");
    await expectFocus(page, name);
    // A link opened the page with its dialog: nothing had the focus before.
    await page.goto(`${path}?create=power-bi`);
    await leave(dialog);
    await expectFocus(page, page.getByRole("heading", { level: 1 }));
  },
);

/** Each look of a page that has its own colours. */
const allMedia = [
  { colorScheme: "light", forcedColors: "none" },
  { colorScheme: "dark", forcedColors: "none" },
  { colorScheme: "light", forcedColors: "active" },
] as const;

// axe's types lack what it has for colors.
const { Color, getContrast } = Reflect.get(axe.commons, "color");
/** The contrast of two colors (WCAG), from 1 to 21. */
const contrast = (one: string, other: string): number =>
  getContrast(new Color().parseString(one), new Color().parseString(other));

test("fields stand out, and the focus in them: light, dark and in forced colours", async ({ client, admin }) => {
  await makeKey(client, "Power BI");
  const page = await signedInPage(admin);
  const dialog = await openCreateKey(page);
  const style = (element: Locator, property: string) =>
    element.evaluate((each, name) => getComputedStyle(each).getPropertyValue(name), property);
  const empty = dialog.getByRole("checkbox", { name: "read:rewards" });
  const ticked = dialog.getByRole("checkbox", { name: "read:members" });
  await dialog.getByLabel("Expiry").focus();
  for (const media of allMedia) {
    await showIn(page, media);
    const panel = await style(dialog, "background-color");
    for (const control of [dialog.getByRole("textbox", { name: "Name" }), empty])
      expect(contrast(await style(control, "border-top-color"), panel), JSON.stringify(media)).toBeGreaterThan(3);
    const ground = await style(ticked, "background-color");
    const mark = await style(dialog.locator(".mantine-Checkbox-icon").first(), "color");
    expect(contrast(mark, ground), JSON.stringify(media)).toBeGreaterThan(3);
    expect(ground).not.toBe(await style(empty, "background-color"));
    const hint = await page.getByRole("searchbox").evaluate((field) => getComputedStyle(field, "::placeholder").color);
    expect(contrast(hint, panel), JSON.stringify(media)).toBeGreaterThan(4.5);
  }
  expect(await style(dialog, "border-top-style")).toBe("solid");

  // In a field with an error, too.
  await press(dialog, "Create key", "Give the key a name.");
  const reference = await newPage();
  await reference.goto("/reference/#listMembers");
  await reference.locator("#listMembers").getByText("Try it", { exact: true }).click();
  const keyField = reference.locator("#listMembers").getByRole("textbox", { name: "API key" });
  await keyField.fill("no key");
  await says(reference, "This is not a whole key");
  const account = await page.context().newPage();
  await account.goto("/set-password");
  await account.getByLabel("New password").fill("short");
  await press(account, "Set password", "Use at least 8 characters.");
  for (const [where, field] of [
    [page, dialog.getByRole("textbox", { name: "Name" })],
    [reference, keyField],
    [account, account.getByLabel("New password")],
  ] as const)
    for (const media of allMedia) {
      await showIn(where, media);
      expect(await showsFocus(field), `${where.url()} ${JSON.stringify(media)}`).toBe(true);
    }
});

test("on a phone, who is signed in and Sign out are at the same height", async ({ admin }) => {
  const page = await signedInPage(admin, { viewport: { width: 390, height: 844 } });
  const middleOf = (text: string) =>
    page.getByText(text, { exact: true }).evaluate((shown) => {
      const { top, height } = shown.getBoundingClientRect();
      return top + height / 2;
    });
  expect(Math.abs((await middleOf("Ada Brandt")) - (await middleOf("Sign out")))).toBeLessThan(2);
});

test("over the wire the page is at most 277 kB, the reference 110, and signed in 226, with a font, once", async ({
  browser,
}) => {
  for (const [at, most, context] of [
    ["/sign-in", 250_000, await newBrowser()],
    [path, 277_000, browser],
    ["/reference/", 110_000, await newBrowser()],
    ["/reference/guides/programs/", 110_000, await newBrowser()],
    ["/reference/", 226_000, browser],
  ] as const) {
    const page = await context.newPage();
    await page.goto(at);
    await page.getByRole("heading", { level: 1 }).waitFor();
    if (context === browser) await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    const loaded = await page.evaluate(() =>
      [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .filter(({ name }) => name.startsWith(window.location.origin))
        .map((entry) => entry.toJSON() as PerformanceResourceTiming),
    );
    const size = loaded.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    expect(size, at).toBeGreaterThan(50_000);
    expect(size, at).toBeLessThan(most);
    // So that no text moves when it comes.
    const fonts = loaded.filter(({ name }) => name.endsWith(".woff2"));
    expect(fonts.map(({ initiatorType }) => initiatorType)).toEqual(["link"]);
  }
});

// Proves: layer.12
test("the Content-Security-Policy is enforced: no other script runs, and only the project is reached", async () => {
  const policies = new Set<string | undefined>();
  for (const at of [path, "/reference/", "/reference/guides/programs/"]) {
    const html = await (await fetch(stack.dashboard_url + at)).text();
    const quoted = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html)?.[1];
    policies.add(quoted?.replaceAll("&#39;", "'"));
    expect(html.indexOf("Content-Security-Policy")).toBeLessThan(html.indexOf("<script"));
    expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  }
  expect([...policies]).toEqual([
    `default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self' ${stack.supabase_url}; object-src 'none'; base-uri 'none'; form-action 'self'`,
  ]);
  const page = await newPage();
  await page.goto("/sign-in");
  const outcome = await page.evaluate(async () => {
    const violated: string[] = [];
    document.addEventListener("securitypolicyviolation", ({ effectiveDirective }) => violated.push(effectiveDirective));
    const script = document.createElement("script");
    script.textContent = "window.injected = true";
    document.body.append(script);
    await fetch("http://127.0.0.1:9/").catch(() => violated.push("refused"));
    await new Promise((resolve) => setTimeout(resolve));
    return { violated, injected: "injected" in window };
  });
  expect(outcome.injected).toBe(false);
  expect(outcome.violated).toEqual(expect.arrayContaining(["script-src-elem", "connect-src", "refused"]));
  for (const trouble of takeTroubles()) expect(trouble).toContain("Content Security Policy");
});

/** The directions in which code is written. */
const directions = (page: Page) =>
  page
    .locator("pre, code, .method + span")
    .evaluateAll((all) => [...new Set(all.map((each) => getComputedStyle(each).direction))]);

test("in Arabic nothing is cut or on the wrong side, and code stays as it is", async ({ client, browser }) => {
  const { id } = await makeKey(client, "Payroll");
  await browser.addInitScript(translator, "ar" as const);
  const page = await browser.newPage();
  for (const [at, shown] of [
    [path, "tbody font"],
    [`${path}?tab=history`, "ol font"],
    [`${path}?create=power-bi`, "[role=dialog] label font"],
    [`${path}?key=${id}`, "[role=dialog] dt font"],
    ["/reference/guides/programs/", "h1 font"],
    ["/reference/", "h1 font"],
  ] as const) {
    await page.goto(at);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      await page.locator(shown).first().waitFor();
      expect(await directions(page), at).toEqual(["ltr"]);
      expect(await page.locator("pre font, code font").count(), at).toBe(0);
      expect(await clipped(page), `${at}, ${width} px`).toEqual([]);
      if (process.env.PICTURES) await shoot(page, `rtl${at.replaceAll(/\W/g, "-")}-${width}`);
    }
  }
  const [menu, text] = await Promise.all([".menu", "h1"].map((each) => page.locator(each).boundingBox()));
  expect((menu?.x ?? 0) - (text?.x ?? 0) - (text?.width ?? 0)).toBeGreaterThan(20);
});
