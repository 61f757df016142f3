import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { type DenoCommand, listeningPort } from "../stack/edge_function.ts";
import { alternate, median, type Part, ratios } from "./figure.ts";
import { bareCommand, functionCommand, keys, startThread } from "./http.ts";

/** Milliseconds from the start of a server to the last byte of its first answer, which must be a 200. */
async function firstAnswer({ command, args, env }: DenoCommand): Promise<number> {
  const begin = performance.now();
  const server = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
  const exited = once(server, "exit");
  try {
    const port = await new Promise<number>((resolve, reject) => {
      for (const input of [server.stdout, server.stderr])
        createInterface({ input }).on("line", (line) => {
          const port = listeningPort(line);
          if (port !== undefined) resolve(port);
        });
      void exited.then(() => reject(new Error("Deno ended before it listened")));
    });
    const response = await fetch(`http://127.0.0.1:${port}/public-api/activity?limit=20`, { headers: keys[0] ?? {} });
    await response.text();
    if (response.status !== 200) throw new Error(`the first answer was ${response.status}`);
    return performance.now() - begin;
  } finally {
    server.kill();
    await exited;
  }
}

/** What a function costs that has not been asked for a while: its process starts, loads its code and answers. */
export const coldStart: Part = {
  name: "cold-start",
  title: "Cold start: from the start of the process to the first answer",
  async measure({ progress }) {
    progress("starting and asking");
    const upstream = await startThread("upstream.ts");
    try {
      const [own, empty] = await alternate(
        21,
        [functionCommand(upstream), bareCommand()].map((command) => () => firstAnswer(command)),
      );
      return [
        {
          name: "the function",
          rounds: ratios(own, empty),
          unit: "times an empty Deno.serve",
          target: { atMost: 2 },
          note: `${median(own ?? []).toFixed(0)} ms, empty ${median(empty ?? []).toFixed(0)} ms`,
        },
      ];
    } finally {
      await upstream.stop();
    }
  },
};
