// A state of the page, looked at in every way: at three widths, light and dark.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { aboutColours, accessibilityProblems } from "./axe.ts";
import { middle, narrow, shoot, wide } from "./browser.ts";

/** Texts that stand outside what shows them, and anything that makes the page wider than the screen. */
async function clipped(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide on a screen of ${clientWidth}`);
    for (const element of document.querySelectorAll<HTMLElement>("body *")) {
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      // What only a screen reader is told is one pixel large on purpose.
      // What scrolls, by keyboard too, is not cut off.
      if (style.overflowX === "auto" && element.tabIndex === 0) continue;
      if (style.overflowX === "visible" || box.width <= 1 || element.matches("input, textarea")) continue;
      if (element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0) {
        found.push(`${element.tagName} "${element.textContent.slice(0, 60)}" is cut off`);
      }
    }
    return found;
  });
}

/** axe finds nothing and no text is cut off, in each of the six looks; with --mode pictures a screenshot is left of each. */
export async function expectGoodLooks(page: Page, name: string): Promise<void> {
  for (const viewport of [narrow, middle, wide]) {
    await page.setViewportSize(viewport);
    expect(await clipped(page), `${name} at ${viewport.width} px`).toEqual([]);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      // The page has been told, and has been drawn.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      const problems = await accessibilityProblems(page, colorScheme === "dark" ? aboutColours : {});
      expect(problems, `${name} at ${viewport.width} px, ${colorScheme}`).toEqual([]);
      if (process.env.PICTURES) await shoot(page, viewport, `${name}-${viewport.width}-${colorScheme}`);
    }
  }
}
