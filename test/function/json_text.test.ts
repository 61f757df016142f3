import fc from "fast-check";
import { test } from "vitest";
import { JsonText, NotJson } from "../../functions/public-api/json_text.ts";

/** Whether a text is read to its end. Throws what `read` throws, except that the text is not JSON. */
function accepts(read: () => void): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (error instanceof NotJson || error instanceof SyntaxError) return false;
    throw error;
  }
}

const token = fc.constantFrom(
  ...'{ } [ ] , : "a" "\\n" "\\u00e9" "\\u00g9" "\\x" " \\ true false null nul \0 \n'.split(" "),
  ...[" ", ..."0 -0 01 - 1.5 1. .5 1e5 1E-5 1e é 🎉 \u00a0".split(" ")],
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
  const property = fc.property(texts, (text) => {
    const json = new JsonText(text);
    return accepts(() => [json.value(), json.end()]) === accepts(() => JSON.parse(text));
  });
  fc.assert(property, { numRuns: 20_000 });
});
