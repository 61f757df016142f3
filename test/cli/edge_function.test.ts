// The stack runs the function as the platform does, with no more permissions than it needs.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { type DenoVersion, denoCommand, functionSettings, listeningPort } from "../../scripts/stack/edge_function.ts";
import { root } from "../../scripts/stack/process.ts";
import { stack } from "../support/stack.ts";

/** What the probe reports about its own process. */
async function probe(version: DenoVersion): Promise<Record<string, unknown>> {
  const settings = functionSettings(stack.supabase_url, "sb_secret_probe");
  const { command, args, env } = denoCommand(settings, `${root}/test/cli/edge_function/probe.ts`, version);
  const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(child, "exit");
  try {
    const port = await new Promise<number>((resolve, reject) => {
      const read = (line: string) => {
        const port = listeningPort(line);
        if (port !== undefined) resolve(port);
      };
      for (const input of [child.stdout, child.stderr]) createInterface({ input }).on("line", read);
      void exited.then(() => reject(new Error("Deno ended before it listened")));
    });
    const other = new URL(stack.dashboard_url).port;
    return (await (await fetch(`http://127.0.0.1:${port}/?port=${other}`)).json()) as Record<string, unknown>;
  } finally {
    child.kill();
    await exited;
  }
}

const packageJson = JSON.parse(await readFile(`${root}/package.json`, "utf8"));

test.each<[DenoVersion, string]>([
  ["deno", "2.1.4"],
  ["deno-latest", packageJson.devDependencies["deno-latest"].replace("npm:deno@", "")],
])("under %s the function has a heap of 256 MB and may do nothing but talk to its project", async (name, version) => {
  const { heap, ...may } = await probe(name);
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
