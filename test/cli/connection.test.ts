// public-data-api with a wrong address, a redirect, a bad key and a busy service, and the output of check and --help.
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { request } from "../../cli/src/connection.ts";
import { root } from "../../scripts/stack/process.ts";
import { environment, type Run, run, runProgram, workFolder } from "../support/command_line.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { call, first, stack } from "../support/stack.ts";
import { type MoodyProxy, patient, startMoodyProxy, status } from "./moody_proxy.ts";

const folder = workFolder();
let company: TestCompany;
let proxy: MoodyProxy;
beforeAll(async () => {
  [company, proxy] = await Promise.all([newCompany("Connection"), startMoodyProxy()]);
});
afterAll(() => Promise.all([proxy.close(), company.remove()]));
beforeEach(() => {
  proxy.requests.length = 0;
  proxy.moods = [];
});

const check = (url: string, key = first.key): Promise<Run> =>
  runProgram(process.execPath, [`${root}/cli/src/main.ts`, "check"], folder, environment(key, url));

/** A server of the test's own. `drop` ends it with its connections. */
async function serve(listener: RequestListener): Promise<{ url: string; close(): Promise<unknown>; drop(): void }> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise((resolve) => server.close(resolve));
  const drop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, close, drop };
}

test("a mistyped address fails at once: no such host, nobody at the port, a port for something else", async () => {
  const closed = await serve(() => {});
  await closed.close();
  for (const [url, reason] of [
    ["https://no-such-host.invalid/functions/v1/public-api", "(ENOTFOUND|EAI_AGAIN)"],
    [closed.url, "ECONNREFUSED"],
    [proxy.url.replace("http:", "https:"), "(ERR_SSL_\\w+|EPROTO)"],
    ["http://127.0.0.1:1", "bad port"],
  ] as const) {
    const { code, stderr } = await check(url);
    expect(code, stderr).toBe(4);
    expect(stderr).toMatch(new RegExp(`^Nothing answers at ${url} \\(${reason}\\): is PUBLIC_API_URL right\\?\n$`));
  }

  const env = { ...environment(first.key), http_proxy: "http://user:S3cret@127.0.0.1:1", NO_PROXY: "" };
  const { stderr } = await runProgram(process.execPath, [`${root}/cli/src/main.ts`, "check"], folder, env);
  expect(stderr).toBe(
    `Nothing answers at ${stack.api_url} (ECONNREFUSED): are PUBLIC_API_URL and http_proxy, which names a proxy, right?\n`,
  );
});

const noName = "PUBLIC_API_URL must not contain a user name or a password";
const noQuery = "PUBLIC_API_URL must be a base address, without ? and #";
const noHttp = "PUBLIC_API_URL must begin with https://, or everybody on the way could read the key";
const proxyForm = "HTTP_PROXY must be the address of a proxy, as in http://proxy.example:3128";

test.each<[NodeJS.ProcessEnv, string]>([
  [{ PUBLIC_API_URL: "http://user:S3cret@127.0.0.1:1" }, noName],
  [{ PUBLIC_API_URL: "https://api.example.com/#S3cret" }, noQuery],
  [{ PUBLIC_API_URL: "https://api.example.com?S3cret" }, noQuery],
  [{ PUBLIC_API_URL: "http://api.example.com" }, noHttp],
  [{ PUBLIC_API_URL: "http://10.0.0.1" }, noHttp],
  [{ PUBLIC_API_URL: "http://localhost.example" }, noHttp],
  [{ HTTP_PROXY: "//S3cret" }, proxyForm],
])("the settings %j are refused in one line, which does not show them", async (settings, line) => {
  const program = [`${root}/cli/src/main.ts`, "check"];
  const { code, stderr } = await runProgram(process.execPath, program, folder, {
    ...environment(first.key),
    ...settings,
  });
  expect({ code, stderr }).toEqual({ code: 2, stderr: `${line}\n` });
});

test("without a whole answer a request ends: at its deadline, and when the body has no end", async () => {
  const slow = await serve((_, response) => void response.flushHeaders());
  const connection = { ...patient(slow.url, first.key), deadline: 20 };
  await expect(request(connection, "/rewards", (text) => text)).rejects.toThrow("due to timeout), 6 times");
  slow.drop();

  const endless = await serve((_, response) => {
    const more = () => {
      while (response.write(Buffer.alloc(1 << 20, "x")));
      response.once("drain", more);
    };
    more();
  });
  const { code, stderr } = await check(endless.url);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: `${new URL(endless.url).host} sent more than 256 MB in one answer\n`,
  });
  endless.drop();
});

test("what a server says moves no cursor and turns no text", async () => {
  const bad = "\u001b[2Jname\u202e\n";
  const shown = "�[2Jname��";
  proxy.moods = [
    (response) => response.end(JSON.stringify({ version: "1", company_name: bad, key_name: bad, scopes: [bad] })),
    (response) => response.writeHead(401).end(JSON.stringify({ error: bad })),
  ];
  const { stdout } = await check(proxy.url);
  expect(stdout).toContain(`Company  ${shown}\nKey      ${shown}\nExpires  never\nScopes   ${shown}\n`);
  expect(await check(proxy.url)).toMatchObject({ code: 3, stderr: `401 ${shown}\n` });
});

test("a base address that is not the API's is said to be wrong, in a line", async () => {
  const [api, site, other] = await Promise.all([
    serve((_, response) => void response.writeHead(404).end('{"message":"no Route matched"}')),
    serve((_, response) => void response.end("<!doctype html><title>Hello</title>")),
    serve((_, response) => void response.end('{"version":"7"}')),
  ]);
  for (const url of [api.url, site.url, other.url, `${stack.api_url}/v1`, stack.supabase_url]) {
    const { code, stderr } = await check(url);
    expect(code, stderr).toBe(2);
    expect(stderr).toMatch(new RegExp(`^${url} is not the base address of the API \\(.+\\): check PUBLIC_API_URL\n$`));
    expect(stderr).not.toContain("undefined");
  }
  await Promise.all([api, site, other].map(({ close }) => close()));
});

// Proves: risk.2
test.each([301, 302, 307, 308])("a redirect (%i) is refused: the key never goes to another host", async (code) => {
  const keys: unknown[] = [];
  const thief = await serve((incoming, response) => {
    keys.push(incoming.headers["x-api-key"]);
    response.end("[]");
  });
  proxy.moods = [status(code, { Location: `${thief.url}/functions/v1/public-api` })];
  const refused = await check(proxy.url);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(
    new RegExp(`^${code}: ${proxy.url} redirects to ${new URL(thief.url).host}\\. The key is not sent there`),
  );

  // A redirect of a later request is refused too, with a body and without.
  for (const body of [undefined, "[]"]) {
    proxy.moods = [status(code, { Location: "/elsewhere" })];
    await expect(request(patient(proxy.url, first.key), "/rewards", (text) => text, body)).rejects.toThrow(`${code}: `);
  }
  expect(keys).toEqual([]);
  await thief.close();
});

test("a key that is no good, or lacks the scope, ends with 3, and every refusal names its request", async () => {
  const { code, stderr } = await check(stack.api_url, "sk_live_none");
  expect(code).toBe(3);
  const id = "\\(request [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\\)";
  expect(stderr).toMatch(new RegExp(`^401 Unauthorized: Invalid or missing API Key ${id}\n$`));

  const { api_key } = await company.makeKey(["read:activity"]);
  const scope = await run("export", folder, api_key, "members", "--out", "members.csv");
  expect(scope.code).toBe(3);
  expect(scope.stderr).toMatch(new RegExp(`^403 Forbidden: this key is missing the "read:members" scope ${id}\n$`));

  const filter = await run("export", folder, api_key, "activity", "--sender_id", "7", "--out", "activity.csv");
  expect(filter.code).toBe(1);
  expect(filter.stderr).toMatch(new RegExp(`^400 sender_id must be a uuid ${id}\n$`));
});

test("a busy service is asked again when it says so, six times at most; then the command ends with 4", async () => {
  const connection = patient(proxy.url, first.key);
  const later = new Date(Date.now() + 30_000).toUTCString();
  proxy.moods = [
    status(429, { "Retry-After": "1" }),
    status(503, { "Retry-After": later }),
    status(429, { "Retry-After": "9999" }),
  ];
  await request(connection, "/rewards", (text) => text);
  const [one, date, longest] = connection.pauses;
  expect([one, longest]).toEqual([1000, 120_000]);
  expect(date).toBeGreaterThan(25_000);
  expect(date).toBeLessThanOrEqual(30_000);
  expect(connection.said[0]).toBe("429 Not now; trying again in 1 s");

  proxy.requests.length = 0;
  proxy.moods = Array.from({ length: 9 }, () => status(429, { "Retry-After": "0", "X-Request-Id": "7" }));
  const { code, stderr } = await check(proxy.url);
  expect(code).toBe(4);
  expect(proxy.requests).toHaveLength(6);
  expect(stderr.trimEnd().split("\n").at(-1)).toBe("429 Not now (request 7), 6 times");
});

test("check says whose the key is and what it may do", async () => {
  const { name, api_key } = await company.makeKey(["read:activity", "write:rewards"]);
  const { code, stdout, stderr } = await check(stack.api_url, api_key);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.split("\n")).toEqual([
    "Company  Connection",
    `Key      ${name}`,
    "Expires  never",
    "Scopes   read:activity, write:rewards",
    expect.stringMatching(/^Allowed {2}GET \/activity, .*POST \/rewards$/),
    expect.stringMatching(/^API {6}\d+\.\d+\.\d+$/),
    "",
  ]);
  const json = await run("check", folder, api_key, "--json");
  expect(JSON.parse(json.stdout)).toEqual(await (await call("/", api_key)).json());
});

test("--help of every command exits with 0 and shows examples, settings and exit codes; a wrong command with 2", async () => {
  const help = (...args: string[]) =>
    runProgram(process.execPath, [`${root}/cli/src/main.ts`, ...args], folder, environment(undefined));
  for (const command of ["export", "import", "check"]) {
    const { code, stdout, stderr } = await help(command, "--help");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const part of [`Usage: public-data-api ${command}`, "Example", "PUBLIC_API_KEY", "Exit codes:\n  0  done"])
      expect(stdout).toContain(part);
  }
  const all = await help("--help");
  expect(all.code).toBe(0);
  expect(all.stdout).toMatch(/export .+\n +import .+\n +check /);
  expect((await help("--version")).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  for (const args of [[], ["exprot"], ["--hlep"], ["constructor"]]) {
    const { code, stderr } = await help(...args);
    expect({ code, usage: stderr.includes("Usage: public-data-api <command>") }).toEqual({ code: 2, usage: true });
  }
});
