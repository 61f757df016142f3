// The converter from JSON to CSV: papaparse writes the same rows, and every byte must be the same, wherever the JSON is
// cut into chunks.
import fc from "fast-check";
import Papa from "papaparse";
import { expect, test } from "vitest";
import { CsvConverter } from "../../functions/public-api/csv_converter.ts";
import type { Column } from "../../functions/public-api/endpoint_types.ts";
import { count, tried } from "../support/counts.ts";

const columns: Column[] = (["uuid", "text", "integer", "json", "boolean", "text"] as const).map((type, index) => ({
  name: `${type}_${index}`,
  type,
  description: "",
}));

/** What CSV and JSON treat in a special way, characters of every length in UTF-8, halves of surrogate pairs. */
const parts = [
  '"',
  ",",
  ";",
  "\t",
  "\r",
  "\n",
  "\b",
  "\0",
  "=1",
  "+",
  "-",
  "@",
  "'",
  " ",
  "\\",
  "/",
  "a",
  "null",
].concat(["\ufeff", "\u2028", "\uffff", "ï»¿", "é", "日", "😀", "\ud83d", "\ude00", "Thank you for staying late"]);
const words = ["0", "-5", "1.10", "1e400", "-0.0", "12345678901234567890", "true", "false"];

/** A value as JSON, and what papaparse gets: null, the text of a string, the JSON of anything else. */
type Value = { json: string; cell: string | null; isText?: true };

/** Makes random values. `choose` returns a number below `ways`. */
class Values {
  readonly choose: (ways: number) => number;

  constructor(choose: (ways: number) => number) {
    this.choose = choose;
  }

  /** A string, each character as it is, after a backslash or as code units, as far as JSON allows. */
  text(): Value {
    const cell = Array.from({ length: this.choose(5) }, () => parts[this.choose(parts.length)]).join("");
    const json = Array.from(cell, (character) => {
      const units = character.split("").map((half) => `\\u${half.charCodeAt(0).toString(16).padStart(4, "0")}`);
      return this.choose(4) === 0 ? units.join("") : JSON.stringify(character).slice(1, -1).replace("/", "\\/");
    });
    return { json: `"${json.join("")}"`, cell, isText: true };
  }

  word(): Value {
    const word = words[this.choose(words.length)] ?? "";
    return { json: word, cell: word };
  }

  any(): Value {
    const kind = this.choose(6);
    if (kind === 0) return { json: "null", cell: null };
    if (kind === 1) return this.text();
    if (kind === 2) return this.word();
    const [a, b] = [this.text().json, this.any().json];
    const json =
      [`[${a},${b},null]`, `{${a}:{${a}:[${b}]}}`, ["[]", "{}", "[[[1]]]"][this.choose(3)] ?? ""][kind - 3] ?? "";
    return { json, cell: json };
  }

  /** JSON with white space wherever JSON allows it. */
  spaced(json: string): string {
    const space = () => ["", "", " ", "\n", " \r\n\t"][this.choose(5)];
    return json.replace(/"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{},:]/g, (token) => `${space()}${token}${space()}`);
  }

  /** A row, perhaps with fields that are not columns. */
  row(): { json: string; values: Value[] } {
    const [id, name]: Value[] = [{ json: '"=1"', cell: "=1" }, this.text()];
    const values = [id as Value, name as Value, this.word(), this.any(), this.word(), this.any()];
    const fields = values.map(({ json }, index) => `"${columns[index]?.name}":${json}`);
    if (this.choose(2) === 0)
      fields.splice(this.choose(7), 0, `"uuid":${this.any().json}`, `"a\\"b":${this.any().json}`);
    return { json: `{${fields.join(",")}}`, values };
  }
}

/** The bytes that papaparse writes of these rows. */
function expected(rows: { values: Value[] }[], escapeFormulas: boolean): Buffer {
  const cells = ({ cell, isText }: Value) =>
    escapeFormulas && isText && /^[=+\-@\t\r]/.test(`${cell}`) ? `'${cell}` : cell;
  const csv = Papa.unparse({
    fields: columns.map(({ name }) => name),
    data: rows.map(({ values }) => values.map(cells)),
  });
  return Buffer.from(rows.length > 0 ? `${csv}\r\n` : csv);
}

/** The CSV of a page that comes in these chunks. */
function convert(chunks: Uint8Array[], escapeFormulas: boolean): Buffer {
  const converter = new CsvConverter(columns, escapeFormulas);
  const csv = chunks.map((chunk) => converter.convert(chunk));
  converter.end();
  return Buffer.concat(csv);
}

test("any page, cut anywhere, is byte for byte what papaparse writes", () => {
  const runs = count(150, 3000);
  fc.assert(
    fc.property(fc.gen(), fc.integer({ max: 3, min: 0 }), fc.boolean(), (generate, length, escapeFormulas) => {
      const values = new Values((ways) => generate(fc.nat, { max: ways - 1 }));
      const rows = Array.from({ length }, () => values.row());
      const page = Buffer.from(values.spaced(`[${rows.map(({ json }) => json).join(",")}]`));
      const csv = expected(rows, escapeFormulas);
      expect(convert([page], escapeFormulas)).toEqual(csv);
      expect(
        convert(
          Array.from(page, (byte) => Uint8Array.of(byte)),
          escapeFormulas,
        ),
      ).toEqual(csv);
      for (let cut = 0; cut <= page.length; cut++)
        if (!convert([page.subarray(0, cut), page.subarray(cut)], escapeFormulas).equals(csv))
          expect([cut, page.toString()]).toEqual([]);
    }),
    { numRuns: runs },
  );
  tried(`CSV: ${runs} random pages, each cut at every position, compared with papaparse`);
});

const row = '{"uuid_0":"1","text_1":"a","integer_2":1,"json_3":[1,"]"],"boolean_4":true,"text_5":null}';

test("a page that is cut off anywhere is an error, never a shorter file", () => {
  const page = Buffer.from(`[${row}, \n ${row}]`);
  for (let length = 0; length < page.length; length++)
    expect(() => convert([page.subarray(0, length)], false), String(length)).toThrow();
});

test.each([
  ["something other than an array of rows", `{"rows":[${row}]}`],
  ["something behind the array", `[${row}]x`],
  ["a row without one of the columns", `[${row.replace('"integer_2":1,', "")}]`],
  ["columns in another order", `[${row.replace("text_1", "integer_2").replace('integer_2":1', 'text_1":1')}]`],
  ["a field without a value", `[${row.replace(":1,", ":,")}]`],
  ["a wrong escape", `[${row.replace('"a"', '"\\x"')}]`],
  ["a line break within a text", `[${row.replace('"a"', '"\n"')}]`],
])("%s is an error", (_what, page) => {
  expect(() => convert([Buffer.from(page)], false)).toThrow();
});
