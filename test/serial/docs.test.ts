// The examples of README.md and docs/api.md. Every curl command is run, in the order of the page, with the key of the
// first demo company. It must print the output that the page shows below it. `npm run generate -- --examples` writes these outputs.
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  asBlock,
  pages,
  readExamples,
  removeImports,
  runWithCurl,
  runWithFetch,
} from "../../scripts/generate/outputs.ts";
import { checkedFetch } from "../support/contract.ts";
import { first, sql, stack } from "../support/stack.ts";

const examples = await readExamples();

const rewards = () => sql`select *, xmin::text from app.rewards where company_id = ${first.id} order by id`;
let before: unknown;
beforeAll(async () => {
  await removeImports(stack);
  before = await rewards();
});
afterAll(async () => {
  await removeImports(stack);
  expect(await rewards()).toEqual(before);
});

test("both pages have examples", () => {
  for (const page of pages) expect(examples.filter((example) => example.page === page).length).toBeGreaterThan(1);
});

for (const { page, command, shown } of examples) {
  test(`${page}: ${command.replace(/\s+/g, " ").trim()}`, async () => {
    const output = runWithCurl(command, stack.api_url, first.key);
    expect(shown, "there is no output below it: npm run generate -- --examples").not.toBeNull();
    expect(asBlock(output)).toBe(shown);
  });
}

test("the examples do the same without curl, and the answers fit docs/openapi.json", async () => {
  await removeImports(stack);
  for (const { command, shown } of examples) {
    const output = await runWithFetch(command, stack.api_url, first.key, (url, init) =>
      checkedFetch(stack.api_url, url.slice(stack.api_url.length), init),
    );
    expect(asBlock(output)).toBe(shown);
  }
});
