// Which names an API key may have (app.check_api_key_name), with test/vectors/key_names.json.
import { describe, expect, test } from "vitest";
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

describe.each([
  ["good", names.good],
  [empty, names.empty],
  [hidden, names.hidden],
])("%s", (expected, some) => {
  // Proves: keys.19
  test.each(some.map((name) => [JSON.stringify(name), name]))("%s", async (_shown, name) => {
    expect(await answer(name)).toBe(expected);
  });
});

test("of the characters that Unicode calls ignorable, a name may have joiners and the two selectors of emoji only", async () => {
  const ignorable: number[] = [];
  const beside: number[] = [];
  for (let code = 0xa1; code <= 0x10ffff; code += 1) {
    if (/\p{Default_Ignorable_Code_Point}/u.test(String.fromCodePoint(code))) ignorable.push(code);
    else if (/\p{L}/u.test(String.fromCodePoint(code)) && code % 101 === 0) beside.push(code);
  }
  const accepted = async (codes: number[]) => {
    const found: string[] = [];
    for (const code of codes) {
      if ((await answer(`a${String.fromCodePoint(code)}b`)) === "good") found.push(code.toString(16));
    }
    return found;
  };
  expect(await accepted(ignorable)).toEqual(["200c", "200d", "fe0e", "fe0f"]);
  expect(await accepted(beside)).toHaveLength(beside.length);
});
