// Requests that must be refused, each with its exact status and text (docs/api.md, Errors), under the statement that
// they prove. test/api/bad_requests.test.ts sends them to the running stack. The bodies of imports are in bad_imports.ts.
import { endpoints, lists } from "../../functions/public-api/table/endpoints.ts";

/** A request that must be refused, with the exact answer. It is sent with a valid key unless its headers have one. */
export interface BadRequest {
  method?: string;
  /** Relative to the base address, sent unchanged. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
  status: number;
  error: string;
}

/** Bad requests, grouped by the statement that they prove. */
export type BadRequests = Record<string, BadRequest[]>;

/** The words of a text, between white space. */
const words = ({ raw: [text = ""] }: TemplateStringsArray): string[] => text.trim().split(/\s+/);

const get = (path: string, error: string): BadRequest => ({ path, status: 400, error });
/** A GET for each value in a text, between blanks; `before` is the path and the query up to the value. */
const values = (before: string, all: string, error: string): BadRequest[] =>
  all.split(" ").map((value) => get(`${before}${value}`, error));

/** What an endpoint says of the parameters that it accepts. */
export function accepts(path: string, method = "GET"): string {
  const names = endpoints.find((one) => one.path === path && one.method === method)?.parameters.map(({ name }) => name);
  return `${method} ${path}, which accepts ${names?.join(", ") || "none"}`;
}

const questions = endpoints.filter((endpoint) => endpoint.kind === "aggregates");
const paths = [...lists, ...questions].flatMap(({ path, aliases }) => [path, ...aliases]);
const notFound = (path: string, shown = path): BadRequest => ({ path, status: 404, error: `Not Found: ${shown}` });
const uuid = "0a8f3f6e-2f0c-4c55-9a53-3f6b1c0d9e11";

const badPaths: BadRequests = {
  // Proves: service.10, versioning.2, requests.52
  "an unknown path is a 404 that names it, relative to the base address, without its query": [
    ...words`/people /user /day_ratings /v1/members /members.json /rewards/import /favicon.ico /.git/config
      /public-api/members /rest/v1/rpc/list_members /undefined /__proto__ /constructor`.map((path) => notFound(path)),
    ...[`/members/${uuid}`, `/${"a".repeat(4000)}`].map((path) => notFound(path)),
    ...words`POST PUT PATCH DELETE OPTIONS`.map((method) => ({ ...notFound("/people"), method })),
    notFound("/people?email=someone@example.com", "/people"),
    notFound("/people?", "/people"),
  ],
  "a path is matched exactly: case, slashes, dots and percent-encoding count":
    words`/Members //members /members// /members/. /./members /members/../rewards /.. /%2e%2e/members /%6Dembers
      /members%2F /members%00 /members%20 /members%3Flimit=1 /members%23 /members;v=1 /members, /* /% /%zz /%ff
      //evil.example/members /@evil.example /%3Cscript%3E /members'or'1'='1 //`.map((path) => notFound(path)),
  // Proves: requests.2, requests.53
  "a method that a path does not have is a 405 that lists the path's methods": ["/", ...paths].flatMap((path) => {
    const allowed = path === "/rewards" ? "GET, HEAD, POST, OPTIONS" : "GET, HEAD, OPTIONS";
    const bad = { path: `${path}?limit=0`, status: 405, error: `Method Not Allowed: ${path} accepts ${allowed}` };
    const methods = ["PUT", "DELETE", "PROPFIND", "QUERY", ...(path === "/rewards" ? [] : ["POST"])];
    return methods.map((method) => ({ ...bad, method }));
  }),
};

const leftOut = (path: string, query: string, shown = query.split("=")[0], method = "GET"): BadRequest =>
  get(`${path}?${query}`, `${shown} is not a parameter of ${accepts(path, method)}`);

export const limit = "limit must be an integer from 1 to 1000";
const include =
  "include must be one or more of sender_id, receiver_id, category_id, sender_team_id, sender_team_name, receiver_team_id, receiver_team_name, sender_team_then_id, sender_team_then_name, receiver_team_then_id, receiver_team_then_name, each once";
const format = "format must be json or csv";
const timeZone = "time_zone must be UTC or the IANA name of a time zone, such as Europe/Berlin";
const by =
  "by must be one to 3 different names of day, week, month, quarter, year, category, sender_team, receiver_team, sender, receiver, sender_team_then, receiver_team_then, and at most one of day, week, month, quarter, year";
const byOfAverages =
  "by must be one to 2 different names of day, week, month, quarter, year, team, and at most one of day, week, month, quarter, year";
/** Lists of names as they were sent, and the names that the error says, if they are others. */
const listsOfNames = (before: string, rule: string, all: (string | [values: string, sent: string])[]): BadRequest[] =>
  all.map((one) => {
    const [value, sent] = typeof one === "string" ? [one, one.replaceAll(",", ", ")] : one;
    return get(`${before}${value}`, `${rule} (sent: ${sent})`);
  });

const parameters: BadRequests = {
  // Proves: limits.1, requests.16, requests.22
  "a limit is an integer from 1 to 1000 in plain digits; any other is refused, not reduced": [
    ...[...lists, ...questions].flatMap(({ path, aliases }) =>
      [path, ...aliases].flatMap((name) => values(`${name}?limit=`, "0 1001", limit)),
    ),
    ...values("/members?limit", " = =-1 =99999999999999999999 =%2B5 =5+ =%205 =5.0 =1e2 =0x10 =010", limit),
    ...values("/members?limit=", "null NaN ten %D9%A5 5%00 5%0A 10,20 10;drop%20table 5%E2%80%8B [10]", limit),
  ],
  // Proves: copies.6
  "after is start, or a cursor as it was sent": [
    ...["", "START", "start%20", "0", "2026-01-01", "null", uuid],
    ...[55, 57, 63, 65].map((length) => "0".repeat(length)),
    ...["A", "g", "%00"].map((character) => `${"0".repeat(55)}${character}`),
  ].map((value) => get(`/teams/changes?after=${value}`, "after must be start or a cursor")),
  // Proves: copies.5
  "changes take no filters, no since or until, and no starting_after": [
    leftOut("/activity/changes", "since=2026-01-01"),
  ],
  // Proves: requests.20, requests.22
  "a format is json or csv, in lower case": values("/rewards?format=", " JSON xml json%20 csv,json", format),
  // Proves: requests.17, requests.18, requests.22
  "an ID is a UUID with hyphens; the error names the parameter": [
    ...[` me ${uuid.replaceAll("-", "")} ${uuid.slice(0, -1)} ${uuid}0 {${uuid}} urn:uuid:${uuid} +${uuid}`],
    ...[`${uuid.replace("a", "g")} %20${uuid} ${uuid}%00 ${uuid}%0A ${uuid},${uuid} ${uuid}'%20or%20true--`],
  ]
    .flatMap((all) => values("/members?team_id=", all, "team_id must be a uuid"))
    .concat(
      ...[...lists, ...questions].map(({ path, parameters }) =>
        parameters
          .filter(({ kind }) => kind === "uuid")
          .map(({ name }) => get(`${path}?${name}=someone@example.com`, `${name} must be a uuid`)),
      ),
    ),
  "starting_after is the time and ID of a row, joined by _, or an ID": [
    ...["", "me", `_${uuid}`, `2026-01-01_${uuid}`, `2026-01-01T00:00_`, `now_${uuid}`, `${uuid}_${uuid}`],
    // The last four as dates of JavaScript, Java and .NET, of Ruby, PHP and Go, and of Python write it.
    ...words`2026-01-01T24:00:00.000000Z 2026-01-01T00:00:00.000000Z_ 2026-02-30T00:00:00.000000Z
      2026-01-01T00:00:00.123Z 2026-01-01T00:00:00Z 2026-01-01T00:00:00.1234560Z
      2026-01-01T00:00:00.123456%2B00:00`.map((time) => `${time}_${uuid}`),
  ].map((value) =>
    get(
      `/teams?starting_after=${value}`,
      "starting_after must be the time and ID of a row, as the API sends them (six digits), or its ID",
    ),
  ),
  // Proves: reaching.7
  "include names additional columns, each once; the error lists them": [
    ...listsOfNames("/activity?include=", include, [
      ["", "an empty name"],
      ...["sender", "SENDER_ID", "sender_id,sender_id"],
      ["sender_id,", "sender_id, an empty name"],
      ["sender_id&include[1]=sender_id", "sender_id, sender_id"],
      ["sender_id&include[]=", "sender_id, an empty name"],
      ["sender_id;category_id", '"sender_id\\u003bcategory_id"'],
      ["[]", "no name"],
      ["[1]", '"[1]"'],
      ["%7B%22a%22:1%7D", '"{\\"a\\":1}"'],
      [Array(25).fill("x").join(), Array(10).fill("x").join(", ")],
      ["x".repeat(65), "a name of 65 characters"],
    ]),
    ...[...lists, ...questions].flatMap(({ path, included, columns: [column] }) => {
      const names = included.map(({ name }) => name).join(", ");
      const error = `include must be one or more of ${names}, each once (sent: ${column?.name})`;
      return names ? [get(`${path}?include=${column?.name}`, error)] : [];
    }),
  ],
  // Proves: questions.1, questions.8
  "by has one to three different names, at most one of them a step of time; the error lists them": [
    ...listsOfNames("/activity/counts?by=", by, [
      ...["hour", "constructor", "null", "month,month", "category,sender,receiver,month"],
      ["", "an empty name"],
      ["month&by=day", "month, day"],
      [uuid, JSON.stringify(uuid)],
    ]),
    ...listsOfNames("/day-ratings/averages?by=", byOfAverages, [
      ...["category", "team,team"],
      ["day,%20week%20,team", "day, week, team"],
    ]),
  ],
  // Proves: questions.3
  "since is at most 400 days before until, to the microsecond": [
    "since=2025-01-01&until=2026-02-06 since=2024-01-01 until=2026-02-05T00:00:00.000001Z&since=2025-01-01",
    "since=0001-01-01&until=9999-12-31 by=year&since=2025-01-01T12:00Z&until=2026-02-05T13:00Z",
  ].flatMap((all) => values("/activity/counts?", all, "since must be at most 400 days before until (default: now)")),
  // Proves: questions.4
  "a time zone is UTC, or an IANA name with an area": [
    ...values("/activity/counts?time_zone=", " CET Berlin Europe/ Europe/Bielefeld Europe/Berlin%20", timeZone),
    ...values("/day-ratings/averages?time_zone=", "W.%20Europe%20Standard%20Time", timeZone),
    ...values("/day-ratings/averages?time_zone=", "+02:00 %2B02:00 UTC%2B2 GMT Foo/Bar%2B3 posix/UTC ../UTC", timeZone),
  ],
  // Proves: parameters.13, requests.21, requests.22
  "include_archived is true, or not sent": [
    ...values("/rewards?include_archived=", " false TRUE 1 true%20", "include_archived must be true"),
  ],
  // Proves: requests.22, requests.41
  "escape_formulas is true, and sent only with format=csv": [
    ...values("/members?format=csv&escape_formulas=", " false", "escape_formulas must be true"),
    ...values("/rewards?escape_formulas=true", " &format=json", "escape_formulas needs format=csv"),
  ],
  // Proves: requests.23
  "no value is empty; a text has at most 255 characters, without NUL": [
    ...values("/members?role", ` = =${"%F0%9F%98%80".repeat(256)}`, "role must have 1 to 255 characters"),
    get(`/rewards?external_id=${"x".repeat(256)}`, "external_id must have 1 to 255 characters"),
    ...values("/activity?since=", " %20", "since must be an ISO 8601 date-time"),
    get("/members?role=admin%00", "role must not contain NUL or lone surrogates"),
  ],
  "an email is an address, such as ann@example.com": values(
    "/members?email=",
    ` ann ann@ @a.example a@b@c.example ann@a.example+ ann@a%09b ann@a.example%00 ${"a".repeat(320)}@b`,
    "email must be an email address",
  ),
  "a value is percent-encoded UTF-8; the error names the parameter": [
    ...values("/members?role=", "% %z %ff %C0%AF %ED%A0%80 %F4%90%80%80 a%80", "role must be percent-encoded UTF-8"),
    ...["/members?limit=%", "/activity?since=%ff", "/day-ratings?team_id=%C0%80"].map((path) =>
      get(path, `${/\?(\w+)/.exec(path)?.[1]} must be percent-encoded UTF-8`),
    ),
  ],
  // Proves: parameters.15, requests.24, rows.25
  "an unknown parameter is refused; the error lists those of the endpoint": [
    ...[...words`Limit offset page order company_id key_hash api_key limit.x __proto__ toString`, "x".repeat(64)].map(
      (name) => leftOut("/members", `${name}=1`),
    ),
    ...["limit[]", "team id", "", "limit\0", "a\r\nX-Evil:1", "größe", "?limit"].map((name) =>
      leftOut("/members", `${encodeURIComponent(name)}=1`, JSON.stringify(name)),
    ),
    leftOut("/members", "%zz=1", '"%zz"'),
    leftOut("/members", "a%3B%20b=1", '"a\\u003b b"'),
    leftOut("/members", "%E2%80%AEx=1", '"\\u202ex"'),
    leftOut("/members", `${"%F0%9F%A6%94".repeat(65)}=1`, "a name of 65 characters"),
  ],
  // Proves: parameters.14, endpoints.3, endpoints.13, requests.25
  "a parameter of another endpoint is refused": [
    ...endpoints.flatMap(({ method, path, parameters }) =>
      [...new Set(endpoints.flatMap((other) => other.parameters.map(({ name }) => name)))]
        .filter((name) => !parameters.some((own) => own.name === name))
        .map((name) => ({ ...leftOut(path, `${name}=1`, name, method), method })),
    ),
    { ...leftOut("/", "limit=5"), path: "?limit=5" },
  ],
  // Proves: requests.26
  "a parameter is sent once, except include and by": [
    ...values(
      "/members?limit=5",
      "&limit=5 &limit=6&limit=x &%6Cimit=0",
      `limit must be sent once to ${accepts("/members")}`,
    ),
  ],
  // Proves: requests.38
  // The times are compared before rounding. Rounded, those that differ by a nanosecond would be equal.
  "since is not later than until, to the nanosecond": [
    "until=2026-01-01&since=2026-01-02 since=2026-01-02T00:00Z&until=2026-01-01",
    "since=2026-11-21T10:00:00.123456002Z&until=2026-11-21T10:00:00.123456001Z",
    "since=2026-01-01T10:00Z&until=2026-01-01T11:00%2B02:00 since=9999-12-31T23:59:59.999999999-23:59&until=9999-12-31",
  ].flatMap((all) => values("/activity?", all, "since must not be after until")),
  "one answer names every wrong parameter, in the order in which they were sent": [
    get(
      "/activity?teamid=1&sender_id=x&limit=1&limit=2&since=never",
      `teamid is not a parameter of ${accepts("/activity")}; sender_id must be a uuid; ` +
        `limit must be sent once to ${accepts("/activity")}; since must be an ISO 8601 date-time`,
    ),
    get(
      `/members?${Array.from({ length: 25 }, (_, n) => `x${n}=1`).join("&")}`,
      `${Array.from({ length: 20 }, (_, n) => `x${n} is not a parameter of ${accepts("/members")}`).join("; ")}; and 5 more`,
    ),
  ],
};

const notDateTimes: Record<string, string[]> = {
  // Proves: requests.31
  "a day exists in the calendar": words`2026-02-30 2026-02-29 1900-02-29T10:00Z 2026-04-31 2026-13-01
    2026-00-10 2026-01-00`,
  // Proves: requests.32
  "a year has four digits, 0001 to 9999": words`0000-01-01 10000-01-01 %2B2026-01-01 -0001-01-01 26-01-01
    2026-01-01%20BC`,
  // Proves: requests.33
  "a time is 00:00:00 to 23:59:59.999999999, without 24:00 or a leap second": words`2026-01-01T24:00
    2026-12-31T23:59:60Z 2026-01-01T23:60Z 2026-01-01T-1:00Z`,
  // Proves: requests.29
  "a fraction has one to nine digits, after a dot": words`2026-01-01T10:15:30.Z 2026-01-01T10:15:30.1234567890Z
    2026-01-01T10:15:30,5Z 2026-01-01T10:15.5Z`,
  // Proves: requests.30
  "a zone is Z, ±hh, ±hh:mm or ±hhmm": words`2026-01-01T10:15%2B24:00 2026-01-01T10:15%2B02:60 2026-01-01T10:15%2B2
    2026-01-01T10:15%2B02:0 2026-01-01T10:15%2B02:00:00 2026-01-01T10:15z 2026-01-01T10:15ZZ 2026-01-01T10:15UTC
    2026-01-01T10:15++02:00 2026-01-01T10:15[Europe/Berlin] 2026-01-01Z 2026-01-01%2B02:00
    2026-01-01T10:15%E2%88%9202:00`,
  // Proves: requests.19
  "a date is YYYY-MM-DD: other forms, and words such as now, are refused": words`2026-1-1 20260101
    20260101T101530Z 2026-01 2026-W03-1 2026-015 2026/01/01 01.01.2026 1767225600 2026-01-01T 2026-01-01T10
    2026-01-01T1015 2026-01-01t10:15Z 2026-01-01%2010:15 %202026-01-01 2026-01-01%0A '2026-01-01'
    Thu,%2001%20Jan%202026%2000:00:00%20GMT %D9%A2026-01-01 2026-01-01T10:15Z;drop%20table P1D 2026-01-01/2026-01-02
    now now() today infinity epoch null`,
};

/** Each of these values as since or until of a list, by turns. */
const dateTimes = Object.entries(notDateTimes).map(([statement, all]): [string, BadRequest[]] => [
  statement,
  all.map((value, index) => {
    const [list, name] = [["/activity", "/day-ratings", "/pulse-responses"][index % 3], ["since", "until"][index % 2]];
    return get(`${list}?${name}=${value}`, `${name} must be an ISO 8601 date-time`);
  }),
]);

const people = notFound("/people");
const badLimit = get("/members?limit=0", limit);
const noKey = { path: "/members", status: 401, error: "Unauthorized: Invalid or missing API Key" };
const sentWith = (bad: BadRequest, ...headers: Record<string, string>[]): BadRequest[] =>
  headers.map((some) => ({ ...bad, headers: some }));

const headers: BadRequests = {
  "no header changes the method, the path or the host of a request": [
    ...sentWith(people, { "X-Original-URL": "/members", "X-Rewrite-URL": "/members" }, { Host: "evil.example" }),
    ...sentWith(people, { "X-Forwarded-Prefix": "/members", "X-Forwarded-Host": "a", "X-Forwarded-Proto": "b" }),
    ...sentWith(badLimit, { "X-HTTP-Method-Override": "POST", "X-HTTP-Method": "DELETE", "X-Method-Override": "PUT" }),
  ],
  // Proves: errors.1, responses.19
  "an error is JSON whatever the caller accepts": [
    ...sentWith(people, { Accept: "text/html" }, { Accept: "text/csv" }),
    ...sentWith(badLimit, { Accept: "application/xml;q=1, */*;q=0" }, { "If-None-Match": "*", Range: "bytes=0-1" }),
    ...sentWith(badLimit, { "Accept-Encoding": "gzip, br, zstd", "Accept-Language": "de" }),
    get("/members?format=csv&limit=0", limit),
  ],
  "a GET does not look at its body": [{ ...badLimit, body: "{" }],
  "the key is not looked for in other headers": [
    ...sentWith(noKey, { "X-API-Key": "" }, { "X-API-Key": "\u00e9\u00ff" }, { "X-API-Key": "x".repeat(8000) }),
    ...sentWith(noKey, { "X-API-Key": "", Cookie: "api_key=1; X-API-Key=2", "X-Auth-Token": "1", apikey: "anon" }),
  ],
};

export const badRequests: BadRequests = { ...badPaths, ...parameters, ...Object.fromEntries(dateTimes), ...headers };
