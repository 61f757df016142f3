// Requests that nobody sends by mistake: they look for weaknesses.
import fc from "fast-check";
import { endpoints } from "../../functions/public-api/endpoints.ts";
import { lists } from "../support/model.ts";
import { body } from "./hostile_bodies.ts";
import { text, texts } from "./hostile_texts.ts";

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

/** The path and query of the first line of a request: only printable ASCII reaches the server. */
const target = fc
  .tuple(path, query)
  // The platform's server refuses quotes, angle brackets and the like before they reach the function.
  .map(([where, asked]) =>
    (where + asked).replace(/[^\x21-\x7e]|["<>\\^`{|}]/g, (odd) => encoded(odd)).replaceAll("#", "%23"),
  );

/** Header values that can be sent: bytes without line ends. */
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

/** Headers with the key in different places or without it, and further headers. */
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

/**
 * A request as it is sent. Two in five are imports, two in five are lists, and the rest combine any method, path and
 * body.
 */
export interface Hostile {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer> | null;
}

/** Requests of a sender who may have the key. */
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
