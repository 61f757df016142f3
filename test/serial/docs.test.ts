// The examples of README.md, docs/api.md and docs/openapi.json are what the running stack answers. Each curl command is
// run, in the order of the page, with the key of the first demo company. `npm run generate -- --examples` writes the outputs.
import { afterAll, expect, test } from "vitest";
import { collectExamples } from "../../scripts/generate/openapi/examples.ts";
import { asBlock, pages, readExamples, removeImports, runWithCurl } from "../../scripts/generate/outputs.ts";
import { checkedFetch } from "../support/contract.ts";
import { read } from "../support/pages.ts";
import { first, sql, stack } from "../support/stack.ts";

const examples = await readExamples();

const rewards = () => sql`select *, xmin::text from app.rewards where company_id = ${first.id} order by id`;
await removeImports(stack);
const before = await rewards();
afterAll(async () => {
  await removeImports(stack);
  expect(await rewards()).toEqual(before);
});

test("both pages have examples", () => {
  for (const page of pages) expect(examples.filter((example) => example.page === page).length).toBeGreaterThan(1);
});

test.each(examples)("$page: $command", ({ command, shown }) => {
  const output = runWithCurl(command, stack.api_url, first.key);
  expect(shown, "there is no output below it: npm run generate -- --examples").not.toBeNull();
  expect(asBlock(output)).toBe(shown);
});

test("the examples of docs/openapi.json are what the running stack answers", async () => {
  await removeImports(stack);
  const collected = await collectExamples(stack, (path, init) => checkedFetch(stack.api_url, path, init));
  expect(collected).toEqual(JSON.parse(read("scripts/generate/openapi/examples.json")));
});
