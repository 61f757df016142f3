import autocannon from "autocannon";
import vectors from "../../test/vectors/api_keys.json" with { type: "json" };
import type { DenoCommand } from "../stack/edge_function.ts";
import { alternate, compare, type Figure, median, type Part, ratios, shown } from "./figure.ts";
import { bareCommand, functionCommand, processorTime, type Server, startDeno, startThread } from "./http.ts";

/** A key with a valid checksum. The upstream accepts every key. */
const headers = { "X-API-Key": vectors.valid[0]?.key ?? "" };

/** `gzip`: the client accepts compressed answers. Deno compresses them by itself, on the same processor. */
const questions = [
  { name: "100 rows", query: "limit=100", atLeast: 0.45 },
  { name: "100 rows, gzip", query: "limit=100", gzip: true },
  { name: "1000 rows", query: "limit=1000", atLeast: 0.65 },
  { name: "1000 rows, gzip", query: "limit=1000", gzip: true },
  { name: "1000 rows, CSV", query: "limit=1000&format=csv", atLeast: 0.1 },
];

type Speed = { perSecond: number; milliseconds: number };

/** Sends requests over four connections for a second. Each must be answered with a 200. */
async function speed(server: Server, query: string, gzip: boolean): Promise<Speed> {
  const before = processorTime(server);
  const url = `${server.url}/public-api/activity?${query}`;
  const sent = gzip ? { ...headers, "Accept-Encoding": "gzip" } : headers;
  const { requests, duration, non2xx, errors } = await autocannon({ url, headers: sent, connections: 4, duration: 1 });
  if (non2xx + errors > 0) throw new Error(`${url}: ${errors} requests without an answer, ${non2xx} refused`);
  return {
    perSecond: requests.total / duration,
    milliseconds: (processorTime(server) - before) / requests.total,
  };
}

/**
 * Compares the function with a proxy that forwards the body, in front of an upstream that answers at once: the processor
 * time of a request, which depends less on the machine than requests a second.
 */
export const functionSpeed: Part = {
  name: "function",
  title: "The function beside a bare proxy, both over an upstream that answers at once: processor time of a request",
  async measure({ folder, progress }) {
    const upstream = await startThread("upstream.ts");
    const subject = await startDeno(functionCommand(upstream), `${folder}/function.log`);
    const proxy = await startDeno(bareCommand(upstream), `${folder}/proxy.log`);
    const figures: Figure[] = [];
    const bothSpeeds = (rounds: number, query: string, gzip: boolean) =>
      alternate(rounds, [() => speed(subject, query, gzip), () => speed(proxy, query, gzip)]);
    progress("warming up");
    for (const { query, gzip = false } of questions) await bothSpeeds(2, query, gzip);
    for (const { name, query, atLeast, gzip = false } of questions) {
      progress(name);
      const [own = [], bare = []] = await bothSpeeds(7, query, gzip);
      const rounds = ratios(times(bare), times(own));
      const served = shown(median(own.map(({ perSecond }) => perSecond)));
      const note = `${shown(median(times(own)))} ms a request, proxy ${shown(median(times(bare)))} ms; ${served} a second`;
      const headline = `${served} answers of ${name} a second from one instance of the function, where the database keeps up`;
      const aim = { ...(atLeast !== undefined && { target: { atLeast } }), ...(!gzip && { headline }) };
      figures.push({ name, rounds, unit: "of the function's time", note, ...aim });
    }
    await Promise.all([subject.stop(), proxy.stop(), upstream.stop()]);
    return figures;
  },
};

const times = (speeds: Speed[]): number[] => speeds.map(({ milliseconds }) => milliseconds);

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
    const { rounds, first, second } = await compare(
      21,
      firstAnswer(functionCommand(upstream)),
      firstAnswer(bareCommand()),
    );
    await upstream.stop();
    const note = `${first.toFixed(0)} ms, empty ${second.toFixed(0)} ms`;
    return [{ name: "the function", rounds, unit: "times an empty Deno.serve", target: { atMost: 2 }, note }];
  },
};
