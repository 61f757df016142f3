// A second company, whose pages nothing that another one does may hold up (docs/api.md, Limits).
import { expect } from "vitest";
import { second, stack } from "./stack.ts";

/** How many milliseconds a page of the neighbour takes. Fails when it is refused. */
async function ask(url: string): Promise<number> {
  const started = performance.now();
  const response = await fetch(`${url}/members?limit=20`, { headers: { "X-API-Key": second.key } });
  const body = await response.text();
  expect(response.status, `the neighbour's page: ${body}`).toBe(200);
  return performance.now() - started;
}

/**
 * Runs `work` while the second demo company asks for 20 members, one page after the other, of each instance in turn. Fails
 * when one of its pages is refused, or takes over a second; on a busy machine, five times as long as alone more. Returns
 * what `work` returns.
 */
export async function besideNeighbour<Result>(work: () => Promise<Result>, urls = [stack.api_url]): Promise<Result> {
  const alone = [];
  for (const url of [...urls, ...urls, ...urls]) alone.push(await ask(url));
  const most = 1000 + 5 * Math.max(...alone);
  let isOver = false;
  const working = work().finally(() => {
    isOver = true;
  });
  for (let turn = 0; !isOver || turn === 0; turn++) {
    const milliseconds = await Promise.race([ask(urls[turn % urls.length] ?? ""), working.then(() => 0)]);
    expect(milliseconds, "milliseconds of the neighbour's page").toBeLessThan(most);
  }
  return await working;
}
