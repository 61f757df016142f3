import fc from "fast-check";

export const long = (length: number): string => "x".repeat(length);

/** Texts that may cause errors: in URLs, headers, JSON, SQL, logs, dates, numbers. */
export const texts = [
  ...[
    "",
    " ",
    "0",
    "-1",
    "1e3",
    "1e400",
    "9007199254740993",
    "0x10",
    "1_000",
    "NaN",
    "Infinity",
    "null",
    "undefined",
    "true",
    "١",
  ],
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "length",
    "rewards",
    "%",
    "%00",
    "%0d%0aX-Injected:%201",
    "%c3%28",
    "%ud800",
  ],
  ...[
    "' or 1=1 --",
    "$1",
    "{}",
    "[]",
    "../../etc/passwd",
    "..%2f..%2fetc",
    "<script>",
    "\u0000",
    "\r\n\r\n",
    "\ud800",
    "\udc00",
  ],
  ...["\u202e", "\ufeff", "é", "e\u0301", "🎉", "\u2028", "\\u0000", "‮", "ﬃ", long(255), long(256), long(5000)],
  ...[
    "0001-01-01T00:00+23:59",
    "9999-12-31T23:59:59.999999999-23:59",
    "2026-02-30",
    "2026-01-01T24:00",
    "0000-01-01",
    "infinity",
    "now",
  ],
  ...[
    "00000000-0000-0000-0000-000000000000",
    "{00000000-0000-0000-0000-000000000000}",
    "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
  ],
];

export const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...texts) },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 40 }) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: fc.nat({ max: 0xffff }).map((unit) => String.fromCharCode(unit)), maxLength: 20 }),
  },
);
