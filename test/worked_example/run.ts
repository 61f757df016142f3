// npm run test:example: follows the worked example of CONTRIBUTING.md in a copy of this folder. It makes the changes of
// the page, runs the commands below them while `npm start` runs, and prints which files were changed by
// hand and which were generated.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter } from "node:path";
import { root } from "../../scripts/stack/process.ts";
import { applyExample, filesOf, page, readExample } from "./example.ts";

/** Runs git, and returns the lines that it printed. */
const git = (cwd: string, ...args: string[]): string[] =>
  execFileSync("git", args, { cwd, encoding: "utf8", maxBuffer: 64 << 20 })
    .split("\n")
    .slice(0, -1);

const everything = ["--", ".", ":!node_modules"];

/**
 * A copy of all files that git tracks or does not ignore, in their present state, with the packages of this folder. The
 * copy is a git repository, which shows the changes made after that.
 */
function copyProject(): string {
  const folder = mkdtempSync(`${tmpdir()}/worked-example-`);
  for (const file of git(root, "ls-files", "--cached", "--others", "--exclude-standard")) {
    if (existsSync(`${root}/${file}`)) cpSync(`${root}/${file}`, `${folder}/${file}`);
  }
  symlinkSync(`${root}/node_modules`, `${folder}/node_modules`);
  git(folder, "init", "--quiet");
  git(folder, "add", "--all", ...everything);
  return folder;
}

/** The first change after a release raises the version and begins a new section in CHANGELOG.md. */
function raiseVersion(folder: string): void {
  const edit = (file: string, from: string | RegExp, to: string) =>
    writeFileSync(`${folder}/${file}`, readFileSync(`${folder}/${file}`, "utf8").replace(from, to));
  const { version } = JSON.parse(readFileSync(`${folder}/docs/openapi.released.json`, "utf8")).info;
  const next = version.replace(/\.(\d+)\.\d+$/, (_: string, minor: string) => `.${Number(minor) + 1}.0`);
  edit("functions/public-api/table/endpoints.ts", `version = "${version}"`, `version = "${next}"`);
  const ofCommandLine = /("name": "public-data-api-cli",\s+"version": ")[^"]+/;
  for (const file of ["cli/package.json", "package-lock.json"]) edit(file, ofCommandLine, `$1${next}`);
  if (!readFileSync(`${folder}/CHANGELOG.md`, "utf8").includes(`\n## ${next}\n`))
    edit("CHANGELOG.md", `\n## ${version}`, `\n## ${next}\n\n## ${version}`);
}

/** Starts `npm start` in the copy. When it is ready, resolves with the function that stops it. */
async function start(folder: string, args: string[], env: NodeJS.ProcessEnv): Promise<() => Promise<void>> {
  const child = spawn("npm", args, { cwd: folder, env, detached: true, stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (text: string) => text.includes("Ready after") && resolve());
    void ended.then(() => reject(new Error("npm start ended")));
  });
  return async () => {
    // The signal goes to the whole process group, as Ctrl-C in a terminal: npm alone would not forward it.
    if (child.pid) process.kill(-child.pid, "SIGTERM");
    await ended;
  };
}

const example = readExample();
const folder = copyProject();
const read = (path: string) =>
  existsSync(`${folder}/${path}`) ? readFileSync(`${folder}/${path}`, "utf8") : undefined;
const env = {
  ...process.env,
  PATH: `${folder}/node_modules/.bin${delimiter}${process.env.PATH}`,
  STACK_FILE: `${folder}/.stack/stack.json`,
};
const running: (() => Promise<void>)[] = [];
console.log(`\n${page}, in ${folder}`);
try {
  for (const [path, text] of applyExample(example, read)) writeFileSync(`${folder}/${path}`, text);
  raiseVersion(folder);
  for (const command of example.commands) {
    console.log(`\n$ ${command}`);
    if (command.startsWith("npm start")) running.push(await start(folder, command.split(" ").slice(1), env));
    else execFileSync("sh", ["-c", command], { cwd: folder, env, stdio: "inherit" });
  }
} finally {
  for (const stop of running) await stop();
}
const byHand = filesOf(example);
const changed = git(folder, "ls-files", "--modified", "--others", "--exclude-standard", ...everything);
const generated = changed.filter((file) => !byHand.includes(file));
console.log(`\n${page}: ${byHand.length} files by hand\n  ${byHand.join("\n  ")}`);
console.log(`and generated\n  ${generated.join("\n  ")}`);
rmSync(folder, { recursive: true });
