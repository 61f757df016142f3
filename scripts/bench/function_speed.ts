import { alternate, type Figure, median, type Part, ratios, type Target } from "./figure.ts";
import { bareCommand, functionCommand, keys, speed, startDeno, startThread } from "./http.ts";

const questions: { name: string; query: string; target: Target }[] = [
  { name: "100 rows", query: "limit=100", target: { atLeast: 0.45 } },
  { name: "1000 rows", query: "limit=1000", target: { atLeast: 0.65 } },
  { name: "1000 rows, CSV", query: "limit=1000&format=csv", target: { atLeast: 0.1 } },
];

/** The function over an upstream that answers at once, beside a proxy that only passes its body on. */
export const functionSpeed: Part = {
  name: "function",
  title: "The function beside a bare proxy, both over an upstream that answers at once: 4 connections",
  async measure({ folder, progress }) {
    const upstream = await startThread("upstream.ts");
    const subject = await startDeno(functionCommand(upstream), `${folder}/function.log`);
    const proxy = await startDeno(bareCommand(upstream), `${folder}/proxy.log`);
    try {
      const figures: Figure[] = [];
      for (const { name, query, target } of questions) {
        progress(name);
        const [here, there] = await alternate(
          7,
          [subject, proxy].map(
            ({ url }) =>
              () =>
                speed(`${url}/public-api/activity?${query}`, keys[0] ?? {}),
          ),
        );
        const [own, other] = [here, there].map((rounds) => Math.round(median(rounds ?? [])).toLocaleString("en-US"));
        figures.push({
          name,
          rounds: ratios(here, there),
          unit: "of the proxy",
          target,
          note: `${own} of ${other} requests a second`,
          headline: `${own} answers of ${name} a second from one instance of the function, where the database keeps up`,
        });
      }
      return figures;
    } finally {
      await Promise.all([subject.stop(), proxy.stop(), upstream.stop()]);
    }
  },
};
