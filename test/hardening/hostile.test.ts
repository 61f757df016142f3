// Hostile input: parts of the bad requests of test/support in new combinations, and random text. Whatever is sent, the
// answer has a status of the reference, and every error is { "error": <text> }.
import fc from "fast-check";
import { expect, test } from "vitest";
import { endpoints } from "../../functions/public-api/table/endpoints.ts";
import { badImports } from "../support/bad_imports.ts";
import { badRequests } from "../support/bad_requests.ts";
import { companyOfFile } from "../support/companies.ts";
import { count, tried } from "../support/counts.ts";
import { send } from "../support/raw.ts";
import { call } from "../support/stack.ts";

const { key } = await companyOfFile("Hostile");
const weighted = <T>(weight: number, arbitrary: fc.Arbitrary<T>) => ({ weight, arbitrary });
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
  weighted(3, fc.constantFrom(...odd)),
  weighted(2, fc.string({ unit: "binary", maxLength: 40 })),
  fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 20 }),
);
const encoded = (value: string): string => (value.isWellFormed() ? encodeURIComponent(value) : "%ED%A0%80");

const paths = endpoints.flatMap(({ path, aliases }) => [path, ...aliases]);
const path = fc.oneof(
  weighted(8, fc.constantFrom(...paths, "")),
  fc.constantFrom(...unique(known.map(({ path }) => path.replace(/\?.*/, "").slice(0, 100)))),
  text.map((value) => `/${encoded(value)}`),
);
const pairs = known.flatMap(({ path }) => path.match(/(?<=[?&])[^&]+/g) ?? []);
const names = endpoints.flatMap(({ parameters }) => parameters.map(({ name }) => name)).concat("key_hash", "max_rows");
const uuid = "00000000-0000-4000-8000-000000000000";
const good = fc.constantFrom("1", "1000", "json", "csv", "true", "start", "2026-01-01", "sender_id", "senders", uuid);
const parameter = fc.oneof(
  fc.constantFrom(...pairs),
  fc.tuple(fc.constantFrom(...unique(names)), fc.oneof(good, text.map(encoded))).map((pair) => pair.join("=")),
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
const scheme = fc.constantFrom("Bearer ", "Basic ", "Digest ", "");
const credentials: fc.Arbitrary<Record<string, string>> = fc.oneof(
  weighted(9, fc.constant({ "X-API-Key": key })),
  fc.constant({}),
  headerValue.map((value) => ({ "X-API-Key": value })),
  fc.tuple(scheme, headerValue).map(([scheme, value]) => ({ Authorization: scheme + value })),
);

const badBodies = Object.values(badImports).flatMap((all) =>
  all.map(({ body = "" }) => Buffer.from(body).toString("latin1")),
);
const field = fc
  .tuple(
    fc.constantFrom("external_id", "name", "description", "points_cost", "reward_type", "__proto__", "colour"),
    fc.oneof(
      text.map((value) => JSON.stringify(value)),
      fc.constantFrom(...'0 -0 1.5 1e400 9007199254740993.5 00 true null {} "\\ud800" "\\x" "'.split(" ")),
      fc.nat({ max: 100_000 }).map((depth) => "[".repeat(depth) + "]".repeat(depth)),
    ),
  )
  .map(([name, value]) => `"${name}":${value}`);
const row = fc
  .tuple(fc.nat({ max: 9999 }), fc.array(field, { maxLength: 2 }))
  .map(([id, more]) => `{${[`"external_id":"h${id}","name":"Any","points_cost":1`, ...more].join()}}`);
const json = fc.oneof(
  fc.array(row, { maxLength: 5 }).map((rows) => `[${rows.join()}]`),
  row.map((one) => `{"rewards":[${one}]}`),
  fc.constantFrom(...unique(badBodies).filter((body) => body.length < 10_000)),
);
const spliced = fc
  .tuple(json, json, fc.nat(), fc.nat())
  .map(([one, other, end, start]) => one.slice(0, end % (one.length + 1)) + other.slice(start % (other.length + 1)));

/** The body of an import: JSON, two of them spliced together, or bytes. */
const body: fc.Arbitrary<Uint8Array<ArrayBuffer>> = fc
  .oneof(weighted(6, json), weighted(3, spliced), fc.uint8Array({ maxLength: 200 }))
  .map((one) => new Uint8Array(Buffer.from(one)));

/** Requests of a sender who may have the key: imports, lists, and any combination of method, path and body. */
const methods = ["GET", "POST", "HEAD", "OPTIONS", "PUT", "PROPFIND", "M-SEARCH"];
const headers = fc
  .tuple(fc.dictionary(headerName, headerValue, { maxKeys: 3 }), credentials)
  .map(([more, own]): Record<string, string> => ({ ...more, ...own }));
const [get, post, rewards] = [fc.constant("GET"), fc.constant("POST"), fc.constant("/rewards")];
const hostile = fc.oneof(
  weighted(2, fc.record({ method: post, target: rewards, headers, body })),
  weighted(2, fc.record({ method: get, target, headers, body: fc.constant(null) })),
  fc.record({ method: fc.constantFrom(...methods), target, headers, body }),
);

// Proves: errors.1, layer.1
test("whatever comes over HTTP is answered in time by the whole stack, an error as { error }, and the next request is served", async () => {
  const statuses: Record<number, number> = {};
  const property = fc.asyncProperty(hostile, async ({ method, target, headers, body: sent }) => {
    const { status, body, headers: answered } = await send(method, target, headers, sent ?? undefined);
    // What the database refused would be a 500.
    expect([200, 204, 400, 401, 403, 404, 405, 415]).toContain(status);
    statuses[status] = (statuses[status] ?? 0) + 1;
    // HEAD has no body.
    expect(body === "", `${method} ${status}`).toBe(method === "HEAD" || status === 204);
    if (status < 400 || body === "") return;
    expect(answered.get("Content-Type")).toBe("application/json");
    expect(JSON.parse(body)).toEqual({ error: expect.stringMatching(/^\P{Cc}+$/u) });
  });
  const numRuns = count(500, 10_000);
  await fc.assert(property, { numRuns });
  const counts = Object.entries(statuses).map(([status, times]) => `${times} × ${status}`);
  tried(`hostile input, over HTTP: ${numRuns} requests (${counts.join(", ")})`);
  expect(Object.keys(statuses)).toEqual(["200", "204", "400", "401", "404", "405", "415"]);
  expect((await call("/members?limit=1", key)).status).toBe(200);
});
