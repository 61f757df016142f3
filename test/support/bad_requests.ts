// Requests that must be refused, each with its exact status and text (docs/api.md, Errors), under the statement that
// they prove. test/function/bad_requests.test.ts sends them to the function in the process of the test,
// test/serial/bad_requests.test.ts over HTTP to the running stack. The bodies of imports are in bad_imports.ts.
import { endpoints } from "../../functions/public-api/endpoints.ts";

/** A request that must be refused, with the exact answer. It is sent with a valid key unless its headers have one. */
export interface BadRequest {
  method?: string;
  /** Relative to the base address, sent unchanged. */
  path: string;
  headers?: Record<string, string | string[]>;
  body?: string | Uint8Array<ArrayBuffer>;
  status: number;
  error: string;
}

/** Bad requests, grouped by the statement that they prove. */
export type BadRequests = Record<string, BadRequest[]>;

/** The words of a text, between white space. */
const words = ({ raw: [text = ""] }: TemplateStringsArray): string[] => text.trim().split(/\s+/);

const get = (path: string, error: string): BadRequest => ({ path, status: 400, error });

/** What an endpoint says of the parameters that it accepts. */
export function accepts(path: string, method = "GET"): string {
  const names = endpoints.find((one) => one.path === path && one.method === method)?.parameters.map(({ name }) => name);
  return `${method} ${path} accepts ${names?.join(", ") || "no parameters"}`;
}

const lists = endpoints.filter((endpoint) => endpoint.kind === "list");
const notFound = (path: string, shown = path): BadRequest => ({ path, status: 404, error: `Not Found: ${shown}` });
const uuid = "0a8f3f6e-2f0c-4c55-9a53-3f6b1c0d9e11";

const paths: BadRequests = {
  // Proves: service.10, versioning.2, requests.52
  "an unknown path is a 404 that names it, relative to the base address": [
    ...words`/people /member /user /reward /kudo /day-rating /day_ratings /pulse_responses /pulse /health /v1/members
      /members.json /rewards.csv /rewards/import /openapi.json /favicon.ico /.env /.git/config /public-api
      /public-api/members /rpc/list_members /rest/v1/rpc/list_members /undefined /null /__proto__ /constructor /toString
      /hasOwnProperty`,
    ...[`/members/${uuid}`, `/rewards/${uuid}`, `/${"a".repeat(4000)}`],
  ].map((path) => notFound(path)),

  "a path is matched exactly: case, slashes, dots and percent-encoding count":
    words`/Members /MEMBERS //members /members// /members/. /members/.. /./members /../members /.. /members/../rewards
      /%2e%2e/members /%6Dembers /members%2F /%2Fmembers /members%00 /members%20 /%20members /members%3Flimit=1
      /members%23 /members;v=1 /members, /members&limit=1 /* /% /%zz /%ff /%C3%A9 //evil.example/members /@evil.example
      /day%2Dratings /%3Cscript%3Ealert(1)%3C/script%3E /members'or'1'='1 //`.map((path) => notFound(path)),

  // Proves: requests.52
  "a query does not appear in a 404": [
    notFound("/people?email=someone@example.com", "/people"),
    notFound("/people?", "/people"),
  ],

  // Proves: requests.53
  "a method that a path does not have is a 405 that lists the path's methods": [
    ...[...endpoints, ...lists.flatMap((list) => list.aliases.map((path) => ({ path, method: "GET" })))].flatMap(
      ({ path }) =>
        ["PUT", "PATCH", "DELETE", "PROPFIND", "PURGE", "QUERY", ...(path === "/rewards" ? [] : ["POST"])].map(
          (method): BadRequest => {
            const allowed = path === "/rewards" ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS";
            const error = `Method Not Allowed: ${path} accepts ${allowed}`;
            return { method, path: `${path}?limit=0`, status: 405, error };
          },
        ),
    ),
  ],

  "an unknown path is a 404 for every method": words`POST PUT PATCH DELETE OPTIONS`.map((method) => ({
    ...notFound("/people"),
    method,
  })),
};

const leftOut = (query: string, shown: string): BadRequest =>
  get(`/members?${query}`, `${shown} must be left out: ${accepts("/members")}`);
const elsewhere = (path: string, query: string): BadRequest =>
  get(`${path}?${query}`, `${query.split("=")[0]} must be left out: ${accepts(path)}`);
const twice = (path: string, query: string): BadRequest =>
  get(`${path}?${query}`, `${query.split("=")[0]} must be given once: ${accepts(path)}`);

/** The parameter beside changed_after. */
const other = /(?:^|&)((?!changed_after)\w+)=/;

const limit = "limit must be an integer from 1 to 1000";

const parameters: BadRequests = {
  // Proves: limits.1, requests.16, requests.22
  "a limit that is not a plain integer from 1 to 1000 is refused, never clamped": [
    ...words`0 -1 1001 10000 99999999999999999999 %2B5 +5 5+ %205 5.0 5.5 1e2 0x10 010 null NaN Infinity true ten %D9%A5
      %EF%BC%95 5%00 5%0A 10,20 10;drop%20table 5%E2%80%8B [10]`.map((value) => get(`/members?limit=${value}`, limit)),
    ...["/members?limit=", "/members?limit", "/users?limit=0", "/kudos?limit=1001"].map((path) => get(path, limit)),
    ...lists.flatMap(({ path }) => [get(`${path}?limit=0`, limit), get(`${path}?limit=1001`, limit)]),
  ],

  // Proves: copies.6
  "what is neither start nor a cursor is refused": [
    ...["", ...words`START start%20 0 now 2026-01-01 null`, uuid],
    ...[55, 57, 63, 65].map((length) => "0".repeat(length)),
    ...["A", "g", "%00"].map((character) => `${"0".repeat(55)}${character}`),
  ].map((value) => get(`/teams?changed_after=${value}`, "changed_after must be start or a cursor")),

  // Proves: copies.5
  "changed_after is sent without filters, windows and starting_after; the first of them is named": [
    ...["since=2026-01-01", "until=2026-01-01", `category_id=${uuid}`, `sender_id=${uuid}`, `starting_after=${uuid}`]
      .flatMap((query) => [`changed_after=start&${query}`, `${query}&changed_after=start`])
      .map((query) => get(`/kudos?${query}`, `changed_after must be sent without ${query.match(other)?.[1]}`)),
    get("/rewards?include_archived=true&changed_after=start", "changed_after must be sent without include_archived"),
    get(
      "/members?role=a&changed_after=start&team_id=b",
      "team_id must be a uuid; changed_after must be sent without role",
    ),
  ],

  // Proves: requests.20, requests.22
  "a format that is not json or csv is refused": ["", ...words`JSON CSV xml json%20 csv,json null text/csv`].map(
    (format) => get(`/rewards?format=${format}`, "format must be json or csv"),
  ),

  // Proves: requests.17, requests.18, requests.22
  "an id that is not a uuid is refused and named": [
    ...[
      "",
      "me",
      "null",
      "*",
      uuid.replaceAll("-", ""),
      uuid.slice(0, -1),
      `${uuid}0`,
      `{${uuid}}`,
      `urn:uuid:${uuid}`,
    ],
    ...[`+${uuid}`, `%20${uuid}`, `${uuid}%20`, `${uuid}%00`, `${uuid}%0A`, `${uuid},${uuid}`, uuid.replace("a", "g")],
    ...[uuid.replaceAll("-", "_"), `${uuid}'%20or%20true--`, `eq.${uuid}`, uuid.replace("0", "%EF%BC%90")],
  ]
    .map((id) => get(`/members?team_id=${id}`, "team_id must be a uuid"))
    .concat(
      lists.flatMap(({ path, parameters }) =>
        parameters
          .filter(({ kind }) => kind === "uuid")
          .map(({ name }) => get(`${path}?${name}=someone@example.com`, `${name} must be a uuid`)),
      ),
    ),

  // Proves: reaching.7
  "an include that is not a list of further columns, each once, is refused with their names": [
    ...[
      "",
      ...words`sender sender_id, sender_id,sender_id sender_id;category_id SENDER_ID sender_id,%20category_id`,
    ].map((names) =>
      get(`/activity?include=${names}`, "include must be one or more of sender_id, receiver_id, category_id"),
    ),
    ...lists.map(({ path, included, columns: [, column] }) =>
      included.length > 0
        ? get(
            `${path}?include=${column?.name}`,
            `include must be one or more of ${included.map(({ name }) => name).join(", ")}`,
          )
        : elsewhere(path, `include=${column?.name}`),
    ),
  ],

  // Proves: parameters.13, requests.21, requests.22
  "include_archived with any value but true is refused": ["", ...words`false TRUE True 1 yes true%20 null`].map(
    (value) => get(`/rewards?include_archived=${value}`, "include_archived must be true"),
  ),

  // Proves: requests.22, requests.41
  "escape_formulas with any value but true is refused, and so it is without format=csv": [
    ...["", "false", "1"].map((value) =>
      get(`/members?format=csv&escape_formulas=${value}`, "escape_formulas must be true"),
    ),
    get("/members?escape_formulas=true", "escape_formulas needs format=csv"),
    get("/rewards?escape_formulas=true&format=json", "escape_formulas needs format=csv"),
  ],

  // Proves: requests.23
  "an empty role is refused, and one that is no text": [
    get("/members?role=", "role must not be empty"),
    get("/members?role", "role must not be empty"),
    get("/members?role=admin%00", "role must not contain NUL or lone surrogates"),
  ],

  "a value that is not percent-encoded UTF-8 is refused and named": [
    ...words`% %z %zz %ff %C0%AF %C0%80 %ED%A0%80 %F4%90%80%80 %E2%82 a%80 100%`.map((value) =>
      get(`/members?role=${value}`, "role must be percent-encoded UTF-8"),
    ),
    ...["/members?limit=%", "/activity?since=%ff", "/day-ratings?team_id=%C0%80"].map((path) =>
      get(path, `${/\?(\w+)/.exec(path)?.[1]} must be percent-encoded UTF-8`),
    ),
  ],

  // Proves: parameters.15, requests.24, rows.25
  "a parameter that no endpoint has is refused, with a list of what the endpoint accepts": [
    ...words`teamid Limit team-id offset page cursor select order company_id key_hash api_key limit.x __proto__
      constructor toString`.map((name) => leftOut(`${name}=1`, name)),
    leftOut("toString", "toString"),
    leftOut("limit%5B%5D=1", '"limit[]"'),
    leftOut("limit[0]=1", '"limit[0]"'),
    leftOut("=1", '""'),
    leftOut("=", '""'),
    leftOut("team%20id=1", '"team id"'),
    leftOut("limit%00=1", '"limit\\u0000"'),
    leftOut("a%3B%20b=1", '"a\\u003b b"'),
    leftOut("a%0D%0AX-Evil:1", '"a\\r\\nX-Evil:1"'),
    leftOut("%E2%80%AEx=1", '"\\u202ex"'),
    leftOut("gr%C3%B6%C3%9Fe=5", '"größe"'),
    leftOut("%22=1", '"\\""'),
    leftOut("%zz=1", '"%zz"'),
    leftOut(`${"x".repeat(64)}=1`, "x".repeat(64)),
    leftOut(`${"x".repeat(65)}=1`, "a name of 65 characters"),
    leftOut(`${"%F0%9F%A6%94".repeat(100)}=1`, "a name of 100 characters"),
    leftOut("a?role=admin", '"a?role"'),
    leftOut("?limit=5", '"?limit"'),
  ],

  // Proves: parameters.14, endpoints.3, endpoints.13, requests.25
  "a parameter that another endpoint has is refused": [
    ...lists.flatMap(({ path, parameters }) =>
      ["since=2026-01-01", `team_id=${uuid}`, "role=admin", "include_archived=true", `sender_id=${uuid}`]
        .filter((query) => !parameters.some(({ name }) => query.startsWith(`${name}=`)))
        .map((query) => elsewhere(path, query)),
    ),
    { ...elsewhere("/", "limit=5"), path: "?limit=5" },
    elsewhere("/", "format=csv"),
    {
      ...get("/rewards?limit=5", `limit must be left out: ${accepts("/rewards", "POST")}`),
      method: "POST",
      body: "[]",
    },
  ],

  // Proves: requests.26
  "a parameter that comes twice is refused, also when both say the same": [
    ...["limit=5&limit=5", "limit=5&limit=6&limit=x", "role=admin&role=employee", "limit=5&%6Cimit=0"].map((query) =>
      twice("/members", query),
    ),
    twice("/activity", "since=2026-01-01&since=2026-01-02"),
    twice("/rewards", "format=csv&format=json"),
    twice("/day-ratings", `team_id=${uuid}&team_id=${uuid}`),
    twice("/activity", "include=sender_id&include=category_id"),
  ],

  "all that is wrong with the parameters is said at once, in the order in which they were sent": [
    get("/members?limit=0&format=xml", `${limit}; format must be json or csv`),
    get(
      "/activity?teamid=1&sender_id=x&limit=1&limit=2&since=never",
      `teamid must be left out: ${accepts("/activity")}; sender_id must be a uuid; ` +
        `limit must be given once: ${accepts("/activity")}; since must be an ISO 8601 date-time`,
    ),
    get(
      `/members?${Array.from({ length: 25 }, (_, n) => `x${n}=1`).join("&")}`,
      `${Array.from({ length: 20 }, (_, n) => `x${n} must be left out: ${accepts("/members")}`).join("; ")}; and 5 more`,
    ),
  ],
};

const noDateTimes = (...values: string[]): BadRequest[] =>
  values.flatMap((value, index) => {
    const path = ["/activity", "/day-ratings", "/pulse-responses"][index % 3];
    const name = index % 2 === 0 ? "since" : "until";
    return get(`${path}?${name}=${value}`, `${name} must be an ISO 8601 date-time`);
  });

const dateTimes: BadRequests = {
  // Proves: requests.23
  "a date-time must not be empty": noDateTimes("", "%20", "null", "undefined"),
  // Proves: requests.19
  "words are no date-times, also not those that PostgreSQL knows": noDateTimes(
    ...words`now now() today yesterday tomorrow infinity -infinity epoch allballs`,
  ),
  // Proves: requests.31
  "a day that does not exist is refused": noDateTimes(
    ...words`2026-02-30 2026-02-29 2100-02-29 1900-02-29T10:00Z 2026-04-31 2026-13-01 2026-00-10 2026-01-00
      2026-01-32T00:00:00Z`,
  ),
  // Proves: requests.32
  "a year must be 0001 to 9999, in four digits": noDateTimes(
    ...words`0000-01-01 10000-01-01 %2B2026-01-01 -0001-01-01 -2026-01-01T00:00Z 26-01-01 2026-01-01%20BC`,
  ),
  // Proves: requests.33
  "a time of day must be 00:00:00 to 23:59:59.999999999: no 24:00, no leap second": noDateTimes(
    ...words`2026-01-01T24:00 2026-01-01T24:00:00Z 2026-12-31T23:59:60Z 2026-01-01T23:60Z 2026-01-01T25:00Z
      2026-01-01T10:15:61Z 2026-01-01T-1:00Z`,
  ),
  // Proves: requests.29
  "a fraction has one to nine digits after a dot": noDateTimes(
    ...words`2026-01-01T10:15:30.Z 2026-01-01T10:15:30.1234567890Z 2026-01-01T10:15:30,5Z 2026-01-01T10:15.5Z
      2026-01-01T10:15:30.12a`,
  ),
  // Proves: requests.30
  "a zone is Z, ±hh, ±hh:mm or ±hhmm": noDateTimes(
    ...words`2026-01-01T10:15%2B24:00 2026-01-01T10:15%2B02:60 2026-01-01T10:15%2B2 2026-01-01T10:15%2B020
      2026-01-01T10:15%2B02:0 2026-01-01T10:15%2B02:00:00 2026-01-01T10:15z 2026-01-01T10:15ZZ 2026-01-01T10:15UTC
      2026-01-01T10:15%20UTC 2026-01-01T10:15++02:00 2026-01-01T10:15[Europe/Berlin] 2026-01-01Z 2026-01-01%2B02:00
      2026-01-01T10:15%E2%88%9202:00 2026-01-01T10:15:30+Z`,
  ),
  // Proves: requests.19
  "other ways to write a date are refused": noDateTimes(
    ...words`2026-1-1 20260101 20260101T101530Z 2026-01 2026 2026-W03-1 2026-015 2026/01/01 01.01.2026 01/31/2026
      1767225600 1767225600000 2026-01-01T 2026-01-01T10 2026-01-01T1015 2026-01-01t10:15Z 2026-01-01%2010:15
      2026-01-01T10:15:30Z%20 %202026-01-01 2026-01-01%0A 2026-01-01%00 '2026-01-01' %222026-01-01%22
      Thu,%2001%20Jan%202026%2000:00:00%20GMT %D9%A2026-01-01 2026-01-01T10:15Z;drop%20table P1D 2026-01-01/2026-01-02`,
  ),
  // Proves: requests.38
  "since after until is refused, by a nanosecond too": [
    "since=2026-01-02&until=2026-01-01",
    "until=2026-01-01&since=2026-01-02",
    "since=2026-01-01T00:00:00.000000001Z&until=2026-01-01T00:00:00Z",
    // The times are compared before rounding. Rounded, they would be equal.
    "since=2026-11-21T10:00:00.123456002Z&until=2026-11-21T10:00:00.123456001Z",
    "since=2026-01-01T10:00Z&until=2026-01-01T11:00%2B02:00",
    "since=2026-01-02T00:00Z&until=2026-01-01",
    "since=9999-12-31T23:59:59.999999999-23:59&until=9999-12-31",
  ].map((query) => get(`/activity?${query}`, "since must not be after until")),
};

const people = notFound("/people");
const noKey = { path: "/members", status: 401, error: "Unauthorized: Invalid or missing API Key" };
const badLimit = get("/members?limit=0", limit);
const sentWith = (bad: BadRequest, ...headers: Record<string, string>[]): BadRequest[] =>
  headers.map((some) => ({ ...bad, headers: some }));

const headers: BadRequests = {
  "no header changes the method, the path or the host of a request": [
    ...sentWith(people, { "X-Original-URL": "/members" }, { "X-Rewrite-URL": "/members" }, { Host: "evil.example" }),
    ...sentWith(people, { "X-Forwarded-Prefix": "/members" }, { Host: "evil.example:99999" }),
    ...sentWith(people, { "X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "gopher" }),
    ...sentWith(
      badLimit,
      { "X-HTTP-Method-Override": "POST" },
      { "X-HTTP-Method": "DELETE", "X-Method-Override": "PUT" },
    ),
  ],
  // Proves: errors.1
  "an error is JSON whatever the caller accepts": [
    ...sentWith(people, { Accept: "text/html" }, { Accept: "text/csv" }),
    ...sentWith(badLimit, { Accept: "application/xml;q=1, */*;q=0" }, { "If-None-Match": "*", Range: "bytes=0-1" }),
    ...sentWith(badLimit, { "Accept-Encoding": "gzip, br, zstd", "Accept-Language": "de" }),
    ...sentWith(badLimit, { "If-Modified-Since": "Sat, 21 Nov 2026 00:00:00 GMT" }),
  ],
  "a GET does not look at its body": ['[{"external_id": "a", "name": "A", "points_cost": 1}]', "{"].map((body) => ({
    ...badLimit,
    body,
  })),
  "the key is not looked for in other headers": [
    ...sentWith(noKey, { "X-API-Key": "" }, { "X-API-Key": "\u00e9\u00ff" }, { "X-API-Key": "x".repeat(8000) }),
    ...sentWith(noKey, { "X-API-Key": "", "X-Auth-Token": "sk_live_0000000000000000000000000000000000" }),
    ...sentWith(noKey, { "X-API-Key": "", Cookie: "api_key=1; X-API-Key=2" }, { "X-API-Key": "", apikey: "anon" }),
  ],
};

export const badRequests: BadRequests = { ...paths, ...parameters, ...dateTimes, ...headers };
