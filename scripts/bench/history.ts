import { root, runCommand } from "../stack/process.ts";
import type { Figure } from "./figure.ts";

const file = "scripts/bench/results.md";
const git = (...args: string[]) => runCommand("git", ["-C", root, ...args]);

/** The lowest median of each ratio that stands in the history of the results. */
const best = new Map<string, number>();
for (const commit of (await git("log", "--format=%H", "--", file)).trim().split("\n")) {
  for (const part of (await git("show", `${commit}:${file}`)).split(/^## /m).slice(1)) {
    const [title = ""] = part.split("\n");
    for (const [, name = "", median, unit = ""] of part.matchAll(/^\| (.+?) \| ([\d.]+) (times .+?) \|/gm)) {
      const key = title + name + unit;
      best.set(key, Math.min(best.get(key) ?? Number.POSITIVE_INFINITY, Number(median)));
    }
  }
}

/** With its target: so many times the best release's median as it allows. A ratio that no release has gets none. */
export function withTarget(title: string, figure: Figure): Figure {
  const released = best.get(title + figure.name + figure.unit);
  return released === undefined ? figure : { ...figure, target: released * (figure.allowed ?? 1.05) };
}
