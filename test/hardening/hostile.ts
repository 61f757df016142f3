// Requests that nobody sends by mistake.
import fc from "fast-check";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { body } from "./hostile_bodies.ts";
import { text, texts } from "./hostile_texts.ts";
import { lists } from "./model.ts";

const method = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom("GET", "POST", "HEAD", "OPTIONS") },
  { weight: 1, arbitrary: fc.constantFrom("PUT", "DELETE", "PATCH", "PROPFIND", "get", "__proto__", "M-SEARCH") },
);

const encoded = (value: string): string => {
  try {
    return encodeURIComponent(value);
  } catch {
    return "%ED%A0%80";
  }
};

const path = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...Object.keys(lists), "/", "") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "//",
      "/members/",
      "/members//",
      "/Members",
      "/members%2f",
      "/./members",
      "/../members",
      "/public-api",
      "/;",
    ),
  },
  { weight: 1, arbitrary: text.map((value) => `/${encoded(value)}`) },
);

const names = [
  ...new Set(endpoints.flatMap(({ parameters }) => parameters.map(({ name }) => name))),
  ...["key_hash", "max_rows", "__proto__"],
];
const good = [
  "1",
  "1000",
  "json",
  "csv",
  "true",
  "2026-01-01",
  "2026-01-01T00:00:00Z",
  "00000000-0000-4000-8000-000000000000",
  "employee",
  "sender_id,category_id",
  "external_id",
];
const parameter = fc
  .tuple(
    fc.oneof(fc.constantFrom(...names), text.map(encoded)),
    fc.oneof(fc.constantFrom(...good), text.map(encoded), fc.constantFrom(...texts)),
  )
  .map(([name, value]) => `${name}=${value}`);
const query = fc.array(parameter, { maxLength: 4 }).map((pairs) => (pairs.length > 0 ? `?${pairs.join("&")}` : ""));

/** A path and query as they stand in the first line of a request: printable ASCII, nothing else gets that far. */
const target = fc
  .tuple(path, query)
  // Quotes, angle brackets and the like are refused by the platform's server, before the function sees them.
  .map(([where, asked]) =>
    (where + asked).replace(/[^\x21-\x7e]|["<>\\^`{|}]/g, (odd) => encoded(odd)).replaceAll("#", "%23"),
  );

/** Header values as they can be sent: bytes without line ends. */
const headerValue = text.map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, "").trim());
const headerName = fc.constantFrom(
  ...[
    "X-Request-Id",
    "X-Company-Id",
    "Accept",
    "Origin",
    "Cookie",
    "X-Forwarded-Host",
    "Range",
    "Prefer",
    "Content-Type",
    "Content-Encoding",
  ],
  ...["Accept-Encoding", "Access-Control-Request-Headers", "If-Match", "__proto__", "apikey", "X-HTTP-Method-Override"],
);

/** Where the key stands, if it does, and what else there is. */
const headers = (key: string) =>
  fc
    .tuple(
      fc.oneof(
        { weight: 8, arbitrary: fc.constant<Record<string, string>>({ "X-API-Key": key }) },
        { weight: 1, arbitrary: fc.constant<Record<string, string>>({}) },
        { weight: 1, arbitrary: headerValue.map((value) => ({ "X-API-Key": value })) },
        { weight: 1, arbitrary: headerValue.map((value) => ({ Authorization: value })) },
        {
          weight: 1,
          arbitrary: fc
            .tuple(fc.constantFrom("Bearer", "Basic", "basic", "Digest"), headerValue)
            .map(([scheme, value]) => ({ Authorization: `${scheme} ${value}` })),
        },
      ),
      fc.dictionary(headerName, headerValue, { maxKeys: 3 }),
    )
    .map(([credentials, more]) => ({ ...more, ...credentials }));

/** A request as it is sent; two in five are imports, two in five lists, the rest is anything with anything. */
export interface Hostile {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | null;
}

/** Requests of somebody who may have the key. */
export const hostile = (key: string): fc.Arbitrary<Hostile> => {
  const sent = headers(key);
  return fc.oneof(
    {
      weight: 2,
      arbitrary: fc.record({ method: fc.constant("POST"), target: fc.constant("/rewards"), headers: sent, body }),
    },
    { weight: 2, arbitrary: fc.record({ method: fc.constant("GET"), target, headers: sent, body: fc.constant(null) }) },
    { weight: 1, arbitrary: fc.record({ method, target, headers: sent, body }) },
  );
};
