// Bodies of imports of 8 MiB: the largest import that makes sense, and the most expensive bodies that are known.
const bytes = 8 * 1024 * 1024;

/** Repeats a piece of ASCII as often as it fits between a beginning and an end. */
function filled(piece: (index: number) => string, begin = "", end = ""): string {
  let text = begin;
  for (let index = 0; ; index++) {
    const next = piece(index);
    if (text.length + next.length + end.length > bytes) return text + end;
    text += next;
  }
}

const nested = (open: string, close: string, middle = ""): string => {
  const depth = Math.floor((bytes - middle.length) / (open.length + close.length));
  return open.repeat(depth) + middle + close.repeat(depth);
};

const row = '"external_id":"a","name":"b","points_cost":1';

/** 500 rewards with these fields. */
const rewards = (fields: (index: number) => object): string =>
  JSON.stringify(
    Array.from({ length: 500 }, (_, index) => ({
      external_id: `${index}`,
      name: "n",
      points_cost: 1,
      ...fields(index),
    })),
  );

/** 500 rewards with every text at its maximum length. Each character takes six bytes, as Python escapes what is not ASCII. */
export const largestImport = rewards((index) => ({
  external_id: `${index}`.padStart(255, "賞"),
  name: "賞".repeat(255),
  description: "賞".repeat(2000),
  points_cost: Number.MAX_SAFE_INTEGER,
  reward_type: "賞".repeat(50),
})).replaceAll("賞", "\\u8cde");

export const worstBodies: Record<string, string> = {
  "one field over and over in each row": filled(() => '{"0":0,"1":0},', "[", "{}]"),
  "empty rows": filled(() => "{},", "[", "{}]"),
  "rows that are numbers": filled(() => "1,", "[", "1]"),
  "nested arrays": nested("[", "]"),
  "nested arrays in a field": `{"a":${nested("[", "]").slice(5, -5)}}`,
  "nested objects": nested('{"a":', "}", "1"),
  "nested arrays that never end": "[".repeat(bytes),
  "nested rows of rows": nested('[{"a":', "}]", "1"),
  "one row of different unknown fields": filled((index) => `"k${index}":1,`, "{", `${row}}`),
  "one row of unknown fields with escapes": filled((index) => `"\\u006b${index}":1,`, "{", `${row}}`),
  "one row of one known field": filled(() => '"name":1,', "{", `${row}}`),
  "one row of one known field with escapes": filled(() => '"n\\u0061me":1,', "{", `${row}}`),
  "one row of rewards": filled(() => '"rewards":1,', "{", `${row}}`),
  "500 rows of unknown fields": filled(
    (index) => `{${Array.from({ length: 1150 }, (_, field) => `"${index}-${field}":1`).join()}},`,
    "[",
    "{}]",
  ),
  "500 rows of nested fields": filled(() => `{"name":${"[".repeat(8000)}${"]".repeat(8000)}},`, "[", "{}]"),
  "a name of 8 MiB": `{"${"x".repeat(bytes - 6)}":1}`,
  "a name of escapes": `{"${"\\u0061".repeat(bytes / 6 - 2)}":1}`,
  "a text of 8 MiB": `{"name":"${"x".repeat(bytes - 12)}"}`,
  "a text of escapes": `{"name":"${"\\n".repeat(bytes / 2 - 8)}"}`,
  "a text of escaped surrogates": `{"name":"${"\\ud83c".repeat(bytes / 6 - 8)}"}`,
  "a text of emoji": `{"name":"${"🎉".repeat(bytes / 4 - 8)}"}`,
  "a number of 8 MiB": `{"points_cost":${"9".repeat(bytes - 20)}}`,
  "a fraction of 8 MiB": `{"points_cost":0.${"9".repeat(bytes - 20)}}`,
  "white space": `${" ".repeat(bytes - 2)}{}`,
  "white space between rows": filled(() => `{${" ".repeat(16_000)}},`, "[", "{}]"),
  quotes: '"'.repeat(bytes),
  "backslashes in a text": `"${"\\\\".repeat(bytes / 2 - 2)}"`,
  "no JSON behind 500 rows": filled(() => "{},", "[", "}]"),
  "500 rows of texts one character too long": rewards(() => ({ description: "🎉".repeat(2001) })),
  "500 rows of lone surrogates": rewards(() => ({ description: "\ud800".repeat(1999) })),
};
