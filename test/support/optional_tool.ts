// Tools that not every machine has. A test without its tool does not run: it counts as neither passed nor failed, and
// the run names it (reporter.ts). The tools that CONTRIBUTING.md requires are not optional: without them a test fails.
import type { TestContext } from "vitest";

/** Skips the test when its tool is missing. */
export function needs({ skip }: Pick<TestContext, "skip">, tool: string, isThere: boolean): void {
  skip(!isThere, `${tool} is missing`);
}
