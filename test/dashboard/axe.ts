import axe, { type RunOptions } from "axe-core";
import type { Page } from "playwright-core";

/** The rules whose outcome depends on the colour scheme. */
export const aboutColours: RunOptions = { runOnly: ["color-contrast", "link-in-text-block"] };

/** What axe finds in the page in its present state. */
export async function accessibilityProblems(page: Page, options: RunOptions = {}): Promise<string[]> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return await page.evaluate(async (options) => {
    const { violations, passes } = await (window as unknown as { axe: typeof axe }).axe.run(options);
    if (passes.length === 0) return ["axe checked nothing"];
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`)}`,
    );
  }, options);
}
