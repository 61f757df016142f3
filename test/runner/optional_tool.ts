// Tools that only some machines have. A test without its tool has not run: it is neither passed nor failed, and the run says so
// (reporter.ts). What CONTRIBUTING.md asks for is not optional: without it a test fails.
import type { TestContext } from "vitest";

const note = /^.+ is missing$/;

/** Leaves the test where its tool is missing. */
export function needs({ skip }: Pick<TestContext, "skip">, tool: string, isThere: boolean): void {
  skip(!isThere, `${tool} is missing`);
}

/** Whether a test that was skipped with this note lacked its tool. */
export const lackedItsTool = (skippedWith: string | undefined): boolean => note.test(skippedWith ?? "");
