import type { DenoCommand } from "../stack/edge_function.ts";
import { alternate, median, type Part, ratios } from "./figure.ts";
import { bareCommand, functionCommand, keys, startDeno, startThread } from "./http.ts";

/** Milliseconds from the start of a server to the last byte of its first answer, which must be a 200. */
async function firstAnswer(command: DenoCommand): Promise<number> {
  const begin = performance.now();
  const { url, stop } = await startDeno(command);
  const response = await fetch(`${url}/public-api/activity?limit=20`, { headers: keys[0] ?? {} });
  await response.text();
  const milliseconds = performance.now() - begin;
  await stop();
  if (response.status !== 200) throw new Error(`the first answer was ${response.status}`);
  return milliseconds;
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
