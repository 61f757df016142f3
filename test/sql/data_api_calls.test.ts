// The statements of the local Data API are those that PostgREST 16.2 sent (test/recorded), for each function that the
// recording calls: the transaction, the settings, and the call, which PostgREST makes from the catalog.
import { expect, test } from "vitest";
import { applying, beginning, calling, functionsQuery } from "../../scripts/stack/data_api/statements.ts";
import { read } from "../support/pages.ts";
import { sql } from "../support/stack.ts";

const functions = await sql.unsafe<Parameters<typeof calling>[0][]>(functionsQuery);

test("these are the statements that were recorded", async () => {
  const recorded = read("test/recorded/postgrest-16.2-statements.txt").split("\n");
  const texts = recorded.flatMap((line) => /^LOG: {2}execute \d+: (.*)$/.exec(line)?.[1] ?? []);
  const bodies = recorded.flatMap((line) => /\$1 = '(\{.*\})'$/.exec(line)?.[1] ?? []);
  const ofRequest = ["jwt.claims", "method", "path", "headers", "cookies"].map((one) => `request.${one}`);
  const names = ["search_path", "role", ...ofRequest];
  const settings = Object.fromEntries(names.map((name) => [name, ""])) as Parameters<typeof applying>[1];
  let next = 0;
  for (const [place, text] of texts.entries()) {
    const [, name = ""] = /"public"\."(\w+)"\(/.exec(text) ?? [];
    const one = functions.find((each) => each.name === name);
    if (!one) continue;
    const args = text.includes("pgrst_payload") ? JSON.parse(bodies[next++] ?? "{}") : {};
    expect(calling(one, new Set(Object.keys(args)))).toBe(text);
    expect([beginning(one), applying(one, settings)[0]]).toEqual(texts.slice(place - 2, place));
  }
  expect(next).toBe(8);
});
