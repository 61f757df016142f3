import axe from "axe-core";
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** Lets axe look at the page as it is, in both colour schemes: nothing may be found. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme });
    // The page has been told, and has been drawn.
    await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
    await page.evaluate(axe.source);
    const found = await page.evaluate(async () => {
      const { violations, passes } = await (window as unknown as { axe: typeof axe }).axe.run();
      if (passes.length === 0) return ["axe found nothing to look at"];
      return violations.map(
        ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)}`,
      );
    });
    expect(found, colorScheme).toEqual([]);
  }
}
