// Checks how a state of the page looks: axe finds nothing, and no text is cut off.
import axe, { type RunOptions } from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { narrow, shoot, wide } from "./browser.ts";

/** What axe finds in the page in its present state. */
async function accessibilityProblems(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return await page.evaluate(async (options) => {
    const { violations, passes } = await (window as unknown as { axe: typeof axe }).axe.run(options);
    if (passes.length === 0) return ["axe checked nothing"];
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)}`,
    );
  }, options);
}

/** Texts that are cut off, and anything that makes the page wider than the screen. */
export async function clipped(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide on a screen of ${clientWidth}`);
    const overflows = (element: HTMLElement): boolean =>
      element.clientWidth > 0 && element.scrollWidth > element.clientWidth + 1;
    const isCutOff = (element: HTMLElement): boolean => {
      const { overflowX } = getComputedStyle(element);
      // An element that scrolls, by keyboard too, does not cut its text off.
      if (overflowX === "auto" && element.tabIndex === 0) return false;
      // A text for screen readers only is one pixel wide on purpose.
      if (overflowX === "visible" || element.getBoundingClientRect().width <= 1) return false;
      if (element.matches("input, textarea")) return false;
      return overflows(element);
    };
    // Text of a cell that is wider than its column would cover the next one.
    const elements = [...document.querySelectorAll<HTMLElement>("body *")].filter(
      (element) => isCutOff(element) || (element.matches("td, th") && overflows(element)),
    );
    found.push(...elements.map(({ tagName, textContent }) => `${tagName} "${textContent.slice(0, 60)}" is cut off`));
    return found;
  });
}

const light = { colorScheme: "light", forcedColors: "none" } as const;
const ways = [
  {
    look: "dark",
    viewport: narrow,
    media: { ...light, colorScheme: "dark" },
    options: { runOnly: ["color-contrast", "target-size"] },
  },
  {
    look: "forced",
    viewport: narrow,
    media: { ...light, forcedColors: "active" },
    options: { runOnly: ["color-contrast"] },
  },
  { look: "light", viewport: wide, media: light, options: { rules: { "target-size": { enabled: true } } } },
] as const;

/**
 * Expects that no text is cut off, and that axe finds nothing: all its rules on a wide, light page; on a narrow one, dark
 * and in forced colours, the rules about colours and sizes. With --mode pictures it saves a screenshot of each, and a
 * wide one in forced colours.
 */
export async function expectGoodLooks(page: Page, name: string): Promise<void> {
  for (const { look, viewport, media, options } of ways) {
    const shown = `${name}-${viewport.width}-${look}`;
    await page.setViewportSize(viewport);
    await page.emulateMedia(media);
    // Waits until the page is drawn with these settings.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    expect(await clipped(page), shown).toEqual([]);
    expect(await accessibilityProblems(page, options as RunOptions), shown).toEqual([]);
    if (process.env.PICTURES) await shoot(page, viewport, shown);
  }
  if (!process.env.PICTURES) return;
  await page.emulateMedia({ forcedColors: "active" });
  await shoot(page, wide, `${name}-${wide.width}-forced`);
  await page.emulateMedia(light);
}
