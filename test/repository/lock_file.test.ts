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
  const added = [
    `add @deno/${deno} 2.1.4`,
    expect.stringMatching(`^add @deno/${deno} 2\\.[^1]`),
    expect.stringMatching(`^add @biomejs/cli-${others} `),
    expect.stringMatching(`^add @supabase/cli-${supabase} `),
    expect.stringMatching(`^add @typescript/typescript-${others} `),
    expect.stringMatching(`^add @squawk-cli/${others} `),
  ];
  expect(stdout.split("\n")).toEqual(expect.arrayContaining(added));
});
