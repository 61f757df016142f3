// Headers that change neither the method, nor the path, nor the format of an error, nor where the key is read from.
import type { BadRequests } from "./bad_request.ts";
import { get } from "./bad_request.ts";

const people = { path: "/people", status: 404, error: "Not Found: /people" };
const noKey = { path: "/members", status: 401, error: "Unauthorized: Invalid or missing API Key" };
const limit = get("/members?limit=0", "limit must be an integer from 1 to 1000");

export const headers: BadRequests = {
  "no header changes the method, the path or the host of a request": [
    { ...people, headers: { "X-Original-URL": "/members" } },
    { ...people, headers: { "X-Rewrite-URL": "/members" } },
    { ...people, headers: { "X-Forwarded-Prefix": "/members" } },
    { ...people, headers: { Host: "evil.example" } },
    { ...people, headers: { Host: "evil.example:99999" } },
    { ...people, headers: { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher" } },
    { ...limit, headers: { "X-HTTP-Method-Override": "POST" } },
    { ...limit, headers: { "X-HTTP-Method": "DELETE", "X-Method-Override": "PUT" } },
  ],

  "an error is JSON whatever the caller accepts": [
    { ...people, headers: { Accept: "text/html" } },
    { ...people, headers: { Accept: "text/csv" } },
    { ...limit, headers: { Accept: "application/xml;q=1, */*;q=0" } },
    { ...limit, headers: { "Accept-Encoding": "gzip, br, zstd", "Accept-Language": "de" } },
    { ...limit, headers: { "If-None-Match": "*", Range: "bytes=0-1" } },
    { ...limit, headers: { "If-Modified-Since": "Sat, 21 Nov 2026 00:00:00 GMT" } },
  ],

  "the key is not looked for in other headers": [
    { ...noKey, headers: { "X-API-Key": "" } },
    { ...noKey, headers: { "X-API-Key": "", "X-Auth-Token": "sk_live_0000000000000000000000000000000000" } },
    { ...noKey, headers: { "X-API-Key": "", Cookie: "api_key=1; X-API-Key=2" } },
    { ...noKey, headers: { "X-API-Key": "", apikey: "anon" } },
    { ...noKey, headers: { "X-API-Key": "\u00e9\u00ff" } },
    { ...noKey, headers: { "X-API-Key": "x".repeat(8000) } },
  ],

  "a GET does not look at its body": [
    { ...limit, body: '[{"external_id": "a", "name": "A", "points_cost": 1}]' },
    { ...limit, body: "{", headers: { "Content-Type": "application/json" } },
  ],
};
