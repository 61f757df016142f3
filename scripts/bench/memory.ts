import { readFileSync } from "node:fs";
import type { Request } from "autocannon";
import { type Figure, median, type Part, shown } from "./figure.ts";
import { functionCommand, keys, load, startDeno, startThread } from "./http.ts";

const seconds = 20;
const rewards = Array.from({ length: 50 }, (_, index) => ({
  external_id: `mug-${index}`,
  name: "Mug",
  points_cost: 120,
}));

/** Good and bad requests of every kind, sent in turn, each with one of several keys. */
const mixed: Request[] = keys.flatMap((headers) => [
  { path: "/public-api/activity?limit=20", headers },
  { path: "/public-api/activity?limit=100", headers },
  { path: "/public-api/activity?limit=1000", headers },
  { path: "/public-api/activity?limit=100&format=csv", headers },
  { path: "/public-api/activity?limit=1000&format=csv", headers },
  { path: "/public-api/activity", headers: { "X-API-Key": "sk_live_none" } },
  { path: "/public-api/activity", headers: {} },
  { path: "/public-api/activity?limit=0&since=yesterday&colour=red", headers },
  { path: "/public-api/nothing", headers },
  { path: "/public-api/rewards", method: "POST", headers, body: JSON.stringify(rewards) },
  { path: "/public-api/rewards", method: "POST", headers, body: '[{"name":""}]' },
]);

/** The resident memory of a process in MB, as Linux tells it: now, and the most that it has ever been. */
function residentMemory(pid: number): { now: number; peak: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  return { now: megabytes("VmRSS"), peak: megabytes("VmHWM") };
}

/** The function's resident memory under a long load. */
export const memory: Part = {
  name: "memory",
  title: `The function's memory over ${seconds} s of mixed requests, 32 at a time`,
  async measure({ folder, progress }): Promise<Figure[]> {
    if (process.platform !== "linux") return [];
    progress(`${seconds} s of mixed requests`);
    const upstream = await startThread("upstream.ts");
    const { pid, url, stop } = await startDeno(functionCommand(upstream), `${folder}/function.log`);
    try {
      const samples: number[] = [];
      const sampling = setInterval(() => samples.push(residentMemory(pid).now), 100);
      const options = { url, requests: mixed, connections: 32, duration: seconds };
      const { requests } = await load(options, [200, 400, 401, 404]);
      clearInterval(sampling);
      const part = (from: number, to: number) =>
        median(samples.slice(Math.floor(samples.length * from), Math.floor(samples.length * to)));
      const [early, late] = [part(0.2, 0.4), part(0.8, 1)];
      return [
        {
          name: "the last fifth of the time",
          rounds: [late / early],
          unit: "times the second fifth",
          target: { atMost: 1.15 },
          note: `${shown(late)} MB, before ${shown(early)} MB; ${shown(requests.total)} requests`,
        },
        { name: "the most at any time", rounds: [residentMemory(pid).peak], unit: "MB" },
      ];
    } finally {
      await Promise.all([stop(), upstream.stop()]);
    }
  },
};
