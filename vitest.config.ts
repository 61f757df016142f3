import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { pgtap } from "./test/runner/pgtap.ts";
import { ClosingLine } from "./test/runner/reporter.ts";

// Node keeps what it has compiled, for the workers and for the many commands that the tests start.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

// The workers' share of --no-color.
if (process.argv.includes("--no-color")) process.env.NO_COLOR = "1";

/** What breaks the service for everybody, what writes to a demo company, and what wants to see that nothing has changed. */
const alone = ["bad_requests", "docs", "failures", "openapi"].map((name) => `test/api/${name}.test.ts`);

/** What changes or counts something that all share: roles, tables and locks, staging, the log, the machine's time. */
const inTurn = [
  ...[
    "check",
    "erasing",
    "loading",
    "loading_corrections",
    "loading_mistakes",
    "loading_psql",
    "locks",
    "retention",
  ].map((name) => `test/database/${name}.test.ts`),
  ...["fairness", "import_cost", "linters", "logs", "migrations", "requests_at_once", "revocation"].map(
    (name) => `test/hardening/${name}.test.ts`,
  ),
];

/** Starts the stack, for the files that need it. */
const globalSetup = "test/runner/global_setup.ts";

/** Files beside each other, one more than the least machine has processors: most wait for a browser, a database or a program. */
const beside = { maxWorkers: 3, sequence: { groupOrder: 2 } };

/** The files of a folder beside those of the others: they only read the demo companies, and make their own to write to. */
const together = (name: string, more: { globalSetup?: string[]; setupFiles?: string } = {}) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    exclude: [...alone, ...inTurn, "**/node_modules/**"],
    globalSetup,
    ...beside,
    ...more,
  },
});

const dashboard = together("dashboard", {
  globalSetup: [globalSetup, "test/runner/chromium.ts"],
  setupFiles: "test/dashboard/setup.ts",
});

/** These one after the other, after those of the groups before. */
const oneByOne = (name: string, groupOrder: number, include: string[]) => ({
  extends: true as const,
  test: { name, include, globalSetup, maxWorkers: 1, sequence: { groupOrder } },
});

/** The function's answers once more, under the newest Deno. */
const newest = {
  extends: true as const,
  test: {
    name: "newest",
    include: ["csv", "import", "lists", "order_of_checks"].map((name) => `test/api/${name}.test.ts`),
    setupFiles: "test/runner/newest_deno.ts",
    globalSetup,
    ...beside,
  },
};

export default defineConfig(({ mode }) => ({
  plugins: [pgtap],
  test: {
    // For a machine that has other things to do: what never comes fails late, what comes late does not fail.
    testTimeout: 180_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    // npm run test:soak, test/hardening/counts.ts; npm test -- --mode pictures, test/dashboard/looks.ts
    env: { SOAK: mode === "soak" ? "1" : "", PICTURES: mode === "pictures" ? "1" : "" },
    allowOnly: false,
    // A worker runs many files, and each module is loaded once: starting a worker costs more than many a file.
    isolate: false,
    // A stored expectation that is gone is a failure, not a new one. -u writes them.
    update: "none",
    reporters: ["default", new ClosingLine()],
    diff: { maxDepth: 10, truncateThreshold: 60 },
    projects: [
      {
        extends: true as const,
        test: {
          name: "sql",
          include: ["test/sql/*.sql"],
          globalSetup,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      { extends: true, test: { name: "function", include: ["test/function/**/*.test.ts"], ...beside } },
      ...["api", "database", "cli", "hardening"].map((name) => together(name)),
      dashboard,
      newest,
      oneByOne("alone", 3, alone),
      oneByOne("in turn", 4, inTurn),
    ],
  },
}));
