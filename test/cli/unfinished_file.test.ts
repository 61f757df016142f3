// What an export leaves on disk, whatever interrupts it: a complete file, or an unfinished one with a name that says
// so.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { text } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { environment, type Run, runProgram, workFolder } from "../support/command_line.ts";
import { expectRows } from "../support/stack.ts";
import { makeYear, type Year } from "./connect/year.ts";
import { type MoodyProxy, startMoodyProxy } from "./moody_proxy.ts";

const folder = workFolder();
const command = `${root}/cli/src/main.ts`;
let year: Year;
let proxy: MoodyProxy;
beforeAll(async () => {
  [year, proxy] = await Promise.all([makeYear(), startMoodyProxy()]);
});
afterAll(() => Promise.all([proxy.close(), year.company.remove()]));
beforeEach(() => {
  for (const file of readdirSync(folder)) rmSync(`${folder}/${file}`, { recursive: true });
  proxy.requests.length = 0;
  proxy.moods = [];
});

const of2026 = ["activity", "--since", "2026-01-01", "--until", "2026-12-31"];
const rowsOf = (file: string) => JSON.parse(readFileSync(`${folder}/${file}`, "utf8"));

/** A folder on a disk of 64 kB, or null where mounting is not allowed. */
function smallDisk(): string | null {
  const disk = `${folder}/disk`;
  mkdirSync(disk);
  return spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk]).status === 0 ? disk : null;
}

/** Runs the export without room for the whole file: on a full disk, or else with a limit on the size of files. */
function runWithoutRoom(disk: string | null, out: string): Promise<Run> {
  const limit = disk ? "" : "ulimit -f 100; ";
  const args = ["-c", `${limit}exec "$0" "$@"`, process.execPath, command, "export", ...of2026, "--out", out];
  return runProgram("bash", args, disk ?? folder, environment(year.key));
}

test("on a full disk the export fails, and the older file is there as it was", async () => {
  const disk = smallDisk();
  const place = disk ?? folder;
  try {
    writeFileSync(`${place}/year.json`, "older");
    const { code, stderr } = await runWithoutRoom(disk, "year.json");
    expect(code).toBe(1);
    expect(stderr).toMatch(disk ? /no space left on device/ : /file too large/);
    expect(stderr).not.toMatch(/\n\s+at /);
    expect(readFileSync(`${place}/year.json`, "utf8")).toBe("older");
    expect(readdirSync(place)).not.toContain("year.incomplete.json.lock");
    if (!disk) return;
    // Not even room for a lock: nothing of it is left, and the next export is not held up.
    spawnSync("sh", ["-c", "rm year.incomplete*; cat /dev/zero > filler"], { cwd: place });
    expect(await runWithoutRoom(disk, "year.json")).toMatchObject({ code: 1 });
    expect(readdirSync(place).sort()).toEqual(["filler", "year.json"]);
  } finally {
    if (disk) execFileSync("umount", [disk]);
  }
});

test("a write that takes only a part is followed by the rest", async () => {
  // A preloaded module limits every write to a file to 1000 bytes.
  const stingy = `${folder}/stingy.mjs`;
  writeFileSync(
    stingy,
    `import { open } from "node:fs/promises";
    const file = await open(process.execPath);
    const prototype = Object.getPrototypeOf(file);
    await file.close();
    const { write } = prototype;
    prototype.write = function (buffer, offset, length, position) {
      return write.call(this, buffer, offset, Math.min(length, 1000), position);
    };`,
  );
  const env = { ...environment(year.key), NODE_OPTIONS: `--import ${stingy}` };
  execFileSync(process.execPath, [command, "export", ...of2026, "--out", "year.json"], { cwd: folder, env });
  expectRows(rowsOf("year.json"), year.exported);
});

const throughProxy = (...args: string[]): Promise<Run> =>
  runProgram(process.execPath, [command, "export", ...args], folder, environment(year.key, proxy.url));

/**
 * Starts an export through the proxy, and waits until it has read this many pages and the request for the next one gets
 * no answer.
 */
async function startUntilPage(
  pages: number,
  out: string,
): Promise<{ kill(signal?: NodeJS.Signals): Promise<{ code: number | null; stderr: string }> }> {
  // The first request asks which company the key belongs to.
  proxy.moods = [...Array.from({ length: 1 + pages }, () => undefined), () => {}];
  proxy.requests.length = 0;
  const child = spawn(process.execPath, [command, "export", ...of2026, "--out", out], {
    cwd: folder,
    env: environment(year.key, proxy.url),
    stdio: ["ignore", "ignore", "pipe"],
  });
  const stderr = text(child.stderr);
  const gone = new Promise<number | null>((resolve) => child.once("exit", resolve));
  await expect.poll(() => proxy.requests.length).toBe(2 + pages);
  return {
    async kill(signal = "SIGKILL") {
      child.kill(signal);
      return { code: await gone, stderr: await stderr };
    },
  };
}

async function killAtPage(pages: number, out: string): Promise<void> {
  const child = await startUntilPage(pages, out);
  await child.kill();
}

test("of two exports to one file at once the second is refused and touches nothing; a killed one is in nobody's way", async () => {
  const child = await startUntilPage(1, "year.json");
  const before = readFileSync(`${folder}/year.incomplete.json`);
  const { code, stderr } = await throughProxy(...of2026, "--out", "year.json");
  expect(code).toBe(1);
  expect(stderr).toMatch(
    /^Another process is writing year\.json \(process \d+ .+\)\. If that process has ended, delete year\.incomplete\.json\.lock\n$/,
  );
  expect(readFileSync(`${folder}/year.incomplete.json`)).toEqual(before);

  await child.kill();
  expect((await throughProxy(...of2026, "--out", "year.json")).code).toBe(0);
  expectRows(rowsOf("year.json"), year.exported);
});

test.each(["year.json", "year.json.gz"])(
  "an export to %s that was killed twice goes on where it was, and is whole",
  async (out) => {
    await killAtPage(1, out);
    const unfinished = out.replace("year", "year.incomplete");
    const size = statSync(`${folder}/${unfinished}`).size;
    expect(size).toBeGreaterThan(1000);
    expect(existsSync(`${folder}/${out}`)).toBe(false);
    // A write that the kill interrupted may leave such a part of a row.
    writeFileSync(`${folder}/${unfinished}`, "{half a r".repeat(200_000), { flag: "a" });
    await killAtPage(1, out);
    expect(statSync(`${folder}/${unfinished}`).size).toBeGreaterThan(size);

    proxy.requests.length = 0;
    const { code, stderr } = await throughProxy(...of2026, "--out", out);
    expect(code).toBe(0);
    expect(proxy.requests, "the key, and the page that was missing").toHaveLength(2);
    expect(stderr).toMatch(/^year\.json(\.gz)?: \d+ rows; begun 20.*Z, rows that came later are not in it\n$/);
    const content = readFileSync(`${folder}/${out}`);
    expectRows(JSON.parse(String(out.endsWith(".gz") ? gunzipSync(content) : content)), year.exported);
    expect(readdirSync(folder)).toEqual([out]);
  },
);

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const)("%s says that the same command goes on, and leaves no lock", async (signal, expected) => {
  const child = await startUntilPage(1, "year.json");
  const { code, stderr } = await child.kill(signal);
  expect({ code, stderr }).toEqual({
    code: expected,
    stderr: `Stopped by ${signal}\nyear.incomplete.json has the rows so far. Run the same command again to continue\n`,
  });
  expect(readdirSync(folder)).toEqual(["year.incomplete.json", "year.incomplete.json.checkpoint"]);
  expectRows(rowsOf("year.incomplete.json"), year.exported.slice(0, 1000));
});

test("a file that is shorter than its checkpoint is written anew: after a power loss zeros would fill the hole", async () => {
  await killAtPage(1, "year.json");
  truncateSync(`${folder}/year.incomplete.json`, 100);
  expect(await throughProxy(...of2026, "--out", "year.json")).toMatchObject({ code: 0, stderr: "" });
  expectRows(rowsOf("year.json"), year.exported);
});

test("a lock that a full disk left empty is taken away, what is no lock is named", async () => {
  const lock = `${folder}/year.incomplete.json.lock`;
  const export_ = () => throughProxy(...of2026, "--out", "year.json");
  for (const broken of ["", "12"]) {
    writeFileSync(lock, broken);
    expect(await export_()).toMatchObject({ code: 0, stderr: "" });
    expect(readdirSync(folder)).toEqual(["year.json"]);
  }
  for (const make of [() => mkdirSync(lock), () => symlinkSync("nothing", lock)]) {
    make();
    const inTheWay = "year.incomplete.json.lock is in the way: it is not a file. Delete it\n";
    expect(await export_()).toMatchObject({ code: 1, stderr: inTheWay });
    rmSync(lock, { recursive: true });
  }
});

test("only the owner may read a new file; an older file keeps its mode, and a link its target", async () => {
  const modeOf = (file: string) => (statSync(`${folder}/${file}`).mode & 0o777).toString(8);
  await killAtPage(1, "year.json");
  for (const file of readdirSync(folder)) expect(modeOf(file), file).toBe("600");
  await throughProxy(...of2026, "--out", "year.json");
  expect(modeOf("year.json")).toBe("600");

  mkdirSync(`${folder}/elsewhere`);
  writeFileSync(`${folder}/elsewhere/target.json`, "older", { mode: 0o640 });
  symlinkSync("elsewhere/target.json", `${folder}/link.json`);
  expect(await throughProxy(...of2026, "--out", "link.json")).toMatchObject({ code: 0, stderr: "" });
  expect(lstatSync(`${folder}/link.json`).isSymbolicLink()).toBe(true);
  expectRows(rowsOf("elsewhere/target.json"), year.exported);
  expect(modeOf("elsewhere/target.json")).toBe("640");

  symlinkSync("nothing.json", `${folder}/broken.json`);
  const broken = await throughProxy(...of2026, "--out", "broken.json");
  expect(broken).toMatchObject({ code: 2, stderr: "broken.json is a link to a file that is not there\n" });
});

test("links that somebody else laid under the names of the export's own files are not written through", async () => {
  writeFileSync(`${folder}/precious`, "precious");
  const plant = () => {
    for (const name of ["", ".checkpoint.new"]) symlinkSync("precious", `${folder}/year.incomplete.json${name}`);
  };
  plant();
  expect(await throughProxy(...of2026, "--out", "year.json")).toMatchObject({ code: 0, stderr: "" });
  expectRows(rowsOf("year.json"), year.exported);

  // Also where an export broke off: the link is as long as the file was.
  await killAtPage(1, "year.json");
  writeFileSync(`${folder}/precious`, "precious".repeat(1 << 20));
  rmSync(`${folder}/year.incomplete.json`);
  plant();
  expect(await throughProxy(...of2026, "--out", "year.json")).toMatchObject({ code: 1 });
  expect(readFileSync(`${folder}/precious`, "utf8")).toBe("precious".repeat(1 << 20));
});

test("another job does not go on with what broke off, nor does one of another day", async () => {
  await killAtPage(1, "year.json");
  const march = ["activity", "--since", "2026-03-01", "--until", "2026-03-31", "--out", "year.json"];
  expect(await throughProxy(...march)).toMatchObject({ code: 0, stderr: "" });
  const inMarch = year.exported.filter(({ timestamp }) => String(timestamp).startsWith("2026-03"));
  expectRows(rowsOf("year.json"), inMarch);

  await killAtPage(1, "year.json");
  const note = `${folder}/year.incomplete.json.checkpoint`;
  const checkpoint = JSON.parse(readFileSync(note, "utf8"));
  writeFileSync(note, JSON.stringify({ ...checkpoint, at: new Date(Date.now() - 13 * 3600_000).toISOString() }));
  expect(await throughProxy(...of2026, "--out", "year.json")).toMatchObject({ code: 0, stderr: "" });
  expectRows(rowsOf("year.json"), year.exported);
});
