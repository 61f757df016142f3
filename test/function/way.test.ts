// The way of a request through the function, as docs/making/one-request.md draws it for maintainers.
import { expect, test } from "vitest";
import { read } from "../support/pages.ts";

/** The steps of the page: file and function. */
const [, drawn = ""] = read("docs/making/one-request.md").split("```");
const steps = [...drawn.matchAll(/^ *(\S+\.ts) +(\S+)/gm)].map(([, file, name]) => ({ file, name }));

test("each function that the page names is in its file", () => {
  expect(steps.length).toBeGreaterThan(20);
  const isThere = ({ file, name }: (typeof steps)[number]) =>
    new RegExp(`(^|^  |function |const |async )${name}\\b`, "m").test(read(`functions/public-api/${file}`));
  expect(steps.filter((step) => !isThere(step))).toEqual([]);
});
