// What an export leaves on disk, whatever interrupts it: a complete file, or an unfinished one with a name that says
// so.
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { environment, main, runProgram } from "../support/command_line.ts";
import { expectRows } from "../support/stack.ts";
import { forAllTests, makeYear } from "./connect/companies.ts";
import { folderAndProxy, runHere, startCli } from "./faulty_proxy.ts";

const { folder, proxy } = await folderAndProxy();
const year = await forAllTests(makeYear);
const of2026 = ["activity", "--since", "2026-01-01", "--until", "2026-12-31"];
const unfinished = ["year.incomplete.json", "year.incomplete.json.checkpoint"];

const rowsOf = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));

/** Runs the export through the proxy. Returns the lines about problems. */
async function exportTo(out = "year.json", args = of2026): Promise<string[]> {
  return (await runHere(exportCommand, [...args, "--out", `${folder}/${out}`], proxy.url, year.key)).lines;
}

/** Runs the export where a file may have so many kilobytes: a write beyond that fails, as on a full disk. */
const exportWithin = (kilobytes: number) => {
  const args = ["-c", `ulimit -f ${kilobytes}; exec "$0" "$@"`, process.execPath, main, "export", ...of2026];
  return runProgram("bash", [...args, "--out", "year.json"], folder, environment(year.key));
};

test.each([
  ["for the rows", 100],
  ["even for a lock, of which nothing is left", 0],
])("without room on the disk %s the export fails, and the older file is there as it was", async (_, kilobytes) => {
  writeFileSync(`${folder}/year.json`, "older");
  const { code, stderr } = await exportWithin(kilobytes);
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^EFBIG: file too large, .+\n$/) });
  expect(readdirSync(folder)).toEqual(["year.json"]);
  expect(readFileSync(`${folder}/year.json`, "utf8")).toBe("older");
});

test("a write that takes only a part is followed by the rest", async () => {
  const file = await open(process.execPath);
  type Write = (buffer: Buffer, offset: number, length: number, position: number) => Promise<unknown>;
  const prototype: { write: Write } = Object.getPrototypeOf(file);
  await file.close();
  const { write } = prototype;
  onTestFinished(() => void Object.assign(prototype, { write }));
  let writes = 0;
  prototype.write = function (buffer, offset, length, position) {
    writes++;
    return write.call(this, buffer, offset, Math.min(length, 1000), position);
  };
  await exportTo();
  expectRows(rowsOf("year.json"), year.rows);
  expect(writes).toBeGreaterThan(100);
});

/**
 * Ends an export in a process of its own after its first page, while the request for the next page has no answer.
 * @param meanwhile is done before that
 */
async function endAfterPage(out = "year.json", signal: NodeJS.Signals = "SIGKILL", meanwhile = async () => {}) {
  const before = proxy.requests.length;
  // The first request asks which company the key belongs to.
  proxy.faults = [undefined, undefined, () => {}];
  const { kill } = startCli(["export", ...of2026, "--out", out], folder, proxy, year.key);
  await expect.poll(() => proxy.requests.length).toBe(before + 3);
  await meanwhile();
  return await kill(signal);
}

test("of two exports to one file at once the second is refused and touches nothing; the next one goes on where the first was killed", async () => {
  await endAfterPage("year.json", "SIGKILL", async () => {
    const before = readFileSync(`${folder}/year.incomplete.json`);
    const other = `Another process is writing ${folder}/year.json \\(process \\d+ .+\\)\\. `;
    const help = `If that process has ended, delete ${folder}/year\\.incomplete\\.json\\.lock`;
    await expect(exportTo()).rejects.toThrow(new RegExp(`^${other}${help}$`));
    expect(readFileSync(`${folder}/year.incomplete.json`)).toEqual(before);
  });
  expect(await exportTo()).toHaveLength(1);
  expectRows(rowsOf("year.json"), year.rows);
});

test("a compressed export that was killed twice goes on where it was, and is whole", async () => {
  const size = () => statSync(`${folder}/year.incomplete.json.gz`).size;
  await endAfterPage("year.json.gz");
  const before = size();
  expect(before).toBeGreaterThan(1000);
  // A write that the kill interrupted may leave such a part of a row.
  writeFileSync(`${folder}/year.incomplete.json.gz`, "{half a r".repeat(200_000), { flag: "a" });
  await endAfterPage("year.json.gz");
  expect(size()).toBeGreaterThan(before);

  proxy.requests.length = 0;
  const [line] = await exportTo("year.json.gz");
  expect(proxy.requests, "the key, and the page that was missing").toHaveLength(2);
  expect(line).toMatch(/\/year\.json\.gz: \d+ rows; begun 20.*Z, rows that came later are not in it$/);
  expectRows(JSON.parse(String(gunzipSync(readFileSync(`${folder}/year.json.gz`)))), year.rows);
  expect(readdirSync(folder)).toEqual(["year.json.gz"]);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s says that the same command goes on, and leaves no lock", async (signal, code) => {
  expect(await endAfterPage("year.json", signal)).toEqual({
    code,
    stderr: `Stopped by ${signal}\nyear.incomplete.json has the rows so far. Run the same command again to continue\n`,
  });
  expect(readdirSync(folder)).toEqual(unfinished);
  expectRows(rowsOf("year.incomplete.json"), year.rows.slice(0, 1000));
});

test("a lock that a full disk left empty is taken away, what is no lock is named", async () => {
  const lock = `${folder}/year.incomplete.json.lock`;
  writeFileSync(lock, "");
  expect(await exportTo()).toEqual([]);
  expect(readdirSync(folder)).toEqual(["year.json"]);
  for (const make of [() => mkdirSync(lock), () => symlinkSync("nothing", lock)]) {
    make();
    await expect(exportTo()).rejects.toThrow(`${lock} is in the way: it is not a file. Delete it`);
    rmSync(lock, { recursive: true });
  }
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

test("links that somebody else put in the place of the export's own files are not written through", async () => {
  const precious = `${folder}/precious`;
  const plant = () => {
    for (const name of ["", ".checkpoint.new"]) symlinkSync("precious", `${folder}/year.incomplete.json${name}`);
  };
  writeFileSync(precious, "precious");
  plant();
  await exportTo();
  expectRows(rowsOf("year.json"), year.rows);
  expect(readFileSync(precious, "utf8")).toBe("precious");

  // Also where an export broke off: the link is as long as the file was.
  await endAfterPage();
  writeFileSync(precious, "precious".repeat(1 << 20));
  rmSync(`${folder}/year.incomplete.json`);
  plant();
  await expect(exportTo()).rejects.toThrow("ELOOP");
  expect(readFileSync(precious, "utf8")).toBe("precious".repeat(1 << 20));
});

/** Makes the checkpoint older. */
function setBack(hours: number): void {
  const file = `${folder}/year.incomplete.json.checkpoint`;
  const at = new Date(Date.now() - hours * 3600_000).toISOString();
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), at }));
}

const march = ["activity", "--since", "2026-03-01", "--until", "2026-03-31"];

test.each<[string, () => void, string[]]>([
  ["by another export", () => {}, march],
  ["after 12 hours", () => setBack(13), of2026],
  // After a power loss zeros would fill the hole.
  ["when it is shorter than its checkpoint", () => writeFileSync(`${folder}/year.incomplete.json`, "["), of2026],
])("an unfinished file is not continued %s", async (_, change, args) => {
  await endAfterPage();
  change();
  expect(await exportTo("year.json", args)).toEqual([]);
  const wanted = args === march ? /^2026-03/ : /^2026/;
  const expected = year.rows.filter(({ timestamp }) => wanted.test(String(timestamp)));
  expectRows(rowsOf("year.json"), expected);
});
