// public-data-api with a wrong address, a redirect, a bad key, a busy service and wrong arguments, and the output of check
// and --help.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { Duplex } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import manifest from "../../cli/package.json" with { type: "json" };
import { checkCommand } from "../../cli/src/commands/check.ts";
import type { Command } from "../../cli/src/commands/command.ts";
import { exportCommand } from "../../cli/src/commands/export.ts";
import { importCommand } from "../../cli/src/commands/import.ts";
import { syncCommand } from "../../cli/src/commands/sync.ts";
import { readConnection, request } from "../../cli/src/connection.ts";
import { isOlder } from "../../cli/src/key.ts";
import { programOf } from "../../functions/public-api/request/caller.ts";
import { listen } from "../../scripts/stack/ports.ts";
import { environment, main, run, startProgram } from "../support/command_line.ts";
import { companyOfTest } from "../support/companies.ts";
import { call, first, stack } from "../support/stack.ts";
import { folderAndProxy, page, quickConnection, runHere, serve, status } from "./faulty_proxy.ts";

const { folder, proxy } = await folderAndProxy();

const check = (url: string, key = first.key) => runHere(checkCommand, [], url, key);

/** Runs public-data-api as a program. */
const runCli = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  run(args, folder, { ...environment(first.key), ...env });

test("a mistyped address fails at once: no such host, nobody at the port, a port for something else", async () => {
  const closed = await serve(() => {});
  await closed.close();
  for (const [url, reason] of [
    ["https://no-such-host.invalid/functions/v1/public-api", "(ENOTFOUND|EAI_AGAIN)"],
    [closed.url, "ECONNREFUSED"],
    [proxy.url.replace("http:", "https:"), "(ERR_SSL_\\w+|EPROTO)"],
    ["http://127.0.0.1:1", "bad port"],
  ] as const) {
    const message = new RegExp(`^Nothing answers at ${url} \\(${reason}\\): is PUBLIC_API_URL right\\?$`);
    await expect(check(url)).rejects.toMatchObject({ exitCode: 4, message: expect.stringMatching(message) });
  }

  const env = { http_proxy: "http://user:S3cret@127.0.0.1:1", NO_PROXY: "" };
  const nothing = noProxy.replace("URL", stack.api_url).replace("EPROTO", "ECONNREFUSED");
  expect(await runCli(["check"], env)).toEqual({ code: 4, stdout: "", stderr: `${nothing}\n` });
  const stderr = "HTTP_PROXY must be the address of a proxy, as in http://proxy.example:3128\n";
  expect(await runCli(["check"], { HTTP_PROXY: "//S3cret" })).toEqual({ code: 2, stdout: "", stderr });
});

test("each command names itself and its version; check says when it is older than the API, sync when it is newer", async () => {
  const agents: unknown[] = [];
  const key = { version: "99.10.0", company_name: "C", key_name: "K", scopes: [], expires_at: null };
  const server = await serve(({ headers, url }, response) => {
    agents.push(headers["user-agent"]);
    response.writeHead(200, { "X-Has-More": "false" }).end(url === "/" ? JSON.stringify(key) : "id,name\r\n");
  });
  const { stderr } = await runCli(["check"], { PUBLIC_API_URL: server.url });
  const older = `This command line is ${manifest.version}, older than the API: install that of version 99.10.0\n`;
  expect(stderr).toBe(older);
  await runCli(["export", "members", "--out", "-"], { PUBLIC_API_URL: server.url });
  Object.assign(key, { version: "1.3.1", company_id: "C" });
  const refused = await runCli(["sync", "a.sqlite"], { PUBLIC_API_URL: server.url });
  expect(refused.stderr).toBe("sync needs version 1.4.0 of the API or later, this is 1.3.1\n");
  await server.close();
  const named = ["check", "export", "sync"].map((command) => `public-data-api/${manifest.version} ${command}`);
  expect([...new Set(agents)]).toEqual(named);
  expect(programOf(String(agents[0]))).toBe(named[0]);
  expect(isOlder("1.9.0", "1.10.0")).toBe(true);
  expect(isOlder("1.10.0", "1.9.9") || isOlder("1.3.0", "1.3.0")).toBe(false);
});

type Answer = (socket: Duplex) => unknown;

/** Starts a proxy that answers so when it is asked for a tunnel. `sockets` are its connections. */
async function startProxy(answer: Answer) {
  const sockets: Duplex[] = [];
  const server = createServer().on("connection", (socket) => void sockets.push(socket.on("error", () => {})));
  server.on("connect", (_, socket) => void answer(socket));
  const { port, stop } = await listen(server, 0);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    return stop();
  });
  return { url: `http://127.0.0.1:${port}`, sockets };
}

/** What a connection through a proxy has of its own. */
function through(url: string, http_proxy: string, NO_PROXY = "") {
  const env = { PUBLIC_API_URL: url, PUBLIC_API_KEY: first.key, http_proxy, NO_PROXY };
  const { dispatcher, proxySetting } = readConnection(env);
  return { dispatcher, proxySetting };
}

const says = (text: string) => (socket: Duplex) => socket.write(`HTTP/1.1 ${text}\r\n\r\n`);
const refusal = "The proxy in http_proxy refused a connection to HOST with";
const login = "give the right user name and password, as in http://user:password@proxy.example:3128";
const noProxy = "Nothing answers at URL (EPROTO): are PUBLIC_API_URL and http_proxy, which names a proxy, right?";
const hungUp = "no connection through the proxy in http_proxy (UND_ERR_SOCKET), 6 times";

test.each<[string, Answer, number, string]>([
  ["answers 407", says("407 x\r\nProxy-Authenticate: Basic"), 1, `${refusal} 407: ${login}`],
  ["answers 403", says("403 x"), 1, `${refusal} 403: ask whoever runs it`],
  ["answers 302", says("302 x\r\nLocation: https://login.example"), 1, `${refusal} 302: ask whoever runs it`],
  ["answers 502", says("502 x"), 6, `${refusal} 502, 6 times`],
  ["hangs up", (socket) => socket.destroy(), 6, hungUp],
  ["sends a page", says("200 OK\r\nContent-Length: 4\r\n\r\npage"), 1, noProxy],
])("a proxy that $0 is named, after $2 connections with pauses between them", async (_, answer, tries, message) => {
  for (const url of ["https://api.example", "http://127.0.0.1:2"]) {
    const proxy = await startProxy(answer);
    const pauses: number[] = [];
    const pause = async (milliseconds: number) => void pauses.push(milliseconds);
    const ended = runHere(checkCommand, [], url, first.key, { ...through(url, proxy.url), pause, deadline: 5000 });
    const shown = message.replace("URL", url).replace("HOST", new URL(url).host);
    await expect(ended).rejects.toMatchObject({ exitCode: 4, message: shown });
    expect(proxy.sockets).toHaveLength(tries);
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000].slice(0, tries - 1));
  }
});

test("a proxy that is silent does not keep a command that is stopped", async () => {
  const { url, sockets } = await startProxy(() => {});
  const env = { ...environment(first.key, "https://api.example"), https_proxy: url };
  const { kill } = startProgram(process.execPath, [main, "check"], { env });
  await expect.poll(() => sockets.length).toBe(1);
  const began = performance.now();
  expect(await kill("SIGTERM")).toEqual({ code: 143, output: "Stopped by SIGTERM\n" });
  expect(performance.now() - began, "the proxy has 30 seconds").toBeLessThan(15_000);
});

test("NO_PROXY takes ranges of addresses; one that is none is named", async () => {
  const nobody = "http://127.0.0.1:2";
  const direct = through(stack.api_url, nobody, "10.0.0.0/8, 127.0.0.0/8");
  expect((await runHere(checkCommand, [], stack.api_url, first.key, direct)).output).toContain("Company");
  const hosts = ["127.0.0.1", "10.x", "10.1.2.3", "[fd12::1]", "[::1]"];
  const proxied = hosts.filter((host) => through(`https://${host}`, nobody, "10.0.0.0/8 fd00::/8 ::1").proxySetting);
  expect(proxied).toEqual(["127.0.0.1", "10.x"]);
  for (const range of ["10.0.0.0/33", "10.0.0/8", "10.0.0.0/", "fd00::/x"]) {
    const message = `NO_PROXY must have ranges such as 10.0.0.0/8, not ${range}`;
    expect(() => through(stack.api_url, nobody, range)).toThrow(message);
  }
});

/** The authority of an office, and certificates: of nobody, of the authority, for another name, and of yesterday. */
const makeCertificates = `
  set -e
  request() { openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout $1.key -addext subjectAltName=DNS:$2 -subj /CN=$3 $4; }
  self() { request $1 localhost $1 -x509 > $1.pem; }
  leaf() { request $1 $2 $2 |
    openssl x509 -req -CA office.pem -CAkey office.key -CAcreateserial -copy_extensions copy -days $3 -out $1.pem; }
  self office; self self; leaf good localhost 2; leaf other www.example.com 2; leaf old localhost -1
  cat good.pem office.pem > chain.pem; cp good.key chain.key`;

test("a certificate that is not accepted is said at once, with what to do", async ({ skip }) => {
  skip(spawnSync("bash", ["-c", makeCertificates], { cwd: folder }).status !== 0, "openssl 3 is missing");
  for (const [name, problem, authority] of [
    ["self", / unknown authority \(DEPTH_ZERO_SELF_SIGNED_CERT\).+ set NODE_EXTRA_CA_CERTS/],
    ["good", / unknown authority \(UNABLE_TO_VERIFY_LEAF_SIGNATURE\).+ set NODE_EXTRA_CA_CERTS/],
    ["chain", / unknown authority \(SELF_SIGNED_CERT_IN_CHAIN\).+ set NODE_EXTRA_CA_CERTS/],
    ["other", / for another name \(ERR_TLS_CERT_ALTNAME_INVALID\)\. Check the address/, "office.pem"],
    ["old", / not valid today \(CERT_HAS_EXPIRED\)\. Check the date/, "office.pem"],
    ["chain", /is not the base address of the API/, "office.pem"],
  ] as const) {
    const [cert, key] = ["pem", "key"].map((end) => readFileSync(`${folder}/${name}.${end}`));
    const server = createTlsServer({ cert, key }, (_, response) => response.end("{}"));
    const { port, stop } = await listen(server, 0);
    const env = { PUBLIC_API_URL: `https://localhost:${port}`, NODE_EXTRA_CA_CERTS: authority };
    expect(await runCli(["check"], env)).toEqual({ code: 2, stdout: "", stderr: expect.stringMatching(problem) });
    await stop();
  }
});

const url = "https://api.example.com";
const noQuery = "PUBLIC_API_URL must be a base address, without ? and #";
const noHttp = "PUBLIC_API_URL must start with https:// to keep the key secret; http:// works only on this machine";
const noKey = "Set PUBLIC_API_KEY to an API key";

test.each<[string | undefined, string | undefined, string]>([
  [undefined, "sk_live_S3cret", "Set PUBLIC_API_URL to the base address of the API"],
  ["http://user:S3cret@127.0.0.1:1", "sk", "PUBLIC_API_URL must not contain a user name or a password"],
  [`${url}/#S3cret`, "sk", noQuery],
  [`${url}?S3cret`, "sk", noQuery],
  ["http://10.0.0.1", "sk", noHttp],
  ["http://localhost.example", "sk", noHttp],
  [url, undefined, noKey],
  [url, "sk S3cret", noKey],
  [url, "S3crét", noKey],
])("the address %s and the key %s are refused in one line, which does not show them", (url, key, message) => {
  const read = () => readConnection({ PUBLIC_API_URL: url, PUBLIC_API_KEY: key });
  expect(read).toThrow(expect.objectContaining({ exitCode: 2, message }));
});

test("without a whole answer a request ends: at its deadline, and when the body has no end", async () => {
  proxy.faults = Array(6).fill((response: ServerResponse) => response.flushHeaders());
  const connection = { ...quickConnection(proxy.url, first.key), deadline: 20 };
  await expect(request(connection, "/rewards", (text) => text)).rejects.toThrow("due to timeout), 6 times");

  const endless = (response: ServerResponse): unknown => {
    while (response.write(Buffer.alloc(1 << 20, "x")));
    return response.once("drain", () => endless(response));
  };
  proxy.faults = [endless];
  const message = `${new URL(proxy.url).host} sent more than 256 MB in one answer`;
  await expect(check(proxy.url)).rejects.toMatchObject({ exitCode: 1, message });
});

test("control characters of an answer do not reach the terminal", async () => {
  const bad = "\u001b[2Jname\u202e\n";
  const shown = "\\u001b[2Jname\\u202e\\u000a";
  proxy.faults = [
    (response) => response.end(JSON.stringify({ version: "1", company_name: bad, key_name: bad, scopes: [bad] })),
    (response) => response.writeHead(401).end(JSON.stringify({ error: bad })),
  ];
  const { output } = await check(proxy.url);
  expect(output).toContain(`Company  ${shown}\nKey      ${shown}\nExpires  never\nScopes   ${shown}\n`);
  await expect(check(proxy.url)).rejects.toMatchObject({ exitCode: 3, message: `401 ${shown}` });
});

test("control characters and line breaks of a file's name do not reach the terminal", async () => {
  writeFileSync(`${folder}/a\u001b[2J\nb.csv`, "external_id,name,points_cost\n1,One,1\n");
  const { stdout } = await runCli(["import", "a\u001b[2J\nb.csv", "--dry-run"], { PUBLIC_API_KEY: "" });
  expect(stdout).toMatch(/^a\\u001b\[2J\\u000ab\.csv: 1 reward, no problem found\. .+\n$/);
});

test("a base address that is not the API's is named in one line", async () => {
  const key = { version: "1", company_id: "1", company_name: "C", key_name: "K", scopes: [], expires_at: null };
  const wrong = [{ company_id: 7 }, { company_id: {} }, { company_name: {} }, { scopes: [7] }, { scopes: {} }];
  const answers = [...wrong, { version: null }].map((part) => JSON.stringify({ ...key, ...part }));
  const pages = ["<!doctype html><title>Hello</title>", '{"version":"7"}', ...answers].map((text) => page(text));
  proxy.faults = [(response) => response.writeHead(404).end('{"message":"no Route matched"}'), ...pages];
  const others = proxy.faults.map(() => proxy.url);
  for (const url of [...others, `${stack.api_url}/v1`, stack.supabase_url]) {
    const message = new RegExp(`^${url} is not the base address of the API \\(.+\\): check PUBLIC_API_URL$`);
    const problem = await check(url).catch((error) => error);
    expect(problem).toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
    expect(problem.message).not.toContain("undefined");
  }
});

// Proves: risk.2
test("a redirect is refused: the key never goes to another host", async () => {
  const keys: unknown[] = [];
  const other = await serve((incoming, response) => {
    keys.push(incoming.headers["x-api-key"]);
    response.end("[]");
  });
  proxy.faults = [status(302, { Location: `${other.url}/functions/v1/public-api` })];
  const message = `302: ${proxy.url} redirects to ${new URL(other.url).host}. The key is not sent there`;
  await expect(check(proxy.url)).rejects.toMatchObject({ exitCode: 2, message: expect.stringContaining(message) });
  expect(keys).toEqual([]);
  other.close();
});

test("a key that is not valid, or lacks the scope, ends with 3, a wrong value with 2; a refusal names its request and is not tried again", async () => {
  const id = "\\(request [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\)";
  const poor = await companyOfTest("Connection", ["read:activity"]);
  for (const [requests, key, exitCode, message, ...args] of [
    [1, "sk_live_none", 3, "401 Unauthorized: Invalid or missing API Key", "members"],
    [2, poor.key, 3, '403 Forbidden: this key is missing the "read:members" scope', "members"],
    [2, poor.key, 2, "400 sender_id must be a uuid", "activity", "--sender_id", "7"],
    [2, first.key, 2, "400 time_zone must be UTC or .+", "day-ratings/averages", "--time-zone", "CET"],
  ] as const) {
    proxy.requests.length = 0;
    const refused = runHere(exportCommand, [...args, "--out", `${folder}/a.csv`], proxy.url, key);
    const line = expect.stringMatching(new RegExp(`^${message} ${id}${exitCode === 2 ? "\nFor help: .+" : ""}$`));
    await expect(refused).rejects.toMatchObject({ exitCode, message: line });
    expect(proxy.requests, "the key, and the list").toHaveLength(requests);
  }
});

test("a busy service is asked again when it says so, two minutes later at most", async () => {
  const connection = quickConnection(proxy.url, first.key);
  const later = new Date(Date.now() + 30_000).toUTCString();
  proxy.faults = [
    status(429, { "Retry-After": "1" }),
    status(503, { "Retry-After": later }),
    status(429, { "Retry-After": "9999" }),
  ];
  await request(connection, "/rewards", (text) => text);
  const [one, date, longest] = connection.pauses;
  expect([one, longest]).toEqual([1000, 120_000]);
  expect(date).toBeGreaterThan(25_000);
  expect(date).toBeLessThanOrEqual(30_000);
  expect(connection.lines[0]).toBe("429 Not now; trying again in 1 s");
});

test("check says whose the key is and what it may do", async () => {
  const { key } = await companyOfTest("Connection", ["read:activity", "write:rewards"]);
  expect((await check(stack.api_url, key)).output.split("\n")).toEqual([
    "Company  Connection",
    "Key      test of Connection",
    "Expires  never",
    "Scopes   read:activity, write:rewards",
    expect.stringMatching(/^Allowed {2}GET \/activity, .*POST \/rewards$/),
    expect.stringMatching(/^API {6}\d+\.\d+\.\d+$/),
    "",
  ]);
  const { output } = await runHere(checkCommand, ["--json"], stack.api_url, key);
  expect(JSON.parse(output)).toEqual(await (await call("/", key)).json());
});

test.each<[Command, string[], string]>([
  [exportCommand, ["people", "--out", "a.csv"], 'There is no list or total "people"'],
  [exportCommand, ["activity/counts", "--team-id", "1", "--out", "a.csv"], "Unknown option '--team_id'"],
  [exportCommand, ["all", "--by", "month", "--out", "a"], "Unknown option '--by'"],
  [exportCommand, ["members"], "--out must say where to"],
  [exportCommand, ["members", "--out", "a.xlsx"], "--out must end in .csv or .json"],
  [exportCommand, ["members", "--out", "a.csv", "--format", "json"], "--out ends in .csv: leave --format out"],
  [exportCommand, ["members", "--out", "-", "--format", "xml"], "--format must be csv or json"],
  [exportCommand, ["members", "--out", "a.json.gz", "--excel"], "--excel is for CSV"],
  [exportCommand, ["members", "--out", "a.csv", "--semicolons"], "--semicolons is for --excel"],
  [exportCommand, ["all", "--out", "-"], "all needs a folder"],
  [exportCommand, ["members", "--limit", "1", "--out", "a.csv"], "Unknown option '--limit'"],
  [importCommand, [], "Name one file"],
  [importCommand, ["a.csv", "b.csv"], "Name one file"],
  [importCommand, ["a.csv", "--yes"], "--yes is for --archive-missing"],
  [importCommand, ["a.csv", "--report", "b.csv"], "--all and --report are for --dry-run"],
  [importCommand, ["a.csv", "--map", "Price"], '--map must be "<heading>=<field>", not "Price"'],
  [importCommand, ["a.csv", "--map", "=name"], '--map must be "<heading>=<field>", not "=name"'],
  [importCommand, ["a.csv", "--map", "A=name", "--map", "A=x"], '--map must name "A" once'],
  [syncCommand, [], "Name one file"],
  [syncCommand, ["a.csv"], "Name one file"],
  [syncCommand, ["a.sqlite", "--to", "b"], "Name one file"],
])("the arguments $1 are refused before any request, with a hint to --help", async (command, args, problem) => {
  const refused = runHere(command, args, proxy.url, first.key);
  const message = new RegExp(`^${RegExp.escape(problem)}.*\nFor help: public-data-api (export|import|sync) --help$`);
  await expect(refused).rejects.toMatchObject({ exitCode: 2, message: expect.stringMatching(message) });
  expect(proxy.requests).toEqual([]);
});

test("--help shows examples, settings and exit codes; a wrong command ends with 2 and the list of commands", async () => {
  for (const { usage } of [syncCommand, exportCommand, importCommand, checkCommand])
    for (const part of ["Usage: public-data-api ", "Example", "PUBLIC_API_KEY", "Exit codes:\n  0  done"])
      expect(usage).toContain(part);
  const help = await runCli(["import", "--help"]);
  expect(help).toEqual({ code: 0, stdout: `${importCommand.usage}\n`, stderr: "" });
  const all = await runCli(["--help"]);
  expect(all.stdout).toMatch(/^Usage: public-data-api <command>(.|\n)+ sync .+\n +export .+\n +import .+\n +check /);
  expect(await runCli(["constructor"])).toEqual({ code: 2, stdout: "", stderr: all.stdout });
  expect((await runCli(["--version"])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
});
