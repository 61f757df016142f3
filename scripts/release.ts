// npm run release -- --over <Data API>: makes what is here a release. It dates the change log's newest section, which says
// over which Data API the tests of the API passed; makes docs/openapi.json the document that later ones are compared
// with; and stores the hashes of the new migrations, which must not be edited from then on.
import { hash } from "node:crypto";
import { copyFile, readFile, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { version } from "../functions/public-api/table/endpoints.ts";
import { breakingChanges } from "./generate/openapi/breaking_changes.ts";
import { versionProblems } from "./generate/openapi/version.ts";
import { migrationFiles } from "./stack/difference.ts";
import { root, runCommand } from "./stack/process.ts";

const read = (file: string) => readFile(`${root}/${file}`, "utf8");
const write = (file: string, text: string) => writeFile(`${root}/${file}`, text);
const parsed = async (file: string) => JSON.parse(await read(file));
const [contract, baseline, hashes, results] = [
  "docs/openapi.json",
  "docs/openapi.released.json",
  "test/released/migrations.sha256",
  "scripts/bench/results.md",
] as const;

/** The Data API over which the API tests of this commit passed, such as PostgREST 16.2, or none. */
const { over } = parseArgs({ options: { over: { type: "string" } } }).values;

/** What prevents a release. If there is anything, nothing is written. */
async function problems(): Promise<string[]> {
  const [now, released] = [await parsed(contract), await parsed(baseline)];
  const found = [...breakingChanges(released, now), ...versionProblems(released, now)];
  if (!over)
    found.push("say over which Data API the API tests of this commit passed: --over 'PostgREST 16.2', or none");
  if (released.info.version === version) found.push(`${version} is released already`);
  if (now.info.version !== version) found.push(`${contract} is of version ${now.info.version}: npm run generate`);
  if ((await parsed("cli/package.json")).version !== version)
    found.push(`cli/package.json is not of version ${version}: change it there and in package-lock.json`);
  if (!(await read("CHANGELOG.md")).includes(`\n## ${version}\n`))
    found.push(`CHANGELOG.md has no section ## ${version} without a date`);
  const [, measured, commit = ""] = /^Version (\S+), commit (\S+):/m.exec(await read(results)) ?? [];
  if (measured !== version) found.push(`${results} is of version ${measured}: npm run bench -- --write`);
  else if (!(await isMeasured(commit)))
    found.push(`${results} is of commit ${commit}, and more has changed since: npm run bench -- --write`);
  return found;
}

/** Whether nothing has changed since this commit but words: the results and what pages say of them are committed after it. */
async function isMeasured(commit: string): Promise<boolean> {
  const changed = await runCommand("git", ["diff", "--name-only", commit, "--"]).catch(() => "an unknown commit");
  return changed.split("\n").every((file) => file === "" || file.endsWith(".md"));
}

/** Adds the hashes of the migrations that have none yet, as sha256sum prints them. Those that are there never change. */
async function freezeMigrations(): Promise<void> {
  const known = await read(hashes);
  const added = migrationFiles.filter((file) => !known.includes(`  ${basename(file)}\n`));
  const lines = added.map(async (file) => `${hash("sha256", await readFile(file))}  ${basename(file)}\n`);
  await write(hashes, known + (await Promise.all(lines)).join(""));
}

async function release(): Promise<void> {
  const today = new Date().toISOString().slice(0, 10);
  const ran = over === "none" ? "No real Data API ran the tests of this version" : `Its API tests passed over ${over}`;
  const heading = `\n## ${version} (${today})\n\n${ran}; \`npm test\` has a substitute.\n`;
  await write(
    "CHANGELOG.md",
    (await read("CHANGELOG.md")).replace(`\n## ${version}\n`, () => heading),
  );
  await copyFile(`${root}/${contract}`, `${root}/${baseline}`);
  await freezeMigrations();
}

const found = await problems();
if (found.length > 0) {
  console.error(`Not released, and nothing is changed:\n${found.join("\n")}`);
  process.exitCode = 1;
} else {
  await release();
  console.log(`${version} is ready: run npm test, look at git diff, commit, and tag it v${version}.
Its commit, from then on: git log -1 --format=%H -S '## ${version} (' -- CHANGELOG.md`);
}
