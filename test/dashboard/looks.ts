// Checks the layout of the page: at three widths, in light and dark.
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { aboutColours, accessibilityProblems } from "./axe.ts";
import { middle, narrow, shoot, wide } from "./browser.ts";

/** Texts that are cut off, and anything that makes the page wider than the screen. */
async function clipped(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide on a screen of ${clientWidth}`);
    const isCutOff = (element: HTMLElement): boolean => {
      const { overflowX } = getComputedStyle(element);
      // An element that scrolls, by keyboard too, does not cut its text off.
      if (overflowX === "auto" && element.tabIndex === 0) return false;
      // A text for screen readers only is one pixel wide on purpose.
      if (overflowX === "visible" || element.getBoundingClientRect().width <= 1) return false;
      if (element.matches("input, textarea")) return false;
      return element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1;
    };
    const elements = [...document.querySelectorAll<HTMLElement>("body *")].filter(isCutOff);
    found.push(...elements.map(({ tagName, textContent }) => `${tagName} "${textContent.slice(0, 60)}" is cut off`));
    return found;
  });
}

/**
 * Expects that axe finds nothing and no text is cut off, at each width, in light and dark. With --mode pictures it
 * saves a screenshot of each.
 */
export async function expectGoodLooks(page: Page, name: string): Promise<void> {
  for (const viewport of [narrow, middle, wide]) {
    await page.setViewportSize(viewport);
    expect(await clipped(page), `${name} at ${viewport.width} px`).toEqual([]);
    for (const colorScheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme });
      // Waits until the page is drawn with these settings.
      await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
      const problems = await accessibilityProblems(page, colorScheme === "dark" ? aboutColours : {});
      expect(problems, `${name} at ${viewport.width} px, ${colorScheme}`).toEqual([]);
      if (process.env.PICTURES) await shoot(page, viewport, `${name}-${viewport.width}-${colorScheme}`);
    }
  }
}
