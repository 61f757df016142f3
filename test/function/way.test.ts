// The way of a request through the function, as docs/making/one-request.md draws it for maintainers.
import { expect, test, vi } from "vitest";
import { read } from "../support/pages.ts";
import { list, startService } from "../support/service.ts";

const service = await startService();

/** The steps of the page: file and function, those that return to the step above them indented. */
const [, drawn = ""] = read("docs/making/one-request.md").split("```");
const steps = [...drawn.matchAll(/^( *)(\S+\.ts) +(\S+)/gm)].map(([, indent, file, name]) => ({ indent, file, name }));

test("from rows() to fetch a request passes the functions that the page names, and they are at most eight", async () => {
  service.answer("list_activity", list("[]"));
  let stack = "";
  const { fetch } = globalThis;
  vi.stubGlobal("fetch", (...call: Parameters<typeof fetch>) => {
    stack = new Error().stack ?? "";
    return fetch(...call);
  });
  expect((await service.send("/activity?limit=2")).status).toBe(200);
  vi.unstubAllGlobals();
  const passed = [...stack.matchAll(/ at (?:async )?(?:\w+\.)?(#?\w+) \(.*\/public-api\/(.*\.ts):/g)]
    .map(([, name, file]) => `${file} ${name}`)
    .reverse();
  const fromRows = passed.slice(passed.indexOf("lists/rows.ts rows"));
  expect(fromRows.length).toBeLessThanOrEqual(8);
  const ways = steps.filter(({ indent }) => indent === "").map(({ file, name }) => `${file} ${name}`);
  expect(fromRows).toEqual(
    ways.slice(ways.indexOf("lists/rows.ts rows"), ways.indexOf("database/data_api.ts callDatabase") + 1),
  );
  expect(passed.slice(0, 2)).toEqual(["app.ts respond", "app.ts serve"]);
});

test("each function that the page names is in its file", () => {
  expect(steps.length).toBeGreaterThan(20);
  const isThere = ({ file, name }: (typeof steps)[number]) =>
    new RegExp(`(^|^  |function |const |async )${name}\\b`, "m").test(read(`functions/public-api/${file}`));
  expect(steps.filter((step) => !isThere(step))).toEqual([]);
});
