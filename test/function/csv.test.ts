// Lists as CSV: the converter writes byte for byte what papaparse writes of the same rows, wherever the page is cut; a
// page is converted at once when it has a known and ordinary length, otherwise as it comes.
import fc from "fast-check";
import Papa from "papaparse";
import { expect, test } from "vitest";
import { CsvConverter } from "../../functions/public-api/lists/csv.ts";
import type { Column } from "../../functions/public-api/table/types.ts";
import { count, tried } from "../support/counts.ts";
import { list, startService, type Upstream, withLength } from "../support/service.ts";

const service = await startService();
const columns: Column[] = (["uuid", "text", "integer", "json", "boolean", "text"] as const).map((type, index) => ({
  name: `${type}_${index}`,
  type,
  description: "",
}));

/** What CSV and JSON treat in a special way, characters of every length in UTF-8, halves of surrogate pairs. */
const parts = [
  ...Array.from("\",;\t\r\n\b\0+-@' \\/a\ufeff\u2028\uffffé日😀\ud83d"),
  ...["\ude00", "ï»¿", "=1", "null", "Thank you for staying late"],
];

/** A value as JSON, and what papaparse gets: null, the text of a string, the JSON of anything else. */
type Value = { json: string; cell: string | null; isText?: true };

/** A text in which a character is as it is, after a backslash or in code units, as far as JSON allows. */
const text: fc.Arbitrary<Value> = fc
  .array(fc.tuple(fc.constantFrom(...parts), fc.nat({ max: 3 })), { maxLength: 4 })
  .map((pieces) => {
    const units = (part: string) =>
      part.replace(/./gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
    const json = pieces.map(([part, way]) =>
      way === 0 ? units(part) : JSON.stringify(part).slice(1, -1).replace("/", "\\/"),
    );
    return { json: `"${json.join("")}"`, cell: pieces.map(([part]) => part).join(""), isText: true };
  });
const exactly = (json: string): Value => ({ json, cell: json });
const word = fc.constantFrom("0", "-5", "1.10", "1e400", "-0.0", "12345678901234567890", "true", "false").map(exactly);
const { any } = fc.letrec<{ any: Value }>((tie) => ({
  any: fc.oneof(
    { depthSize: "small" },
    fc.constant({ json: "null", cell: null }),
    text,
    word,
    fc.constantFrom("[]", "{}", "[[[1]]]", "[1,[2.50,3]]").map(exactly),
    fc.tuple(text, tie("any")).map(([one, other]) => exactly(`[${one.json},${other.json},null]`)),
    fc.tuple(text, tie("any")).map(([one, other]) => exactly(`{${one.json}:{${one.json}:[${other.json}]}}`)),
  ),
}));

/** A row, perhaps with fields that are not columns. */
const row = fc
  .record({ values: fc.tuple(text, word, any, word, any), more: any, at: fc.nat({ max: 14 }) })
  .map(({ values, more, at }) => {
    const all: Value[] = [{ json: '"=1"', cell: "=1" }, ...values];
    const fields = all.map(({ json }, index) => `"${columns[index]?.name}":${json}`);
    if (at < 7) fields.splice(at, 0, `"uuid":${more.json}`, `"a\\"b":${more.json}`);
    return { json: `{${fields.join(",")}}`, values: all };
  });

/** The bytes that papaparse writes of these rows. */
function expected(rows: { values: Value[] }[], escapeFormulas: boolean): Buffer {
  const cells = ({ cell, isText }: Value) =>
    escapeFormulas && isText && /^[=+\-@\t\r]/.test(`${cell}`) ? `'${cell}` : cell;
  const data = rows.map(({ values }) => values.map(cells));
  const csv = Papa.unparse({ fields: columns.map(({ name }) => name), data });
  return Buffer.from(rows.length > 0 ? `${csv}\r\n` : csv);
}

/** The CSV of a page that comes in these chunks. */
function convert(chunks: Uint8Array[], escapeFormulas: boolean): Buffer {
  const converter = new CsvConverter(columns, escapeFormulas);
  const csv = chunks.map((chunk) => converter.convert(chunk));
  return Buffer.concat([...csv, converter.end()]);
}

// Proves: requests.43
test("any page, cut anywhere, is byte for byte what papaparse writes; with escape_formulas only texts are changed", () => {
  const numRuns = count(1000, 20_000);
  const rows = fc.array(row, { maxLength: 3 });
  // Wherever JSON allows white space.
  const space = fc.infiniteStream(fc.constantFrom("", "", " ", "\n", " \r\n\t"));
  const cuts = fc.infiniteStream(fc.nat());
  const property = fc.property(rows, fc.boolean(), space, cuts, (rows, escapeFormulas, space, cuts) => {
    const compact = `[${rows.map(({ json }) => json).join(",")}]`;
    const tokens = /"(?:[^"\\]|\\.)*"|[^\s"[\]{},:]+|[[\]{},:]/g;
    const spaced = compact.replace(tokens, (token) => space.next().value + token + space.next().value);
    const csv = expected(rows, escapeFormulas);
    for (const page of [compact, spaced].map((json) => Buffer.from(json))) {
      const bytes = Array.from(page, (byte) => Uint8Array.of(byte));
      expect(convert([page], escapeFormulas).toString()).toBe(csv.toString());
      expect(convert(bytes, escapeFormulas).equals(csv), page.toString()).toBe(true);
      for (let count = 0; count < 20; count++) {
        const cut = (cuts.next().value ?? 0) % (page.length + 1);
        const halves = [page.subarray(0, cut), page.subarray(cut)];
        if (!convert(halves, escapeFormulas).equals(csv)) expect([cut, page.toString()]).toEqual([]);
      }
    }
  });
  fc.assert(property, { numRuns });
  tried(`CSV: ${numRuns} random pages, cut at any position, compared with papaparse`);
});

test("a row that comes in many pieces is not read again with each of them", () => {
  for (const value of [`"${"x".repeat(4 << 20)}"`, `[${'"\\n",\n'.repeat(1 << 20)}1]`]) {
    const page = Buffer.from(`[{"json":${value}}]`);
    const pieces = Array.from({ length: page.length / 1000 + 1 }, (_, at) => page.subarray(1000 * at, 1000 * (at + 1)));
    const column: Column = { name: "json", type: "json", description: "" };
    const time = (chunks: Buffer[]) => {
      const [before, converter] = [process.cpuUsage(), new CsvConverter([column], false)];
      for (const chunk of chunks) converter.convert(chunk);
      converter.end();
      // The system counts in ticks of some milliseconds, which a page in one piece may end within.
      return Math.max(process.cpuUsage(before).user, 1000);
    };
    time([page]);
    expect(time(pieces)).toBeLessThan(500 * time([page])); // Read again with each, it would be thousands of times.
  }
});

const oneRow = '{"uuid_0":"1","text_1":"a","integer_2":1,"json_3":[1,"]"],"boolean_4":true,"text_5":null}';

test("a page that is cut off anywhere is an error, never a shorter file", () => {
  const page = Buffer.from(`[${oneRow}, \n ${oneRow}]`);
  for (let length = 0; length < page.length; length++)
    expect(() => convert([page.subarray(0, length)], false), String(length)).toThrow();
});

test("a field of an object is not taken for a column, wherever the page is cut", () => {
  const page = Buffer.from(`[${oneRow.replace('[1,"]"]', '{"json_3":"a","b":1}')}]`);
  const whole = convert([page], false).toString();
  expect(whole).toContain('"{""json_3"":""a"",""b"":1}"');
  for (let cut = 1; cut < page.length; cut++)
    expect(convert([page.subarray(0, cut), page.subarray(cut)], false).toString()).toBe(whole);
});

test.each([
  ["something other than an array of rows", `{"rows":[${oneRow}]}`],
  ["something behind the array", `[${oneRow}]x`],
  ["a row without one of the columns", `[${oneRow.replace('"integer_2":1,', "")}]`],
  ["another field in place of a column", `[${oneRow.replace("json_3", "json_4")}]`],
  ["columns in another order", `[${oneRow.replace("text_1", "integer_2").replace('integer_2":1', 'text_1":1')}]`],
  ["a field without a value", `[${oneRow.replace(":1,", ":,")}]`],
  ["a wrong escape", `[${oneRow.replace('"a"', '"\\x"')}]`],
  ["a row without a comma before it", `[${oneRow}${oneRow}]`],
  ["a field without a comma before it", `[${oneRow.replace(',"integer', '"integer')}]`],
  ["a last field without a comma before it", `[${oneRow.replace('5":null', '5":null"new":1')}]`],
  ["a comma without a row", `[,${oneRow}]`],
  ["two commas", `[${oneRow},,${oneRow}]`],
  ["a comma at the end", `[${oneRow},]`],
  ["an empty row", "[{}]"],
  ["a line break within a text", `[${oneRow.replace('"a"', '"\n"')}]`],
])("%s is an error", (_what, page) => {
  expect(() => convert([Buffer.from(page)], false)).toThrow();
});

const team = { id: "0a1b2c3d-4e5f-6a7b-8c9d-0e1f2a3b4c5d", name: "=1", created_at: "2026-11-21T10:15:30.123456Z" };

test.each([
  ["nested 100,000 levels deep", "[".repeat(100_000) + "]".repeat(100_000)],
  ["of objects 100,000 levels deep", `${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`],
  ["with 131,072 digits", `1${"0".repeat(131_071)}`],
  ["with such a number inside", `{"a":[1${"0".repeat(131_071)}]}`],
])("the value of a pulse answer %s is answered as it is", async (_what, value) => {
  const page = `[{"id":1,"timestamp":1,"question":1,"response_type":1,"value":${value},"comment":1}]`;
  service.answer("list_pulse_responses", list(page));
  expect(await (await service.send("/pulse-responses")).text()).toBe(page);
  const csv = await (await service.send("/pulse-responses?format=csv")).text();
  expect(Papa.parse<string[]>(csv).data[1]?.[4]).toBe(value);
});

const manyMegabytes = Array.from({ length: 1000 }, (_, index) => ({
  ...team,
  name: `${index} ${'a "quoted" }, ]{ [\\ "\n😀,'.repeat(100)}`,
}));
/** Text as PostgreSQL's json_agg prints it. */
const printed = (rows: object[]) => list(`[${rows.map((one) => JSON.stringify(one)).join(", \n ")}]`);

/** The lengths of the pieces of the file of teams, and the whole file as one text. */
async function pieces(answer: Upstream): Promise<{ lengths: number[]; text: string }> {
  service.answer("list_teams", answer);
  const { body } = await service.send("/teams?format=csv");
  const all = await Array.fromAsync(body as unknown as AsyncIterable<Uint8Array>);
  return { lengths: all.map(({ length }) => length), text: Buffer.concat(all).toString() };
}

test("a page of 1,000 ordinary rows, whose length is known, is converted at once, and sent in pieces", async () => {
  const rows = Array.from({ length: 1000 }, () => ({ ...team, name: "A team like many others, ".repeat(12) }));
  const { lengths, text } = await pieces(withLength(printed(rows)));
  expect(new Set(lengths.slice(0, -1))).toEqual(new Set([64 * 1024]));
  expect(text.split("\r\n")).toHaveLength(1002);
});

test.each([
  ["of unknown length", printed(manyMegabytes)],
  ["whose length is known", withLength(printed(manyMegabytes))],
])("a page of many megabytes %s is written in parts, none of which is large", async (_what, answer) => {
  const { lengths, text } = await pieces(answer);
  expect(lengths.length).toBeGreaterThan(5);
  expect(Math.max(...lengths)).toBeLessThan(512 * 1024);
  expect(Papa.parse(text, { header: true, skipEmptyLines: true }).data).toEqual(manyMegabytes);
});

test("changes end with the columns cursor and deleted", async () => {
  const text = await (await service.send("/teams/changes?format=csv")).text();
  expect(text.trimEnd().split(",").slice(-2)).toEqual(["cursor", "deleted"]);
});
