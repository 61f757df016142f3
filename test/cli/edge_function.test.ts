// The stack runs the function as the platform does, with no more permissions than it needs.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { DenoVersion } from "../../scripts/stack/edge_function.ts";
import { root } from "../../scripts/stack/process.ts";
import { startFunction } from "../support/function_process.ts";
import { stack } from "../support/stack.ts";

const packageJson = JSON.parse(await readFile(`${root}/package.json`, "utf8"));

const connect = (hostname: string, port: string) =>
  `Deno.connect({ hostname: "${hostname}", port: ${port} }).then(() => "yes")`;

test.each<[DenoVersion, string]>([
  ["deno", "2.1.4"],
  ["deno-latest", packageJson.devDependencies["deno-latest"].replace("npm:deno@", "")],
])("under %s the function has a heap of 256 MB and may do nothing but talk to its project", async (name, version) => {
  const { url, kill } = await startFunction(stack.supabase_url, name, [], `${root}/test/cli/edge_function/probe.ts`);
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
  const tried = [heapSize, ...Object.keys(expected)];
  const answer = await fetch(url, { method: "POST", body: JSON.stringify(tried) });
  const [heap, ...outcomes] = await answer.json();
  await kill();
  // V8 adds memory for young objects.
  expect(Number(heap) / 2 ** 20).toBeGreaterThan(200);
  expect(Number(heap) / 2 ** 20).toBeLessThan(400);
  expect(Object.fromEntries(outcomes.map((outcome: unknown, index: number) => [tried[index + 1], outcome]))).toEqual(
    expected,
  );
});
