// The stack runs the function as the platform does, with no more permissions than it needs.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type DenoVersion, denoCommand, functionSettings } from "../../scripts/stack/edge_function.ts";
import { key, list, refusedKey, verified } from "../support/service.ts";
import { stack } from "../support/stack.ts";

const connect = (hostname: string, port: string) =>
  `Deno.connect({ hostname: "${hostname}", port: ${port} }).then(() => "yes")`;

const versions: [DenoVersion, string][] = [
  ["deno", "2.1.4"],
  ["deno-latest", packageJson.devDependencies["deno-latest"].replace("npm:deno@", "")],
];

/** What a script prints under Deno, as JSON, with the rights of the function. */
function printed(name: DenoVersion, input: string) {
  const { command, args, env } = denoCommand(functionSettings(stack.supabase_url, stack.secret_key), "-", name);
  return JSON.parse(execFileSync(command, args, { env, input, encoding: "utf8" }));
}

test.each(versions)(
  "under %s the function has a heap of 256 MB and may do nothing but talk to its project",
  (name, version) => {
    const project = new URL(stack.supabase_url);
    const heapSize = 'import("node:v8").then((v8) => v8.getHeapStatistics().heap_size_limit)';
    const expected = {
      "Deno.version.deno": version,
      'Deno.env.get("SUPABASE_URL")': stack.supabase_url,
      [connect("127.0.0.1", project.port)]: "yes",
      'Deno.env.get("HOME")': "NotCapable",
      [connect("127.0.0.1", new URL(stack.dashboard_url).port)]: "NotCapable",
      [connect("192.0.2.1", "443")]: "NotCapable",
      'Deno.readTextFile("/etc/hosts")': "NotCapable",
      'Deno.writeTextFile("/tmp/probe", "")': "NotCapable",
      'new Deno.Command("true").output()': "NotCapable",
    };
    const outcomes = [heapSize, ...Object.keys(expected)].map(
      (code) => `${JSON.stringify(code)}: await (async () => ${code})().then(String, (error) => error.name)`,
    );
    const { [heapSize]: heap, ...others } = printed(name, `console.log(JSON.stringify({ ${outcomes} }))`);
    expect(Number(heap) / 2 ** 20).toBe(256);
    expect(others).toEqual(expected);
  },
);

/** Prints how often requests read a name for which Deno looks at the stack at each use, and then this script. */
const countingReads = `
import { createApp } from "./functions/public-api/app.ts";
const answers = ${JSON.stringify({ verified, list: { ...list("[]"), body: "[]".padEnd(600_000) }, refused: refusedKey })};
globalThis.fetch = async (url, call) => {
  const { status, body, headers } = answers[/verify/.test(url) ? "verified" : /teams/.test(url + call.body) ? "refused" : "list"];
  return new Response(body, { status, headers });
};
const app = createApp({ supabaseUrl: "a:", baseUrl: "a:", secretKey: "s", readUrls: ["b:"] }, () => {});
const headers = { "X-API-Key": "${key}", "Content-Type": "application/json" };
const send = async (path, init) => {
  const request = new Request("http://a" + path, { headers, ...init });
  const response = await app(request);
  await response.text();
  return response.status;
};
const message = { method: "POST", body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
const sendAll = async () => {
  // More at once than there are places: some wait.
  const statuses = await Promise.all(Array(5).fill("/members").map((path) => send(path)));
  for (const path of ["/activity/counts", "/teams", "/none"]) statuses.push(await send(path));
  for (const path of ["/rewards", "/mcp"]) statuses.push(await send(path, message));
  return statuses;
};
await sendAll();
const reads = {};
for (const name of ["setTimeout", "clearTimeout", "performance", "Buffer"]) {
  const value = globalThis[name];
  Object.defineProperty(globalThis, name, { get: () => [value, (reads[name] = (reads[name] ?? 0) + 1)][0] });
}
const statuses = await sendAll();
const ofRequests = { ...reads };
performance;
console.log(JSON.stringify([statuses, ofRequests, reads]));
`;

test.each(versions)("under %s requests read no global for which Deno looks at the stack", (name) => {
  expect(printed(name, countingReads)).toEqual([
    [200, 200, 200, 200, 200, 200, 401, 404, 400, 200],
    {},
    { performance: 1 },
  ]);
});
