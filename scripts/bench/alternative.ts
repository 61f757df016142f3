import { createHash } from "node:crypto";
import postgres from "postgres";
import { type Endpoint, endpoints } from "../../functions/public-api/endpoints.ts";
import type { StackFile } from "../stack/stack.ts";
import { type Figure, median, type Part } from "./figure.ts";
import { type Call, forTime, type Load, load } from "./load.ts";
import { startScript } from "./processes.ts";

const rounds = 9;
const milliseconds = 600;
const sizes = [20, 100, 1000];
const lists = endpoints.filter(({ columns }) => columns.length > 0);

/** One way to get all five lists in turn, and what its rounds measured. */
interface Candidate {
  run: () => Promise<Load>;
  loads: Load[];
}

/** Over HTTP: `call` says how a list is asked for. */
function overHttp(port: number, connections: number, call: (list: Endpoint) => Call): Candidate {
  return { run: () => load(port, lists.map(call), connections, forTime(milliseconds)), loads: [] };
}

/** The API's functions on PostgreSQL itself, prepared, one after the other. */
function onDatabase(sql: postgres.Sql, keyHash: string, rows: number): Candidate {
  const run = async () => {
    const latencies: number[] = [];
    const goesOn = forTime(milliseconds);
    while (goesOn()) {
      for (const { rpc } of lists) {
        const sent = performance.now();
        await sql.unsafe(`select public.${rpc}($1, $2)::text`, [keyHash, rows], { prepare: true });
        latencies.push(performance.now() - sent);
      }
    }
    return {
      perSecond: (1000 * latencies.length) / latencies.reduce((sum, one) => sum + one),
      latency: median(latencies),
    };
  };
  return { run, loads: [] };
}

/** Milliseconds a request over one connection: the mean over the lists, so that the parts of a request add up to the whole. */
const meanTime = ({ loads }: Candidate): number => median(loads.map(({ perSecond }) => 1000 / perSecond));

function speed(name: string, { loads }: Candidate): Figure {
  const latency = median(loads.map(({ latency }) => latency));
  const value = median(loads.map(({ perSecond }) => perSecond));
  return { name, value, unit: "requests/s", note: `median ${latency.toFixed(2)} ms` };
}

/** All ids of the lists, to be sure that both services are asked for the same. */
async function idsOf(url: string, headers: Record<string, string>): Promise<string> {
  const pages = lists.map(async ({ path }) => {
    const response = await fetch(`${url}${path}?limit=1000`, { headers });
    const page = (await response.json()) as { id: string }[];
    return page.map(({ id }) => id);
  });
  return JSON.stringify(await Promise.all(pages));
}

/** The whole local stack beside a plain service on the same database, and where the stack's time goes. */
export const alternative: Part = {
  name: "alternative",
  title: "The local stack against Fastify with node-postgres, the five lists in turn",
  async measure({ folder, progress }) {
    progress("starting a stack");
    const stack = await startScript<StackFile>("own_stack.ts", [folder]);
    const { api_url, supabase_url, superuser_url, secret_key, companies } = stack.first;
    const sql = postgres(superuser_url, { max: 1 });
    try {
      const [company] = companies;
      if (!company) throw new Error("the demo data has no company");
      const [row] = await sql`select id::text from app.companies where name = ${company.name}`;
      const plain = await startScript<number>("plain_service.ts", [superuser_url, String(row?.id)]);
      try {
        const keyHash = createHash("sha256").update(company.api_key).digest("hex");
        const key = { "X-API-Key": company.api_key };
        if ((await idsOf(api_url, key)) !== (await idsOf(`http://127.0.0.1:${plain.first}`, {})))
          throw new Error("the two services answer with other rows");

        const gateway = Number(new URL(supabase_url).port);
        const whole = (rows: number, connections: number) =>
          overHttp(gateway, connections, ({ path }) => {
            return { path: `${new URL(api_url).pathname}${path}?limit=${rows}`, headers: key, status: 200 };
          });
        const fastify = (rows: number, connections: number) =>
          overHttp(plain.first, connections, ({ path }) => ({
            path: `${path}?limit=${rows}`,
            headers: {},
            status: 200,
          }));
        const lite = (rows: number) =>
          overHttp(gateway, 1, ({ rpc }) => ({
            path: `/rest/v1/rpc/${rpc}`,
            headers: { apikey: secret_key, "Content-Type": "application/json" },
            body: JSON.stringify({ key_hash: keyHash, max_rows: rows }),
            status: 200,
          }));
        const measured = sizes.map((rows) => ({
          rows,
          whole: { one: whole(rows, 1), four: whole(rows, 4) },
          fastify: { one: fastify(rows, 1), four: fastify(rows, 4) },
          lite: lite(rows),
          database: onDatabase(sql, keyHash, rows),
        }));
        for (let round = 0; round <= rounds; round++) {
          progress(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
          for (const { whole, fastify, lite, database } of measured) {
            for (const { run, loads } of [whole.one, fastify.one, whole.four, fastify.four, lite, database]) {
              const measured = await run();
              if (round > 0) loads.push(measured);
            }
          }
        }
        return measured.flatMap(({ rows, whole, fastify, lite, database }) => {
          const [all, rpc, query] = [meanTime(whole.one), meanTime(lite), meanTime(database)];
          const part = (name: string, value: number): Figure => ({
            name: `  of it ${name}`,
            value,
            unit: "ms a request",
            note: `${Math.round((100 * value) / all)} %`,
          });
          return [
            speed(`stack, ${rows} rows, 1 connection`, whole.one),
            part("the database", query),
            part("Supabase Lite", rpc - query),
            part("function and gateway", all - rpc),
            speed(`Fastify, ${rows} rows, 1 connection`, fastify.one),
            speed(`stack, ${rows} rows, 4 connections`, whole.four),
            speed(`Fastify, ${rows} rows, 4 connections`, fastify.four),
          ];
        });
      } finally {
        await plain.stop();
      }
    } finally {
      await sql.end();
      await stack.stop();
    }
  },
};
