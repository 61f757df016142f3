import autocannon from "autocannon";
import vectors from "../../test/vectors/api_keys.json" with { type: "json" };
import type { DenoCommand } from "../stack/edge_function.ts";
import { compare, type Figure, type Part, shown } from "./figure.ts";
import { bareCommand, functionCommand, startDeno, startThread } from "./http.ts";

/** A key with a valid checksum. The upstream accepts every key. */
const headers = { "X-API-Key": vectors.valid[0]?.key ?? "" };

const questions = [
  { name: "100 rows", query: "limit=100", atLeast: 0.35 },
  { name: "1000 rows", query: "limit=1000", atLeast: 0.65 },
  { name: "1000 rows, CSV", query: "limit=1000&format=csv", atLeast: 0.05 },
];

/** Requests a second, over four connections for a second. Each must be answered with a 200. */
async function speed(url: string): Promise<number> {
  const { requests, duration, non2xx, errors } = await autocannon({ url, headers, connections: 4, duration: 1 });
  if (non2xx + errors > 0) throw new Error(`${url}: ${errors} requests without an answer, ${non2xx} refused`);
  return requests.total / duration;
}

/** Compares the function with a proxy that forwards the body, in front of an upstream that answers at once. */
export const functionSpeed: Part = {
  name: "function",
  title: "The function beside a bare proxy, both over an upstream that answers at once: 4 connections",
  async measure({ folder, progress }) {
    const upstream = await startThread("upstream.ts");
    const subject = await startDeno(functionCommand(upstream), `${folder}/function.log`);
    const proxy = await startDeno(bareCommand(upstream), `${folder}/proxy.log`);
    const figures: Figure[] = [];
    for (const { name, query, atLeast } of questions) {
      progress(name);
      const ask = (url: string) => () => speed(`${url}/public-api/activity?${query}`);
      const { rounds, own, other } = await compare(7, ask(subject.url), ask(proxy.url));
      const note = `${shown(own)} of ${shown(other)} requests a second`;
      const answers = `${shown(own)} answers of ${name} a second`;
      const headline = `${answers} from one instance of the function, where the database keeps up`;
      figures.push({ name, rounds, unit: "of the proxy", target: { atLeast }, note, headline });
    }
    await Promise.all([subject.stop(), proxy.stop(), upstream.stop()]);
    return figures;
  },
};

/** Compares the start of the function, which the platform stops when it is idle, with that of an empty server. */
export const coldStart: Part = {
  name: "cold-start",
  title: "Cold start: from the start of the process to the first answer",
  async measure({ folder, progress }) {
    progress("starting and asking");
    const upstream = await startThread("upstream.ts");
    /** Milliseconds from the start of a server to the end of its first answer. */
    const firstAnswer = (command: DenoCommand) => async () => {
      const begin = performance.now();
      const { url, stop } = await startDeno(command, `${folder}/cold_start.log`);
      const response = await fetch(`${url}/public-api/activity?limit=20`, { headers });
      await response.text();
      const milliseconds = performance.now() - begin;
      await stop();
      if (response.status !== 200) throw new Error(`the first answer was ${response.status}`);
      return milliseconds;
    };
    const { rounds, own, other } = await compare(
      21,
      firstAnswer(functionCommand(upstream)),
      firstAnswer(bareCommand()),
    );
    await upstream.stop();
    const note = `${own.toFixed(0)} ms, empty ${other.toFixed(0)} ms`;
    return [{ name: "the function", rounds, unit: "times an empty Deno.serve", target: { atMost: 2 }, note }];
  },
};
