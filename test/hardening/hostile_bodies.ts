// Bodies of imports that nobody sends by mistake: they look for weaknesses.
import fc from "fast-check";
import { long, text } from "./hostile_texts.ts";

/** JSON numbers as text, because JSON.stringify would never write some of them. */
const number = fc.constantFrom(
  "0",
  "-0",
  "1",
  "1.5",
  "-1",
  "1e400",
  "-1e400",
  "1e-400",
  "9007199254740991",
  "9007199254740992",
  "9007199254740993.5",
  "1E3",
  "00",
  "1.",
  ".5",
);
const string = fc.oneof(
  text.map((value) => JSON.stringify(value)),
  fc.constantFrom(
    '"\\ud800"',
    '"\\u0000"',
    '"\\x"',
    '"a\nb"',
    '"',
    "'a'",
    `"${"é".repeat(255)}"`,
    `"${"🎉".repeat(255)}"`,
    `"${"🎉".repeat(256)}"`,
    `"${long(2000)}"`,
    `"${long(2001)}"`,
  ),
);
const deep = fc
  .constantFrom(10, 1000, 100_000)
  .chain((depth) =>
    fc.constantFrom(
      "[".repeat(depth) + "]".repeat(depth),
      "[".repeat(depth),
      `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
    ),
  );
const scalar = fc.oneof(
  { weight: 3, arbitrary: string },
  { weight: 2, arbitrary: number },
  { weight: 1, arbitrary: fc.constantFrom("true", "null", "{}", "[]", "") },
  { weight: 1, arbitrary: deep },
);
const field = fc
  .tuple(
    fc.oneof(
      fc.constantFrom(
        '"external_id"',
        '"name"',
        '"description"',
        '"points_cost"',
        '"reward_type"',
        '"__proto__"',
        '"constructor"',
      ),
      string,
    ),
    scalar,
  )
  .map(([name, value]) => `${name}:${value}`);
const goodRow = fc
  .tuple(fc.nat({ max: 9999 }), text, fc.nat({ max: 1000 }), fc.array(field, { maxLength: 2 }))
  .map(
    ([id, name, cost, more]) =>
      `{${[`"external_id":"h${id}"`, `"name":${JSON.stringify(name)}`, `"points_cost":${cost}`, ...more].join()}}`,
  );
const row = fc.oneof(
  { weight: 4, arbitrary: goodRow },
  { weight: 1, arbitrary: fc.array(field, { maxLength: 7 }).map((all) => `{${all.join()}}`) },
  { weight: 1, arbitrary: scalar },
);
const rows = fc.oneof(
  { weight: 8, arbitrary: fc.array(row, { maxLength: 5 }) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(499, 500, 501), fc.nat({ max: 99 }))
      .map(([length, at]) =>
        Array.from({ length }, (_, index) => `{"external_id":"m${at}-${index}","name":"n","points_cost":${index}}`),
      ),
  },
);
const json = fc.oneof(
  row,
  rows.map((all) => `[${all.join()}]`),
  rows.map((all) => `{"rewards":[${all.join()}]}`),
  fc.tuple(rows, field).map(([all, more]) => `{"rewards":[${all.join()}],${more}}`),
  scalar,
);

/** The bytes of a body: JSON, nearly JSON, cut off, or random. */
export const body: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc.oneof(
  { weight: 8, arbitrary: json.map((value) => new TextEncoder().encode(value)) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(json, fc.nat({ max: 200 }))
      .map(([value, length]) => new TextEncoder().encode(value).slice(0, length)),
  },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)) },
  { weight: 1, arbitrary: json.map((value) => new Uint8Array(Buffer.from(`\ufeff${value}`, "utf16le"))) },
);
