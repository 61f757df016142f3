// docs/openapi.json against the running stack. Every answer to a test is checked against it (test/support/contract.ts),
// as npm run verify checks those of a deployment (test/operating/verify.test.ts shows that a wrong one is found);
// test/serial/docs.test.ts compares its examples, test/repository/versioning.test.ts the released document.
import { expect, test } from "vitest";
import document from "../../docs/openapi.json" with { type: "json" };
import { longest, makeExtremes } from "../support/extreme_rows.ts";
import { call, list } from "../support/stack.ts";

type Parameter = { name: string; schema?: { items?: { enum?: string[] } } };
type Operation = { responses: { 200: { content: Record<string, object> } }; parameters?: Parameter[] };

// The most extreme rows that the database accepts have the types, nulls, formats, patterns and bounds of the document.
const { id, makeKey, remove } = await makeExtremes();
const { api_key: key } = await makeKey();

const lists = Object.entries<{ get?: Operation }>(document.paths as never).flatMap(([path, { get }]) =>
  get?.responses[200].content["text/csv"] ? [{ path, parameters: get.parameters ?? [] }] : [],
);

test.for(lists)("the most extreme rows of $path are what the document says", async ({ path, parameters }) => {
  const names = parameters.find(({ name }) => name === "include")?.schema?.items?.enum ?? [];
  const ofQuestion = parameters.find(({ name }) => name === "by")?.schema?.items?.enum?.slice(-2);
  const query = new URLSearchParams({
    ...(ofQuestion ? { since: "9999-01-01", until: "9999-12-31", by: ofQuestion.join() } : { limit: "1000" }),
    ...(names.length > 0 && { include: names.join() }),
    ...(parameters.some(({ name }) => name === "include_archived") && { include_archived: "true" }),
  });
  expect((await list(`${path}?${query}`, key)).length).toBeGreaterThan(ofQuestion ? 0 : 1);
});

test("the check of a key with the longest names is what the document says", async () => {
  const answer = await (await call("/", key)).json();
  expect(answer).toMatchObject({ company_name: longest(91), company_id: id });
  await remove();
});
