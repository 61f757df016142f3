// The stack runs the function as the platform does, with no more permissions than it needs.
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import packageJson from "../../package.json" with { type: "json" };
import { type DenoVersion, denoCommand, functionSettings } from "../../scripts/stack/edge_function.ts";
import { stack } from "../support/stack.ts";

const connect = (hostname: string, port: string) =>
  `Deno.connect({ hostname: "${hostname}", port: ${port} }).then(() => "yes")`;

const versions: [DenoVersion, string][] = [
  ["deno", "2.1.4"],
  ["deno-latest", packageJson.devDependencies["deno-latest"].replace("npm:deno@", "")],
];

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
    const { command, args, env } = denoCommand(functionSettings(stack.supabase_url, stack.secret_key), "-", name);
    const input = `console.log(JSON.stringify({ ${outcomes} }))`;
    const { [heapSize]: heap, ...others } = JSON.parse(execFileSync(command, args, { env, input, encoding: "utf8" }));
    expect(Number(heap) / 2 ** 20).toBe(256);
    expect(others).toEqual(expected);
  },
);
