// Checks how a state of the page looks: axe finds nothing, and no text is cut off.
import axe, { type RunOptions } from "axe-core";
import type { Page, ViewportSize } from "playwright-core";
import { expect } from "vitest";
import { narrow, shoot, wide } from "./browser.ts";

/** What axe finds in the page in its present state. */
export async function accessibilityProblems(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return await page.evaluate(async (options) => {
    // axe cannot tell what is drawn only when a reader comes near.
    for (const part of document.querySelectorAll<HTMLElement>(".operation")) part.style.contentVisibility = "visible";
    // Of what is right it needs no places, which take it as long as the rules.
    const quick = { resultTypes: ["violations"], selectors: false, ...options } as RunOptions;
    const { violations, passes } = await (window as unknown as { axe: typeof axe }).axe.run(quick);
    if (passes.length === 0) return ["axe checked nothing"];
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`)}`);
  }, options);
}

/** Texts that are cut off at a side or below, and anything that makes the page wider than the screen. */
export async function clipped(page: Page): Promise<string[]> {
  return await page.evaluate(() => {
    const found: string[] = [];
    const { clientWidth, scrollWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} wide on a screen of ${clientWidth}`);
    const all = [...document.querySelectorAll<HTMLElement>("body *")];
    // Letters that reach below the line, such as a g.
    const low = all.filter((element) => {
      if (!["hidden", "clip"].includes(getComputedStyle(element).overflowY) || element.clientHeight < 2) return false;
      const { top, bottom } = element.getBoundingClientRect();
      const text = document.createRange();
      return [...element.childNodes].some((node) => {
        if (node.nodeType !== Node.TEXT_NODE) return false;
        text.selectNode(node);
        return [...text.getClientRects()].some((line) => line.top < top - 0.5 || line.bottom > bottom + 0.5);
      });
    });
    const elements = all.filter((element) => {
      const { overflowX } = getComputedStyle(element);
      if (element.clientWidth === 0 || element.scrollWidth <= element.clientWidth + 1) return false;
      // Text of a cell that is wider than its column would cover the next one.
      if (element.matches("td, th")) return true;
      // An element that scrolls, by keyboard too, does not cut its text off.
      if (overflowX === "visible" || (overflowX === "auto" && element.tabIndex === 0)) return false;
      // A text for screen readers only is one pixel wide on purpose.
      return element.getBoundingClientRect().width > 1 && !element.matches("input, textarea");
    });
    found.push(
      ...[...elements, ...low].map(({ tagName, textContent }) => `${tagName} "${textContent.slice(0, 60)}" is cut off`),
    );
    return found;
  });
}

/** Waits until nothing appears, fades or moves any more. */
export const settled = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const frames = () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const moving = () =>
      document.getAnimations().filter((each) => each.effect?.getComputedTiming().endTime !== Number.POSITIVE_INFINITY);
    do {
      await frames();
      await Promise.allSettled(moving().map(({ finished }) => finished));
    } while (moving().some(({ playState }) => playState === "running"));
  });

/** Shows the page in these media, and waits until nothing fades in or out: half faded, no text has contrast. */
export async function showIn(page: Page, media: Parameters<Page["emulateMedia"]>[0]): Promise<void> {
  await page.emulateMedia(media);
  await settled(page);
}

const colours = ["color-contrast"];
const ways: { look: string; viewport: ViewportSize; media: object; options: RunOptions }[] = [
  { look: "dark", viewport: narrow, media: { colorScheme: "dark" }, options: { runOnly: [...colours, "target-size"] } },
  { look: "forced", viewport: narrow, media: { forcedColors: "active" }, options: { runOnly: colours } },
  { look: "light", viewport: wide, media: {}, options: { rules: { "target-size": { enabled: true } } } },
];
const light = { colorScheme: "light", forcedColors: "none" } as const;

/**
 * Expects that no text is cut off, and that axe finds nothing: all its rules on a wide, light page; on a narrow one, dark
 * and in forced colors, the rules about colors and sizes. With --mode pictures it saves a screenshot of each, and a
 * wide one in forced colors.
 */
export async function expectGoodLooks(page: Page, name: string): Promise<void> {
  for (const { look, viewport, media, options } of ways) {
    const shown = `${name}-${viewport.width}-${look}`;
    await page.setViewportSize(viewport);
    await showIn(page, { ...light, ...media });
    expect(await clipped(page), shown).toEqual([]);
    expect(await accessibilityProblems(page, options), shown).toEqual([]);
    if (process.env.PICTURES) await shoot(page, shown);
  }
  if (!process.env.PICTURES) return;
  await page.emulateMedia({ forcedColors: "active" });
  await shoot(page, `${name}-${wide.width}-forced`);
  await page.emulateMedia(light);
}
