import { randomInt } from "node:crypto";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { crc32 } from "node:zlib";
import type { Request } from "autocannon";
import type { Sql } from "postgres";
import { p95 } from "./figure.ts";

/** What a flood sends (flood.ts): one request over and over, to the addresses in equal parts. */
export interface Flood {
  urls: readonly string[];
  keys: readonly string[];
  request: Request;
  seconds: number;
}

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** A text that can be a key, as far as its checksum tells. */
export function newKey(): string {
  const random = Array.from({ length: 32 }, () => alphabet[randomInt(62)]).join("");
  let rest = crc32(`sk_live_${random}`);
  let digits = "";
  for (let place = 0; place < 6; place += 1) {
    digits = alphabet[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return `sk_live_${random}${digits}`;
}

/** Gives a company of the database some keys. */
export async function newKeys(superuser: Sql, company: number, count: number): Promise<string[]> {
  const keys = Array.from({ length: count }, newKey);
  await superuser`set session_replication_role = replica`;
  await superuser`
    with made as (
      insert into app.api_keys (company_id, name, scopes, key_hash, hint, created_by)
      select bench.id(${company}, 'company', 0), 'Fairness', app.scopes(), sha256(key::bytea), '…', bench.id(${company}, 'member', 1)
      from unnest(${keys}::text[]) as key
      returning company_id, id
    )
    insert into app.api_key_uses (company_id, key_id) select company_id, id from made`;
  await superuser`reset session_replication_role`;
  return keys;
}

/** What company B notices: the milliseconds of each of its requests, sent one after the other, and how many were not answered with 200. */
export async function askOneByOne(url: string, key: string, milliseconds: number) {
  const times: number[] = [];
  let notAnswered = 0;
  const end = performance.now() + milliseconds;
  while (performance.now() < end) {
    const begin = performance.now();
    const response = await fetch(`${url}/public-api/members?limit=20`, { headers: { "X-API-Key": key } });
    await response.text();
    times.push(performance.now() - begin);
    if (response.status !== 200) notAnswered += 1;
  }
  return { times, notAnswered };
}

/** Has B ask while A floods, and tells what both got. */
export async function flooded(key: string, flood: Flood) {
  const worker = new Worker(new URL("flood.ts", import.meta.url), { workerData: flood });
  const flooding = once(worker, "message") as Promise<[Record<string, number>]>;
  await sleep(500);
  const { times, notAnswered } = await askOneByOne(flood.urls[0] ?? "", key, 1000 * (flood.seconds - 1));
  const [statuses] = await flooding;
  // Behind what the flood has left in the Data API's queue, so that the next round begins with an empty one.
  await askOneByOne(flood.urls[0] ?? "", key, 1);
  return { p95: p95(times), notAnswered, statuses, good: (statuses["200"] ?? 0) / flood.seconds };
}

/** Keeps the rewards of company 1 locked, for a second and a half at a time, while something runs. */
export async function whileLocked<T>(superuser: Sql, run: () => Promise<T>): Promise<T> {
  let goesOn = true;
  const locking = (async () => {
    while (goesOn) {
      await superuser.begin(async (transaction) => {
        await transaction`select from app.rewards where company_id = bench.id(1, 'company', 0) for update`;
        await sleep(1500);
      });
      await sleep(200);
    }
  })();
  return run().finally(() => {
    goesOn = false;
    return locking;
  });
}
