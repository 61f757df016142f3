// public-data-api as an npm package: packed, installed into an empty folder, and run there.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { environment, runProgram, workFolder } from "../support/command_line.ts";
import { tried } from "../support/counts.ts";
import { expectRows, first, list } from "../support/stack.ts";

const folder = workFolder();
const installed = `${folder}/installed`;
const command = `${installed}/node_modules/.bin/public-data-api`;

beforeAll(() => {
  execFileSync("npm", ["pack", "--silent", "--workspace", "cli", "--pack-destination", folder], { cwd: root });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  execFileSync("npm", [
    "install",
    "--silent",
    "--offline",
    "--no-audit",
    "--prefix",
    installed,
    `${folder}/${tarball}`,
  ]);
}, 120_000);

test("it is one file under 200 kB, and brings no dependency along", () => {
  expect(readdirSync(`${installed}/node_modules`).filter((name) => !name.startsWith("."))).toEqual([
    "public-data-api-cli",
  ]);
  const packed = `${installed}/node_modules/public-data-api-cli`;
  const files = readdirSync(packed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect(files.map(({ name }) => name).sort()).toEqual(["README.md", "package.json", "public-data-api.js"]);
  expect(statSync(`${packed}/dist/public-data-api.js`).size).toBeLessThan(200_000);
  const { dependencies, engines } = JSON.parse(readFileSync(`${packed}/package.json`, "utf8"));
  expect({ dependencies, engines }).toEqual({ dependencies: undefined, engines: { node: ">=20" } });
});

/** The Node versions of this machine: that of the project, and the first one in PATH outside of node_modules. */
const nodes = [
  process.execPath,
  ...(process.env.PATH ?? "")
    .split(delimiter)
    .map((path) => `${path}/node`)
    .filter((path) => !path.includes("node_modules") && existsSync(path))
    .slice(0, 1),
];

test("it exports, imports and checks, on every Node that is here", async () => {
  for (const node of nodes) {
    const version = execFileSync(node, ["--version"]).toString().trim();
    tried(`the packed command line: Node ${version}`);
    const run = (...args: string[]) => runProgram(node, [command, ...args], folder, environment(first.key));
    expect(await run("check")).toMatchObject({ code: 0, stdout: expect.stringContaining(first.name) });
    expect(await run("export", "members", "--out", "members.json")).toEqual({ code: 0, stdout: "", stderr: "" });
    expectRows(
      JSON.parse(readFileSync(`${folder}/members.json`, "utf8")),
      await list("/members?limit=1000", first.key),
    );
    writeFileSync(`${folder}/rewards.csv`, "external_id,name,points_cost\n1,One,1.000\n");
    const refused = await run("import", "rewards.csv", "--dry-run");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("thousands separator") });
  }
});
