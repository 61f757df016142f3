/** One test of a suite. `reference` is how docs/specification.md names it, `test/api/members.test.ts › its name`. */
export interface Test {
  reference: string;
  passed: boolean;
}

/** What came of a suite: its tests, and what to print when one of them failed. */
export interface SuiteResult {
  tests: Test[];
  report: string;
}

/** How many of these tests passed and failed. */
export function count(tests: Test[]): { passed: number; failed: number } {
  const passed = tests.filter((test) => test.passed).length;
  return { passed, failed: tests.length - passed };
}

/** The result of a suite that could not run: one failed test of its name. */
export function crashed(name: string, error: unknown): SuiteResult {
  const report = error instanceof Error ? error.message : String(error);
  return { tests: [{ reference: name, passed: false }], report };
}
