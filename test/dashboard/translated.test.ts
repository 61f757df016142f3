// The page in a language that is written from right to left. Most files here use it while the browser translates it
// (translateEachPage in browser.ts).
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { makeKey } from "../support/companies.ts";
import { shoot } from "./browser.ts";
import { clipped } from "./looks.ts";
import { test } from "./scene.ts";
import { path } from "./steps.ts";
import { translator } from "./translator.ts";

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
