// Which names an API key may have (app.check_api_key_name), with test/vectors/key_names.json.
import { expect, test } from "vitest";
import { sql } from "../support/stack.ts";
import names from "../vectors/key_names.json" with { type: "json" };

const empty = "name must be a text of 1 to 100 characters";
const hidden = "name must be a text without control characters, direction marks and invisible characters";

/** What the database says to a name. */
const answer = (name: string): Promise<string> =>
  sql`select app.check_api_key_name(${name})`.then(
    () => "good",
    ({ message }) => message,
  );

// Proves: keys.19
test.each([
  ["good", names.good],
  [empty, names.empty],
  [hidden, names.hidden],
])("%s", async (expected, some) => {
  for (const name of some) expect([name, await answer(name)]).toEqual([name, expected]);
});
