// How many cases a random test tries: few in `npm test`, many in `npm run test:soak`. Both print the number at the end.
import { appendFileSync } from "node:fs";
import { dirname } from "node:path";

const isSoak = process.env.SOAK === "1";

/** The number of cases: `quick` in npm test, `soak` in npm run test:soak. */
export const count = (quick: number, soak: number): number => (isSoak ? soak : quick);

/** Notes in one line what was tried; test/runner/reporter.ts prints it at the end. */
export function tried(what: string): void {
  appendFileSync(`${dirname(process.env.STACK_FILE ?? "")}/tried.txt`, `${what}\n`);
}
