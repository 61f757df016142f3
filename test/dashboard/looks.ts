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
    const isCutOff = (element: HTMLElement): boolean => {
      const { overflowX } = getComputedStyle(element);
      // What scrolls, by keyboard too, is not cut off.
      if (overflowX === "auto" && element.tabIndex === 0) return false;
      // What only a screen reader is told is one pixel large on purpose.
      if (overflowX === "visible" || element.getBoundingClientRect().width <= 1) return false;
      if (element.matches("input, textarea")) return false;
      return element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1;
    };
    const elements = [...document.querySelectorAll<HTMLElement>("body *")].filter(isCutOff);
    found.push(...elements.map(({ tagName, textContent }) => `${tagName} "${textContent.slice(0, 60)}" is cut off`));
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
