// package-lock.json holds for every platform, so that `npm ci` installs what this machine has tried, wherever it runs.
import { cpSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type LockFile, missingEntries } from "../../scripts/lock_file.ts";
import { root } from "../../scripts/stack/process.ts";
import { runProgram, workFolder } from "../support/command_line.ts";

const folder = workFolder();
for (const file of ["package.json", "package-lock.json", "cli/package.json", "docs/connect/typescript/package.json"])
  cpSync(`${root}/${file}`, `${folder}/${file}`);
const lock: LockFile = JSON.parse(readFileSync(`${root}/package-lock.json`, "utf8"));

test("every optional dependency of every package has an entry", () => {
  expect(missingEntries(lock), "stale: npm run lock").toEqual({});
});

test("what is missing is added as it was; a second version of a package stands below the package that needs it", () => {
  const entries = Object.entries(lock.packages);
  const isMissing = ([path]: [string, object]) => /@deno\/|@biomejs\/cli-/.test(path);
  const added = missingEntries({ packages: Object.fromEntries(entries.filter((entry) => !isMissing(entry))) });
  const before = Object.fromEntries(entries.filter(isMissing));
  expect(before).toMatchObject(added);
  expect(Object.keys(added).sort()).toEqual(Object.keys(before).sort());
  expect(Object.keys(added)).toContain("node_modules/deno-latest/node_modules/@deno/win32-arm64");
  const named = (optionalDependencies: Record<string, string>) => () =>
    missingEntries({ packages: { "node_modules/b": { optionalDependencies } } });
  expect(named({ "b-native": "1.0.0" })).toThrow("b-native has no system or no processor in its name");
  expect(named({ "b-linux-x64": "^1.0.0" })).toThrow("node_modules/b needs b-linux-x64 ^1.0.0");
});

test("it names no registry", () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved?.includes("://"))).toEqual([]);
});

test.each([
  ["darwin", "arm64", "darwin-arm64", "darwin-arm64", "darwin-arm64"],
  ["win32", "x64", "win32-x64", "windows-x64", "win32-x64"],
  ["linux", "arm64", "linux-arm64-glibc", "linux-arm64", "linux-arm64"],
])("npm ci on %s %s would install Deno, the compiler and the others", async (os, cpu, deno, supabase, others) => {
  const args = ["ci", "--dry-run", "--offline", "--no-audit", `--os=${os}`, `--cpu=${cpu}`, "--libc=glibc"];
  const { code, stdout, stderr } = await runProgram("npm", args, folder, process.env);
  expect(code, stderr).toBe(0);
  expect(stdout.split("\n")).toEqual(
    expect.arrayContaining([
      `add @deno/${deno} 2.1.4`,
      expect.stringMatching(`^add @deno/${deno} 2\\.[^1]`),
      expect.stringMatching(`^add @biomejs/cli-${others} `),
      expect.stringMatching(`^add @supabase/cli-${supabase} `),
      expect.stringMatching(`^add @typescript/typescript-${others} `),
      expect.stringMatching(`^add @squawk-cli/${others} `),
    ]),
  );
});
