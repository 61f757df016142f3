import { fileURLToPath } from "node:url";
import { configDefaults, defineConfig } from "vitest/config";
import { ownersOnly } from "./test/runner/given_stack.ts";
import { pgtap } from "./test/runner/pgtap.ts";
import { ClosingLine } from "./test/runner/reporter.ts";
import { FolderByFolder } from "./test/runner/sequencer.ts";
import { replaceableTimers } from "./test/runner/timers.ts";

// Node keeps what it has compiled, for the workers and for the many commands that the tests start.
process.env.NODE_COMPILE_CACHE ??= fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url));

// For the workers, which --no-color does not reach.
if (process.argv.includes("--no-color")) process.env.NO_COLOR = "1";

/** Starts the stack, for the files that need it. */
const globalSetup = "test/runner/global_setup.ts";

/** Files at the same time: one more than the smallest machine has processors, because most wait for other programs. */
const beside = { maxWorkers: 3, sequence: { groupOrder: 2 } };

/** The files of a folder. They only read the demo companies, and make their own to write to. */
const folder = (name: string, more: object = {}) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], globalSetup, ...beside, ...more },
});

/** One file after the other, while no file of another group runs. */
const serially = (groupOrder: number) => ({ maxWorkers: 1, sequence: { groupOrder } });

const dashboard = folder("dashboard", {
  globalSetup: [globalSetup, "test/runner/chromium.ts"],
  setupFiles: "test/dashboard/setup.ts",
});

/** The function's answers once more, under the newest Deno. */
const newest = folder("newest", {
  include: ["api/import", "api/requests", "hardening/isolation"].map((name) => `test/${name}.test.ts`),
  setupFiles: "test/runner/newest_deno.ts",
});

export default defineConfig(({ mode }) => ({
  plugins: [pgtap, replaceableTimers],
  test: {
    // Generous, so that a slow test passes on a busy machine. A test that hangs fails all the same, but late.
    testTimeout: mode === "soak" ? 3_600_000 : 300_000,
    hookTimeout: mode === "soak" ? 3_600_000 : 300_000,
    expect: { poll: { interval: 10, timeout: 60_000 } },
    // npm run test:soak, test/support/counts.ts; npm test -- --mode pictures, test/dashboard/looks.ts
    env: { SOAK: mode === "soak" ? "1" : "", PICTURES: mode === "pictures" ? "1" : "" },
    allowOnly: false,
    // On a stack that is not ours (npm test -- --stack), the run names these files as not run.
    exclude: [...configDefaults.exclude, ...(process.env.GIVEN_STACK ? ownersOnly().map(([file]) => file) : [])],
    // A worker runs many files, and each module is loaded once: starting a worker costs more than many a file.
    isolate: false,
    // A stored expectation that is gone is a failure, not a new one. -u writes them.
    update: "none",
    sequence: { sequencer: FolderByFolder },
    reporters: ["default", new ClosingLine()],
    diff: { maxDepth: 10, truncateThreshold: 60 },
    projects: [
      folder("sql", { include: ["test/sql/*.sql", "test/sql/*.test.ts"], ...serially(1) }),
      folder("function", { globalSetup: [] }),
      ...["api", "operating", "repository", "cli", "hardening"].map((name) => folder(name)),
      dashboard,
      newest,
      // What changes or counts something that all share: functions, locks, the demo rewards, the log, the machine's time.
      folder("serial", serially(3)),
    ],
  },
}));
