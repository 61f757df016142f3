import autocannon from "autocannon";
import vectors from "../../test/vectors/api_keys.json" with { type: "json" };
import type { DenoCommand } from "../stack/edge_function.ts";
import { compare, type Figure, median, type Part, shown } from "./figure.ts";
import { bareCommand, functionCommand, processorTime, type Server, startDeno, startThread } from "./http.ts";

/** A key with a valid checksum. The upstream accepts every key. */
const headers = { "X-API-Key": Object.keys(vectors.valid)[0] ?? "" };

const requests = [
  { name: "100 rows", query: "limit=100" },
  { name: "1000 rows", query: "limit=1000" },
  { name: "1000 rows, CSV", query: "limit=1000&format=csv" },
];

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
    /** Sends requests over four connections for a second. Each must be answered with a 200. Milliseconds a request. */
    const speed = (server: Server & { pid: number }, query: string, served: number[]) => async () => {
      const before = processorTime(server);
      const url = `${server.url}/public-api/activity?${query}`;
      const { requests, duration, non2xx, errors } = await autocannon({ url, headers, connections: 4, duration: 1 });
      if (non2xx + errors > 0) throw new Error(`${url}: ${errors} requests without an answer, ${non2xx} refused`);
      served.push(requests.total / duration);
      return (processorTime(server) - before) / requests.total;
    };
    const both = (rounds: number, query: string, served: number[] = []) =>
      compare(rounds, speed(subject, query, served), speed(proxy, query, []));
    progress("warming up");
    for (const { query } of requests) await both(2, query);
    const figures: Figure[] = [];
    for (const { name, query } of requests) {
      progress(name);
      const perSecond: number[] = [];
      const { rounds, service, bare } = await both(7, query, perSecond);
      const served = shown(median(perSecond));
      const note = `${shown(service)} ms a request, proxy ${shown(bare)} ms; ${served} a second`;
      const headline = `${served} answers of ${name} a second from one instance of the function, where the database keeps up`;
      figures.push({ name, rounds, unit: "times the proxy", note, headline });
    }
    await Promise.all([subject, proxy, upstream].map(({ stop }) => stop()));
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
    const { rounds, service, bare } = await compare(
      21,
      firstAnswer(functionCommand(upstream)),
      firstAnswer(bareCommand()),
    );
    await upstream.stop();
    const note = `${service.toFixed(0)} ms, empty ${bare.toFixed(0)} ms`;
    return [{ name: "the function", rounds, unit: "times an empty Deno.serve", note }];
  },
};
