import { defineConfig } from "vitest/config";
import { pgtap } from "./test/runner/pgtap.ts";
import { ClosingLine } from "./test/runner/reporter.ts";

// The workers' share of --no-color.
if (process.argv.includes("--no-color")) process.env.NO_COLOR = "1";

/** What breaks the service for everybody, and what wants to see that nothing has changed. */
const alone = ["test/api/bad_requests.test.ts", "test/api/failures.test.ts"];

/** Starts the stack, for the files that need it. */
const globalSetup = "test/runner/global_setup.ts";

/** The files of a folder one after the other, after those of the groups before: they share one stack and its data. */
const inTurn = (name: string, groupOrder: number, include = [`test/${name}/**/*.test.ts`]) => ({
  extends: true as const,
  test: { name, include, globalSetup, maxWorkers: 1, sequence: { groupOrder } },
});

/** The files of a folder beside each other: they only read the demo companies, and make their own to write to. */
const together = (name: string, groupOrder: number) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    exclude: alone,
    globalSetup,
    maxWorkers: 2,
    sequence: { groupOrder },
  },
});

/** The function's answers once more, under the newest Deno. */
const newest = {
  extends: true as const,
  test: {
    name: "newest",
    include: ["csv", "import", "lists", "order_of_checks"].map((name) => `test/api/${name}.test.ts`),
    setupFiles: "test/runner/newest_deno.ts",
    globalSetup,
    maxWorkers: 2,
    sequence: { groupOrder: 2 },
  },
};

export default defineConfig(({ mode }) => ({
  plugins: [pgtap],
  test: {
    // For a machine that has other things to do: what never comes fails late, what comes late does not fail.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
    // npm run test:soak, test/hardening/counts.ts
    env: { SOAK: mode === "soak" ? "1" : "" },
    allowOnly: false,
    // A stored expectation that is gone is a failure, not a new one. -u writes them.
    update: "none",
    reporters: ["default", new ClosingLine()],
    diff: { maxDepth: 10, truncateThreshold: 60 },
    projects: [
      { extends: true, test: { name: "function", include: ["test/function/**/*.test.ts"] } },
      {
        extends: true as const,
        test: {
          name: "sql",
          include: ["test/sql/*.sql"],
          globalSetup,
          isolate: false,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      together("api", 2),
      together("dashboard", 2),
      newest,
      inTurn("alone", 3, alone),
      inTurn("database", 4),
      inTurn("cli", 5),
      inTurn("hardening", 6),
    ],
  },
}));
