import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import vectors from "../../test/vectors/api_keys.json" with { type: "json" };
import { type DenoCommand, denoCommand, functionSettings, listeningPort } from "../stack/edge_function.ts";
import { root } from "../stack/process.ts";
import { median, type Part } from "./figure.ts";
import { startScript } from "./processes.ts";

const rounds = 25;
const headers = { "X-API-Key": vectors.valid[0]?.key ?? "" };

/** Milliseconds from the start of a server to the last byte of its first answer, which must be a 200. */
async function firstAnswer({ command, args, env }: DenoCommand): Promise<number> {
  const begin = performance.now();
  const server = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(server, "exit");
  try {
    for (const output of [server.stdout, server.stderr]) output.resume();
    const port = await new Promise<number>((resolve, reject) => {
      const read = (line: string) => {
        const port = listeningPort(line);
        if (port !== undefined) resolve(port);
      };
      for (const input of [server.stdout, server.stderr]) createInterface({ input }).on("line", read);
      void exited.then(() => reject(new Error("Deno ended before it listened")));
    });
    const response = await fetch(`http://127.0.0.1:${port}/public-api/activity?limit=20`, { headers });
    await response.text();
    if (response.status !== 200) throw new Error(`the first answer was ${response.status}`);
    return performance.now() - begin;
  } finally {
    server.kill();
    await exited;
  }
}

/** Milliseconds that a process takes which imports a package and ends; without a name, one that does nothing. */
async function importing(name?: string): Promise<number> {
  // From standard input it is resolved as if it stood in the repository.
  const { command, args, env } = denoCommand({}, "-");
  const begin = performance.now();
  const child = spawn(command, args, { cwd: root, env, stdio: ["pipe", "ignore", "inherit"] });
  child.stdin.end(name === undefined ? "" : `import "${name}";`);
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`importing ${name} failed`);
  return performance.now() - begin;
}

/** What a function costs that has not been asked for a while: its process starts, loads its code and answers. */
export const coldStart: Part = {
  name: "cold-start",
  title: "Cold start",
  async measure({ progress }) {
    const config = JSON.parse(await readFile(`${root}/functions/public-api/deno.json`, "utf8")) as { imports: object };
    const packages = Object.keys(config.imports);
    const upstream = await startScript<number>("upstream.ts");
    try {
      const own = denoCommand(functionSettings(`http://127.0.0.1:${upstream.first}`, "sb_secret_bench"));
      const empty = denoCommand({}, `${root}/scripts/bench/empty.ts`);
      const starts: { own: number; empty: number }[] = [];
      const imports: { empty: number; each: number[] }[] = [];
      for (let round = 0; round <= rounds; round++) {
        progress(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
        const start = { own: await firstAnswer(own), empty: await firstAnswer(empty) };
        const each: number[] = [];
        const bare = await importing();
        for (const name of packages) each.push(await importing(name));
        // In the first round Deno compiles, and keeps what it compiled.
        if (round === 0) continue;
        starts.push(start);
        imports.push({ empty: bare, each });
      }
      const own_ms = median(starts.map(({ own }) => own));
      return [
        {
          name: "the function's first answer",
          value: median(starts.map(({ own, empty }) => own - empty)),
          unit: "ms more than an empty Deno.serve",
          target: { atMost: 50 },
          note: `${own_ms.toFixed(1)} ms, empty ${median(starts.map(({ empty }) => empty)).toFixed(1)} ms`,
        },
        ...packages.map((name, index) => ({
          name: `import "${name}"`,
          value: median(imports.map(({ empty, each }) => (each[index] ?? Number.NaN) - empty)),
          unit: "ms more than an empty script",
        })),
      ];
    } finally {
      await upstream.stop();
    }
  },
};
