// A second company, whose pages nothing that another one does may hold up (docs/api.md, Limits).
import { setTimeout as pause } from "node:timers/promises";
import { expect } from "vitest";
import { second, stack } from "./stack.ts";

/** Reads a page of the neighbour's. Fails when it is refused. */
type Page = () => Promise<unknown>;

const pageOf =
  (url: string): Page =>
  async () => {
    const response = await fetch(`${url}/members?limit=20`, { headers: { "X-API-Key": second.key } });
    const body = await response.text();
    expect(response.status, `the neighbour's page: ${body}`).toBe(200);
  };

/** What the machine lets through now: an answer of the stack's function that needs no turn and no database. */
const quiet: Page = async () => void (await (await fetch(`${stack.api_url}/nothing`)).text());

async function timed(page: Page | undefined): Promise<number> {
  const started = performance.now();
  await page?.();
  return performance.now() - started;
}

const median = (times: number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/**
 * Runs `work` while the second demo company asks for 20 members, one page every 20 ms. Fails when one of its pages is
 * refused, or takes over a second; on a busy machine, ten times as long as the slowest quiet answer at the same time
 * more. Returns what `work` returns.
 * @param where the instances that are asked in turn, or how the pages are read. Without them it is the stack that all
 *   files share, where others may have its connections: half of the pages may take longer
 */
export async function besideNeighbour<Result>(work: () => Promise<Result>, where?: string[] | Page): Promise<Result> {
  const pages = typeof where === "function" ? [where] : (where ?? [stack.api_url]).map(pageOf);
  for (const page of pages) await page();
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  const read = async (pages: Page[]) => {
    const times: number[] = [];
    for (let turn = 0; !isOver || turn === 0; turn++) {
      times.push(await timed(pages[turn % pages.length]));
      await pause(20);
    }
    return times;
  };
  const [result, times, quietTimes] = await Promise.all([working, read(pages), read([quiet])]);
  const most = 1000 + 10 * Math.max(...quietTimes);
  expect(where ? Math.max(...times) : median(times), "milliseconds of the neighbour's page").toBeLessThan(most);
  return result;
}
