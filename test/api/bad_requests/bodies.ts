// The body of an import as a whole (docs/api.md, Import and Errors).
import { gzipSync } from "node:zlib";
import { type BadRequests, post } from "./bad_request.ts";

const invalid = "body must be valid JSON";
const empty = "body must not be empty";
const shape = 'body must be a reward, an array of rewards or { "rewards": [ … ] }';
const row = '{"external_id": "bad", "name": "Bad", "points_cost": 1}';

const bytes = (...parts: (string | number[])[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))));

/** A row whose name consists of these bytes. */
const named = (name: number[]) => bytes('{"external_id": "bad", "name": "', name, '", "points_cost": 1}');

export const bodies: BadRequests = {
  "a body that is not JSON is refused": [
    " ",
    "\r\n",
    "{",
    "[",
    row.slice(0, -1),
    `${row},`,
    `${row}${row}`,
    `${row}\n${row}`,
    `[${row},]`,
    row.replace("1}", "1,}"),
    row.replaceAll('"', "'"),
    row.replace('"name"', "name"),
    row.replace("1}", "01}"),
    row.replace("1}", "+1}"),
    row.replace("1}", ".5}"),
    row.replace("1}", "0x10}"),
    row.replace("1}", "NaN}"),
    row.replace("1}", "Infinity}"),
    row.replace("1}", "undefined}"),
    row.replace("Bad", "B\nad"),
    row.replace("Bad", "B\tad"),
    row.replace("Bad", "B\\xad"),
    row.replace("Bad", "B\\u12"),
    `// comment\n${row}`,
    "external_id=bad&name=Bad&points_cost=1",
    "external_id,name,points_cost\r\nbad,Bad,1\r\n",
    "<reward/>",
    "[".repeat(100_000),
    '{"rewards":'.repeat(10_000),
    `\ufeff${row}`,
  ].map((body) => post(body, invalid)),

  "a body that is not UTF-8 is refused": [
    post(named([0xe4]), invalid),
    post(named([0xff]), invalid),
    post(named([0xc0, 0xaf]), invalid),
    post(named([0xe0, 0x80, 0xaf]), invalid),
    post(named([0xed, 0xa0, 0x80]), invalid),
    post(named([0xf4, 0x90, 0x80, 0x80]), invalid),
    post(named([0xe2, 0x82]), invalid),
    post(bytes(row, [0xe2]), invalid),
    post(Buffer.from(row, "utf16le"), invalid),
    post(bytes([0xff, 0xfe], row), invalid),
    post(gzipSync(row), invalid),
    { ...post(gzipSync(row), invalid), headers: { "Content-Encoding": "gzip" } },
  ],

  "an empty body is refused: no bytes, no rewards": [
    post("", empty),
    { ...post("", empty), headers: { "Content-Type": "application/json" } },
    post("[]", empty),
    post(" [ ] ", empty),
    post('{"rewards": []}', empty),
    post('{"\\u0072ewards": []}', empty),
  ],

  "a body that is neither a reward, nor an array, nor an object with rewards alone is refused": [
    "null",
    "true",
    "1",
    "1e400",
    '"text"',
    '"[]"',
    '{"rewards": null}',
    '{"rewards": {}}',
    `{"rewards": ${row}}`,
    '{"rewards": "[]"}',
    '{"rewards": 5}',
    `{"rewards": [${row}], "dry_run": true}`,
    `{"rewards": [${row}], "rewards": []}`,
    `{"rewards": [], "\\u0072ewards": [${row}]}`,
    '{"rewards": [], "external_id": "bad", "name": "Bad", "points_cost": 1}',
  ].map((body) => post(body, shape)),

  "more than 500 rewards are refused": [
    post(`[${Array(501).fill(row)}]`, "body must hold at most 500 rewards"),
    post(`{"rewards": [${Array(501).fill("null")}]}`, "body must hold at most 500 rewards"),
    post(`[${Array(200_000).fill("{}")}]`, "body must hold at most 500 rewards"),
  ],

  "a body of more than 8 MiB is refused": [
    post(" ".repeat(8 * 1024 * 1024 + 1), "body must be at most 8 MiB and 500 rewards"),
  ],
};
