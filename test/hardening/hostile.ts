// Requests that nobody sends by mistake: parts of the bad requests of test/support in new combinations, and random text.
import fc from "fast-check";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { badImports } from "../support/bad_imports.ts";
import { badRequests } from "../support/bad_requests.ts";

const known = Object.values(badRequests).flat();
const unique = <T>(values: T[]): T[] => [...new Set(values)];

/** Texts that may cause errors in URLs, headers, JSON, SQL, logs, dates and numbers. */
const odd = [
  ...["", " ", "0", "-1", "1e400", "9007199254740993", "NaN", "null", "undefined", "١", "%", "%00", "%c3%28", "%ud800"],
  ...["__proto__", "constructor", "toString", "length", "%0d%0aX-Injected:%201", "' or 1=1 --", "$1", "{}", "[]"],
  ...["../../etc/passwd", "<script>", "\0", "\\u0000", "\r\n\r\n", "\ud800", "\udc00", "\u202e", "\ufeff", "🎉"],
  ...["0001-01-01T00:00+23:59", "9999-12-31T23:59:59.999999999-23:59", "2026-02-30", "infinity", "x".repeat(5000)],
];
const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...odd) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 20 }),
);
const encoded = (value: string): string => (value.isWellFormed() ? encodeURIComponent(value) : "%ED%A0%80");

const listPaths = endpoints.flatMap(({ path, aliases }) => [path, ...aliases]);
const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...listPaths, "") },
  fc.constantFrom(...unique(known.map(({ path }) => path.replace(/\?.*/, "").slice(0, 100)))),
  text.map((value) => `/${encoded(value)}`),
);
const pairs = known.flatMap(({ path }) => path.match(/(?<=[?&])[^&]+/g) ?? []);
const names = endpoints.flatMap(({ parameters }) => parameters.map(({ name }) => name)).concat("key_hash", "max_rows");
const uuid = "00000000-0000-4000-8000-000000000000";
const good = ["1", "1000", "json", "csv", "true", "start", "2026-01-01", "sender_id", uuid];
const parameter = fc.oneof(
  fc.constantFrom(...pairs),
  fc
    .tuple(fc.constantFrom(...unique(names)), fc.oneof(fc.constantFrom(...good), text.map(encoded)))
    .map(([name, value]) => `${name}=${value}`),
);
/** The path and query of the first line of a request. Only printable ASCII reaches the server, which refuses quotes and the like. */
const target = fc
  .tuple(path, fc.array(parameter, { maxLength: 4 }))
  .map(([where, all]) => (all.length > 0 ? `${where}?${all.join("&")}` : where))
  .map((sent) => sent.replace(/[^\x21-\x7e]|["<>\\^`{|}#]/g, encoded));

/** Header values that can be sent: bytes without line ends. */
const headerValue = text.map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").trim());
const headerName = fc.constantFrom(
  ...["X-Request-Id", "X-Company-Id", "Accept", "Origin", "Cookie", "X-Forwarded-Host", "Range", "Prefer", "apikey"],
  ...["Content-Type", "Content-Encoding", "Accept-Encoding", "Access-Control-Request-Headers", "If-Match", "__proto__"],
);
const headers = (key: string) =>
  fc
    .record({
      credentials: fc.oneof(
        { weight: 9, arbitrary: fc.constant<Record<string, string>>({ "X-API-Key": key }) },
        fc.constant({}),
        headerValue.map((value) => ({ "X-API-Key": value })),
        fc
          .tuple(fc.constantFrom("Bearer ", "Basic ", "Digest ", ""), headerValue)
          .map(([scheme, value]) => ({ Authorization: scheme + value })),
      ),
      more: fc.dictionary(headerName, headerValue, { maxKeys: 3 }),
    })
    .map(({ credentials, more }): Record<string, string> => ({ ...more, ...credentials }));

const badBodies = unique(
  Object.values(badImports).flatMap((all) => all.map(({ body = "" }) => Buffer.from(body).toString("latin1"))),
).filter((body) => body.length < 10_000);
const field = fc
  .tuple(
    fc.constantFrom("external_id", "name", "description", "points_cost", "reward_type", "__proto__", "colour"),
    fc.oneof(
      text.map((value) => JSON.stringify(value)),
      fc.constantFrom(
        "0",
        "-0",
        "1.5",
        "1e400",
        "9007199254740993.5",
        "00",
        "true",
        "null",
        "{}",
        '"\\ud800"',
        '"\\x"',
        '"',
      ),
      fc.nat({ max: 100_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
    ),
  )
  .map(([name, value]) => `"${name}":${value}`);
const row = fc
  .tuple(fc.nat({ max: 9999 }), text, fc.array(field, { maxLength: 2 }))
  .map(
    ([id, name, more]) =>
      `{${[`"external_id":"h${id}"`, `"name":${JSON.stringify(name)}`, '"points_cost":1', ...more].join()}}`,
  );
const json = fc.oneof(
  fc.array(row, { maxLength: 5 }).map((rows) => `[${rows.join()}]`),
  row.map((one) => `{"rewards":[${one}]}`),
  fc.constantFrom(...badBodies),
);

/** The body of an import: JSON, two of them spliced together, or bytes. */
export const body: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc.oneof(
  { weight: 6, arbitrary: json.map((one) => new Uint8Array(Buffer.from(one))) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(json, json, fc.nat(), fc.nat())
      .map(([one, other, end, start]) => one.slice(0, end % (one.length + 1)) + other.slice(start % (other.length + 1)))
      .map((spliced) => new Uint8Array(Buffer.from(spliced))),
  },
  fc.uint8Array({ maxLength: 200 }).map((bytes) => new Uint8Array(bytes)),
);

/** A request as it is sent. */
export interface Hostile {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | null;
}

/** Requests of a sender who may have the key: imports, lists, and any combination of method, path and body. */
export function hostile(key: string): fc.Arbitrary<Hostile> {
  const methods = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "PROPFIND", "get", "__proto__", "M-SEARCH"];
  const [sent, none] = [headers(key), fc.constant(null)];
  return fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({ method: fc.constant("POST"), target: fc.constant("/rewards"), headers: sent, body }),
    },
    { weight: 2, arbitrary: fc.record({ method: fc.constant("GET"), target, headers: sent, body: none }) },
    fc.record({ method: fc.constantFrom(...methods), target, headers: sent, body }),
  );
}
