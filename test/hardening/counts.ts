// How much is tried: little in `npm test`, much in `npm run test:soak`. Either says in the end what it was.
import { appendFileSync } from "node:fs";
import { dirname } from "node:path";

const isSoak = process.env.SOAK === "1";

/** How often something is tried. */
export const count = (quick: number, soak: number): number => (isSoak ? soak : quick);

/** Says in a line what was tried; test/runner/reporter.ts prints it in the end. */
export function tried(what: string): void {
  appendFileSync(`${dirname(process.env.STACK_FILE ?? "")}/tried.txt`, `${what}\n`);
}
