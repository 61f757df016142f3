import { defineConfig } from "vitest/config";

/** The files of a folder one after the other, after those of the groups before: they share one stack and its data. */
const onTheStack = (name: string, groupOrder: number) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], fileParallelism: false, sequence: { groupOrder } },
});

export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        test: { name: "function", include: ["test/function/**/*.test.ts"], sequence: { groupOrder: 0 } },
      },
      onTheStack("api", 1),
      onTheStack("database", 2),
      onTheStack("cli", 2),
      onTheStack("dashboard", 3),
      onTheStack("hardening", 4),
    ],
  },
});
