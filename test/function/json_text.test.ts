import fc from "fast-check";
import { expect, test } from "vitest";
import { JsonText, NotJson } from "../../functions/public-api/json_text.ts";

/** Whether JsonText reads the text to its end as valid JSON. */
function isJson(text: string): boolean {
  const json = new JsonText(text);
  try {
    json.value();
    json.end();
    return true;
  } catch (error) {
    if (error instanceof NotJson) return false;
    throw error;
  }
}

function isParsed(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const token = fc.constantFrom(
  ...[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"a"',
    '"\\n"',
    '"\\u00e9"',
    '"\\u00g9"',
    '"\\x"',
    '"',
    "\\",
    "\n",
    "\u0000",
    " ",
    "\u00a0",
  ],
  ...["true", "false", "null", "nul", "0", "-0", "01", "-", "1.5", "1.", ".5", "1e5", "1E-5", "1e", "é", "🎉"],
);

// Proves: requests.7
test("a text passes exactly when JSON.parse takes it", () => {
  const texts = fc.oneof(
    fc.array(token, { maxLength: 12 }).map((tokens) => tokens.join("")),
    fc.json(),
    fc
      .tuple(fc.json(), fc.nat(), token)
      .map(([json, at, odd]) => json.slice(0, at % json.length) + odd + json.slice(at % json.length)),
    fc.tuple(fc.json(), fc.nat()).map(([json, at]) => json.slice(0, at % (json.length + 1))),
  );
  const property = fc.property(texts, (text) => isJson(text) === isParsed(text));
  fc.assert(property, { numRuns: 20_000 });
});

test("a value is passed over from its first to its last character", () => {
  for (const value of ['{"a":[1,{"b":"]}"}]}', "[]", '"\\""', "-1.5e+3", "null"]) {
    const json = new JsonText(` ${value} ,`);
    expect([json.value(), json.at]).toEqual([1, 1 + value.length]);
  }
});
