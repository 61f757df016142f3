// A state of the page, looked at in every way: at three widths, light and dark.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { expectAccessible } from "./axe.ts";
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

/** axe finds nothing, no text is cut off, and a screenshot is left of each of the six looks. */
export async function expectGoodLooks(page: Page, name: string): Promise<void> {
  for (const viewport of [narrow, middle, wide]) {
    await page.setViewportSize(viewport);
    await expectAccessible(page);
    expect(await clipped(page), `${name} at ${viewport.width} px`).toEqual([]);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      await shoot(page, name);
    }
  }
}
