import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import vectors from "../../test/vectors/api_keys.json" with { type: "json" };
import { denoCommand, functionSettings } from "../stack/edge_function.ts";
import { median, type Part } from "./figure.ts";
import { type Call, load } from "./load.ts";
import { startDeno, startScript } from "./processes.ts";

const requests = 50_000;
const connections = 32;
const key = { "X-API-Key": vectors.valid[0]?.key ?? "" };

const reward = {
  external_id: "mug",
  name: "Mug",
  description: "Stoneware, 0.3 l",
  points_cost: 120,
  reward_type: "perk",
};
const rewards = Array.from({ length: 50 }, (_, index) => ({ ...reward, external_id: `mug-${index}` }));
const headers = { ...key, "Content-Type": "application/json" };

/** Good and bad requests of every kind, sent in turn. */
const mixed: Call[] = [
  { path: "/public-api/activity?limit=20", headers: key, status: 200 },
  { path: "/public-api/activity?limit=100", headers: key, status: 200 },
  { path: "/public-api/activity?limit=1000", headers: key, status: 200 },
  { path: "/public-api/activity?limit=100&format=csv", headers: key, status: 200 },
  { path: "/public-api/activity?limit=1000&format=csv", headers: key, status: 200 },
  { path: "/public-api/activity", headers: { "X-API-Key": "sk_live_none" }, status: 401 },
  { path: "/public-api/activity", headers: {}, status: 401 },
  { path: "/public-api/activity?limit=0&since=yesterday&colour=red", headers: key, status: 400 },
  { path: "/public-api/nothing", headers: key, status: 404 },
  { path: "/public-api/rewards", headers, body: JSON.stringify(rewards), status: 200 },
  { path: "/public-api/rewards", headers, body: '[{"name":""}]', status: 400 },
];

/** The resident memory of a process in MB: now, and the most that it has ever been, which only Linux tells. */
function residentMemory(pid: number): { now: number; peak: number | undefined } {
  if (process.platform !== "linux") {
    return { now: Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)])) / 1024, peak: undefined };
  }
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const megabytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
  return { now: megabytes("VmRSS"), peak: megabytes("VmHWM") };
}

/** The function's resident memory under a long load, and what one large CSV takes of a process that has just started. */
export const memory: Part = {
  name: "memory",
  title: "Memory",
  async measure({ folder, progress }) {
    const upstream = await startScript<number>("upstream.ts");
    const settings = functionSettings(`http://127.0.0.1:${upstream.first}`, "sb_secret_bench");
    const large = mixed.filter(({ path }) => path.endsWith("limit=1000&format=csv"));
    try {
      progress("one CSV of 1000 rows");
      const fresh = await startDeno(denoCommand(settings), `${folder}/fresh.log`);
      const idle = residentMemory(fresh.pid);
      await load(fresh.port, large, 1, () => false);
      const { now, peak = now } = residentMemory(fresh.pid);
      await fresh.stop();

      const deno = await startDeno(denoCommand(settings), `${folder}/function.log`);
      const samples: { answers: number; megabytes: number }[] = [];
      await load(deno.port, mixed, connections, (answers) => {
        if (answers % 200 === 0) samples.push({ answers, megabytes: residentMemory(deno.pid).now });
        if (answers % 10_000 === 0) progress(`${answers} of ${requests} requests`);
        return answers < requests;
      });
      await deno.stop();
      const during = (from: number, to: number) =>
        median(samples.filter(({ answers }) => answers > from && answers <= to).map(({ megabytes }) => megabytes));
      const [early, late] = [during(10_000, 20_000), during(requests - 10_000, requests)];
      return [
        {
          name: `the last 10,000 of ${requests.toLocaleString("en-US")} mixed requests, ${connections} at a time`,
          value: late / early,
          unit: "of that over requests 10,000 to 20,000",
          target: { atMost: 1.15 },
          note: `${late.toFixed(0)} MB, before ${early.toFixed(0)} MB`,
        },
        {
          name: "peak of one CSV of 1000 rows, after the start",
          value: peak,
          unit: "MB",
          note: `${idle.now.toFixed(0)} MB before it`,
        },
      ];
    } finally {
      await upstream.stop();
    }
  },
};
