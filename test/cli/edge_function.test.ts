// The stack runs the function as the platform does, with no more permissions than it needs.
import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import type { DenoVersion } from "../../scripts/stack/edge_function.ts";
import { root } from "../../scripts/stack/process.ts";
import { startFunction } from "../support/function_process.ts";
import { stack } from "../support/stack.ts";

const packageJson = JSON.parse(await readFile(`${root}/package.json`, "utf8"));

test.each<[DenoVersion, string]>([
  ["deno", "2.1.4"],
  ["deno-latest", packageJson.devDependencies["deno-latest"].replace("npm:deno@", "")],
])("under %s the function has a heap of 256 MB and may do nothing but talk to its project", async (name, version) => {
  const { url, kill } = await startFunction(stack.supabase_url, name, [], `${root}/test/cli/edge_function/probe.ts`);
  const answer = await fetch(`${url}?port=${new URL(stack.dashboard_url).port}`);
  const { heap, ...may } = await answer.json();
  await kill();
  // V8 adds memory for young objects.
  expect(Number(heap) / 2 ** 20).toBeGreaterThan(200);
  expect(Number(heap) / 2 ** 20).toBeLessThan(400);
  expect(may).toEqual({
    version,
    "reads its project's address": "allowed",
    "talks to its project": "allowed",
    "reads another variable": "NotCapable",
    "talks to another port": "NotCapable",
    "talks to another host": "NotCapable",
    "reads a file": "NotCapable",
    "writes a file": "NotCapable",
    "runs a command": "NotCapable",
  });
});
