// Tests of the whole page: keyboard, size, Content-Security-Policy.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect } from "vitest";
import { stack } from "../support/stack.ts";
import { eventually, newPage, takeTroubles } from "./browser.ts";
import { signedInBrowser, test } from "./scene.ts";
import { expectFocus, openCreateKey, path, row, tabTo } from "./steps.ts";

test("everything can be done by keyboard alone, and the focus is always somewhere sensible", async ({ admin }) => {
  const page = await newPage();
  const { keyboard } = page;
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const dialog = page.getByRole("dialog");
  const menu = page.getByRole("menu");
  /** Opens the menu of the row, and chooses an entry by its first letters. */
  const choose = async (name: string, action: string) => {
    await tabTo(page, row(page, name).getByRole("button", { name: "Actions" }));
    await keyboard.press("Enter");
    await menu.waitFor();
    const item = menu.getByRole("menuitem", { name: action });
    for (let steps = 0; steps < 5 && !(await item.evaluate((each) => each.matches(":focus"))); steps += 1)
      await keyboard.press("ArrowDown");
    await keyboard.press("Enter");
  };

  await page.goto("/");
  await page.getByLabel("Email").waitFor();
  await expectFocus(page, page.getByLabel("Email"));
  await keyboard.type(admin.email);
  await tabTo(page, page.getByLabel("Password", { exact: true }));
  await keyboard.type(admin.password);
  await keyboard.press("Enter");
  await button("Create key").waitFor();
  expect(await page.locator(":focus").textContent()).toBe("Public API");

  await tabTo(page, button("Create key"));
  await keyboard.press("Enter");
  await expectFocus(page, dialog.getByRole("textbox", { name: "Name" }));
  await keyboard.type("Power BI");
  await tabTo(page, dialog.getByRole("checkbox", { name: "read:rewards" }));
  await keyboard.press("Space");
  await tabTo(page, button("Create key"));
  await keyboard.press("Enter");
  await expectFocus(page, dialog.getByLabel("API key"));
  await keyboard.press("Escape");
  await eventually(() => page.locator(":focus").textContent()).toBe("Back to the key");
  await keyboard.press("Enter");
  await tabTo(page, button("Check key"));
  await keyboard.press("Enter");
  await dialog.getByText("Power BI works").waitFor();
  await expectFocus(page, button("Check key"));
  await dialog.getByLabel("API key").focus();
  await tabTo(page, button("Copy"));
  await keyboard.press("Enter");
  await tabTo(page, button("Done"));
  await keyboard.press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await expectFocus(page, row(page, "Power BI"));

  await choose("Power BI", "Rename");
  await expectFocus(page, dialog.getByRole("textbox", { name: "Name" }));
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await expectFocus(page, row(page, "Power BI").getByRole("button", { name: "Actions" }));
  await keyboard.press("Shift+Tab");
  await choose("Power BI", "Replace");
  await expectFocus(page, dialog.getByLabel("Keep the old key working for"));
  await keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await keyboard.press("Shift+Tab");
  await choose("Power BI", "Revoke");
  await eventually(() => page.locator(":focus").textContent()).toBe("Cancel");
  await tabTo(page, button("Revoke key"));
  await keyboard.press("Enter");
  await row(page, "Power BI").getByText("revoked", { exact: true }).waitFor();
  await expectFocus(page, row(page, "Power BI"));
  await page.goto(path);
  await tabTo(page, button("Sign out"));
  await keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("in a dialog Tab stays, whoever tabs on fast from the date to Create key stays there, and the page does not scroll", async ({
  admin,
}) => {
  const page = await (await signedInBrowser(admin)).newPage();
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
  for (let steps = 0; steps < 20; steps += 1) {
    await page.keyboard.press("Tab");
    await page.clock.runFor(100);
    expect(await page.locator("#root :focus").count()).toBe(0);
  }
  await page.mouse.move(5, 400);
  await page.mouse.wheel(0, 2000);
  await page.clock.runFor(1000);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

test("with forced colours a ticked scope differs from an empty one, and a dialog from the page by an edge", async ({
  page,
}) => {
  await page.emulateMedia({ forcedColors: "active" });
  const dialog = await openCreateKey(page);
  const looks = (scope: string) =>
    dialog.getByRole("checkbox", { name: scope }).evaluate((box) => getComputedStyle(box).backgroundColor);
  expect(await looks("read:members")).not.toBe(await looks("read:rewards"));
  const box = dialog.locator(".mantine-Checkbox-inner").first();
  const [mark, ground] = await box.evaluate((inner) => {
    const [input, icon] = [inner.querySelector("input"), inner.querySelector("svg")];
    return [icon && getComputedStyle(icon).color, input && getComputedStyle(input).backgroundColor];
  });
  expect(contrast(mark ?? "", ground ?? "")).toBeGreaterThan(3);
  expect(await dialog.evaluate((element) => getComputedStyle(element).borderTopStyle)).toBe("solid");
});

test("over the wire the page is at most 300 kB and the reference 250, with scripts, styles and font", async () => {
  for (const [at, most] of [
    ["/sign-in", 300_000],
    ["/reference/", 250_000],
  ] as const) {
    const page = await newPage();
    await page.goto(at);
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    const size = await page.evaluate(() =>
      [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .filter(({ name }) => name.startsWith(window.location.origin))
        .reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).encodedBodySize, 0),
    );
    expect(size, at).toBeGreaterThan(200_000);
    expect(size, at).toBeLessThan(most);
  }
});

test("the Content-Security-Policy lets the page load only what it is served with and talk only to its project", async () => {
  const html = await (await fetch(stack.dashboard_url + path)).text();
  const quoted = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(html)?.[1] ?? "";
  expect(quoted.replaceAll("&#39;", "'").split("; ")).toEqual([
    "default-src 'self'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self' ${stack.supabase_url}`,
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ]);
  expect(html.indexOf("Content-Security-Policy")).toBeLessThan(html.indexOf("<script"));
  expect(html).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
});

// Proves: layer.12
test("the browser enforces it: a script put into the page does not run, and no other address is reached", async () => {
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

test("every path has a page of its own, for a static host that knows no fallback; an unknown one leads to the page", async () => {
  const folder = `${dirname(process.env.STACK_FILE ?? "")}/dashboard`;
  const built = readFileSync(`${folder}/index.html`, "utf8");
  const page = await newPage();
  for (const opened of ["/sign-in", "/forgot-password", "/set-password", path, "/no/such/page"]) {
    const isKnown = opened !== "/no/such/page";
    if (isKnown) expect(readFileSync(`${folder}${opened}/index.html`, "utf8")).toBe(built);
    await page.goto(opened);
    await page.getByLabel("Email").waitFor();
    expect(new URL(page.url()).pathname).toBe(isKnown && opened !== path ? opened : "/sign-in");
  }
});

/** The contrast of two colours (WCAG), from 1 to 21. The colours are in the browser's form, `rgb(1, 2, 3)`. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string): number => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/\d+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test("an empty field and an empty checkbox stand out from what they lie on by 3 to 1, light and dark", async ({
  page,
}) => {
  await page.getByRole("button", { name: "Create key" }).click();
  const dialog = page.getByRole("dialog");
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    const panel = await dialog.evaluate((element) => getComputedStyle(element).backgroundColor);
    const name = dialog.getByRole("textbox", { name: "Name" });
    await dialog.getByRole("combobox", { name: "Expiry" }).focus();
    for (const control of [name, dialog.getByRole("checkbox", { name: "read:rewards" })]) {
      const outline = await control.evaluate((element) => getComputedStyle(element).borderTopColor);
      expect(contrast(outline, panel), `${control} ${colorScheme}: ${outline} on ${panel}`).toBeGreaterThan(3);
    }
  }
});
