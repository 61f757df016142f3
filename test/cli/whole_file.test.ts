// What an export leaves on disk, whatever interrupts it: the older file or the complete new one, and after a kill an
// unfinished one with a name that says so.
import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { environment, main, runProgram } from "../support/command_line.ts";
import { expectRows } from "../support/stack.ts";
import { forAllTests, makeYear } from "./connect/companies.ts";
import { folderAndProxy, runHere, startCli } from "./faulty_proxy.ts";

const { folder, proxy } = await folderAndProxy();
const year = await forAllTests(makeYear);
const of2026 = ["activity", "--since", "2026-01-01", "--until", "2026-12-31"];

const rowsOf = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));

/** Runs the export through the proxy. Returns the lines about problems. */
async function exportTo(out = "year.json", args = of2026): Promise<string[]> {
  return (await runHere(exportCommand, [...args, "--out", `${folder}/${out}`], proxy.url, year.key)).lines;
}

const incomplete = /^year\.incomplete-[0-9a-f]{8}\.json$/;

/** Runs the export where a file may have so many kilobytes: a write beyond that fails, as on a full disk. */
const exportWithin = (kilobytes: number) => {
  const args = ["-c", `ulimit -f ${kilobytes}; exec "$0" "$@"`, process.execPath, main, "export", ...of2026];
  return runProgram("bash", [...args, "--out", "year.json"], folder, environment(year.key));
};

test("without room on the disk the export fails, and the older file is there as it was", async () => {
  writeFileSync(`${folder}/year.json`, "older");
  const { code, stderr } = await exportWithin(100);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "The file cannot be opened or written: file too large (EFBIG)\n",
  });
  expect(readdirSync(folder)).toEqual(["year.json"]);
  expect(readFileSync(`${folder}/year.json`, "utf8")).toBe("older");
});

/**
 * Ends an export in a process of its own after its first page, while the request for the next page has no answer.
 * @param meanwhile is done before that
 */
async function endAfterPage(signal: NodeJS.Signals = "SIGKILL", meanwhile = async () => {}) {
  const before = proxy.requests.length;
  // The first request asks which company the key belongs to.
  proxy.faults = [undefined, undefined, () => {}];
  const { kill } = startCli(["export", ...of2026, "--out", "year.json"], folder, proxy, year.key);
  await expect.poll(() => proxy.requests.length).toBe(before + 3);
  await meanwhile();
  return await kill(signal);
}

test("two exports to one file at once both end, and the last one is there; after a kill its unfinished file stays", async () => {
  await endAfterPage("SIGKILL", async () => {
    expect(readdirSync(folder)).toEqual([expect.stringMatching(incomplete)]);
    expect(await Promise.all([exportTo(), exportTo()])).toEqual([[], []]);
    expectRows(rowsOf("year.json"), year.rows);
  });
  expect(readdirSync(folder)).toEqual([expect.stringMatching(incomplete), "year.json"]);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s leaves nothing, and the older file as it was", async (signal, code) => {
  writeFileSync(`${folder}/year.json`, "older");
  expect(await endAfterPage(signal)).toEqual({ code, stderr: `Stopped by ${signal}\n` });
  expect(readdirSync(folder)).toEqual(["year.json"]);
  expect(readFileSync(`${folder}/year.json`, "utf8")).toBe("older");
});

test("only the owner may read a new file; an older file keeps its mode, and a link its target", async () => {
  const modeOf = (file: string) => (statSync(`${folder}/${file}`).mode & 0o777).toString(8);
  await endAfterPage();
  for (const file of readdirSync(folder)) expect(modeOf(file), file).toBe("600");
  await exportTo();
  expect(modeOf("year.json")).toBe("600");

  mkdirSync(`${folder}/elsewhere`);
  writeFileSync(`${folder}/elsewhere/target.json`, "older", { mode: 0o640 });
  symlinkSync("elsewhere/target.json", `${folder}/link.json`);
  await exportTo("link.json");
  expectRows(rowsOf("elsewhere/target.json"), year.rows);
  expect(modeOf("elsewhere/target.json")).toBe("640");

  symlinkSync("nothing.json", `${folder}/broken.json`);
  const message = `${folder}/broken.json is a link to a file that is not there`;
  await expect(exportTo("broken.json")).rejects.toMatchObject({ exitCode: 2, message });
});
