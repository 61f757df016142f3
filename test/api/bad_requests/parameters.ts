// Query parameters, except date-times (docs/api.md, Lists and Errors).
import { type BadRequest, type BadRequests, get } from "./bad_request.ts";

const uuid = "0a8f3f6e-2f0c-4c55-9a53-3f6b1c0d9e11";

/** The parameters that each endpoint accepts, in the words of the error message. */
export const accepts = {
  root: "GET / accepts no parameters",
  members: "GET /members accepts limit, format, escape_formulas, starting_after, team_id, role",
  activity:
    "GET /activity accepts limit, format, escape_formulas, starting_after, include, since, until, category_id, sender_id, receiver_id",
  rewards: "GET /rewards accepts limit, format, escape_formulas, starting_after, include, include_archived",
  dayRatings: "GET /day-ratings accepts limit, format, escape_formulas, starting_after, include, since, until, team_id",
  pulseResponses: "GET /pulse-responses accepts limit, format, escape_formulas, starting_after, include, since, until",
  import: "POST /rewards accepts no parameters",
};

const leftOut = (query: string, shown: string): BadRequest =>
  get(`/members?${query}`, `${shown} must be left out: ${accepts.members}`);

/** Values that are not valid for limit; `undefined` stands for a parameter without a value. */
const limits = [
  "0",
  "-1",
  "1001",
  "10000",
  "99999999999999999999",
  "",
  undefined,
  "%2B5",
  "+5",
  "5+",
  "%205",
  "5.0",
  "5.5",
  "1e2",
  "0x10",
  "010",
  "null",
  "NaN",
  "Infinity",
  "true",
  "ten",
  "%D9%A5",
  "%EF%BC%95",
  "5%00",
  "5%0A",
  "10,20",
  "10;drop%20table",
  "5%E2%80%8B",
  "[10]",
];

const notUuids = [
  "",
  "me",
  "null",
  "*",
  uuid.replaceAll("-", ""),
  uuid.slice(0, -1),
  `${uuid}0`,
  `{${uuid}}`,
  `urn:uuid:${uuid}`,
  `+${uuid}`,
  `${uuid}%20`,
  `${uuid}%00`,
  `${uuid}%0A`,
  `${uuid},${uuid}`,
  uuid.replace("0a8f", "0g8f"),
  uuid.replaceAll("-", "_"),
  `${uuid}'%20or%20true--`,
  `eq.${uuid}`,
  "%EF%BC%90a8f3f6e-2f0c-4c55-9a53-3f6b1c0d9e11",
];

export const parameters: BadRequests = {
  "a limit that is not a plain integer from 1 to 1000 is refused, never clamped": [
    ...limits.map((limit) =>
      get(`/members?limit${limit === undefined ? "" : `=${limit}`}`, "limit must be an integer from 1 to 1000"),
    ),
    ...["/users", "/activity", "/kudos", "/rewards", "/day-ratings", "/pulse-responses"].flatMap((path) => [
      get(`${path}?limit=0`, "limit must be an integer from 1 to 1000"),
      get(`${path}?limit=1001`, "limit must be an integer from 1 to 1000"),
    ]),
  ],

  "a format that is not json or csv is refused": [
    "",
    "JSON",
    "CSV",
    "xml",
    "json%20",
    "csv,json",
    "null",
    "text/csv",
  ].map((format) => get(`/rewards?format=${format}`, "format must be json or csv")),

  "an id that is not a uuid is refused and named": [
    ...notUuids.map((id) => get(`/members?team_id=${id}`, "team_id must be a uuid")),
    get("/activity?category_id=1", "category_id must be a uuid"),
    get("/activity?sender_id=", "sender_id must be a uuid"),
    get("/kudos?receiver_id=someone@example.com", "receiver_id must be a uuid"),
    get("/day-ratings?team_id=all", "team_id must be a uuid"),
    get("/rewards?starting_after=last", "starting_after must be a uuid"),
  ],

  "an include that is not a list of further columns, each once, is refused with their names": [
    ...[
      "",
      "sender",
      "sender_id,",
      "sender_id,sender_id",
      "sender_id;category_id",
      "SENDER_ID",
      "sender_id,%20category_id",
      "message",
    ].map((names) =>
      get(`/activity?include=${names}`, "include must be one or more of sender_id, receiver_id, category_id"),
    ),
    get("/rewards?include=external_id,id", "include must be one or more of external_id"),
    get("/day-ratings?include=team_id", "include must be one or more of team_name"),
    get("/pulse-responses?include=question", "include must be one or more of question_id"),
    get("/members?include=team_name", `include must be left out: ${accepts.members}`),
  ],

  "include_archived with any value but true is refused": [
    "",
    "false",
    "TRUE",
    "True",
    "1",
    "yes",
    "true%20",
    "null",
  ].map((value) => get(`/rewards?include_archived=${value}`, "include_archived must be true")),

  "escape_formulas with any value but true is refused, and so it is without format=csv": [
    get("/members?format=csv&escape_formulas=false", "escape_formulas must be true"),
    get("/members?format=csv&escape_formulas=", "escape_formulas must be true"),
    get("/members?format=csv&escape_formulas=1", "escape_formulas must be true"),
    get("/members?escape_formulas=true", "escape_formulas needs format=csv"),
    get("/rewards?escape_formulas=true&format=json", "escape_formulas needs format=csv"),
  ],

  "an empty role is refused, and one that is no text": [
    get("/members?role=", "role must not be empty"),
    get("/members?role", "role must not be empty"),
    get("/members?role=admin%00", "role must not contain NUL or lone surrogates"),
  ],

  "a value that is not percent-encoded UTF-8 is refused and named": [
    ...["%", "%z", "%zz", "%ff", "%C0%AF", "%ED%A0%80", "%F4%90%80%80", "%E2%82", "a%80"].map((value) =>
      get(`/members?role=${value}`, "role must be percent-encoded UTF-8"),
    ),
    get("/members?limit=%", "limit must be percent-encoded UTF-8"),
    get("/activity?since=%ff", "since must be percent-encoded UTF-8"),
    get("/day-ratings?team_id=%C0%80", "team_id must be percent-encoded UTF-8"),
  ],

  "a parameter that no endpoint has is refused, with a list of what the endpoint accepts": [
    leftOut("teamid=1", "teamid"),
    leftOut("Limit=5", "Limit"),
    leftOut("team-id=1", "team-id"),
    leftOut("offset=10", "offset"),
    leftOut("page=2", "page"),
    leftOut("cursor=abc", "cursor"),
    leftOut("select=*", "select"),
    leftOut("order=name.asc", "order"),
    leftOut("company_id=1", "company_id"),
    leftOut("key_hash=00", "key_hash"),
    leftOut("api_key=1", "api_key"),
    leftOut("limit.x=1", "limit.x"),
    leftOut("__proto__=1", "__proto__"),
    leftOut("constructor=1", "constructor"),
    leftOut("toString", "toString"),
    leftOut("limit%5B%5D=1", '"limit[]"'),
    leftOut("limit[0]=1", '"limit[0]"'),
    leftOut("=1", '""'),
    leftOut("=", '""'),
    leftOut("%20limit=1", '" limit"'),
    leftOut("limit%00=1", '"limit\\u0000"'),
    leftOut("a%3B%20b=1", '"a\\u003b b"'),
    leftOut("a%0D%0AX-Evil:1", '"a\\r\\nX-Evil:1"'),
    leftOut("%E2%80%AEx=1", '"\\u202ex"'),
    leftOut("%22=1", '"\\""'),
    leftOut("%zz=1", '"%zz"'),
    leftOut(`${"x".repeat(64)}=1`, "x".repeat(64)),
    leftOut(`${"x".repeat(65)}=1`, "a name of 65 characters"),
    leftOut(`${"%F0%9F%A6%94".repeat(100)}=1`, "a name of 100 characters"),
    leftOut("a?role=admin", '"a?role"'),
    leftOut("?limit=5", '"?limit"'),
  ],

  "a parameter that another endpoint has is refused": [
    get("/members?since=2026-01-01", `since must be left out: ${accepts.members}`),
    get("/users?include_archived=true", `include_archived must be left out: ${accepts.members}`),
    get("/activity?team_id=x", `team_id must be left out: ${accepts.activity}`),
    get("/kudos?role=admin", `role must be left out: ${accepts.activity}`),
    get("/rewards?since=2026-01-01", `since must be left out: ${accepts.rewards}`),
    get("/rewards?team_id=x", `team_id must be left out: ${accepts.rewards}`),
    get("/day-ratings?sender_id=x", `sender_id must be left out: ${accepts.dayRatings}`),
    get("/day-ratings?role=admin", `role must be left out: ${accepts.dayRatings}`),
    get(`/pulse-responses?team_id=${uuid}`, `team_id must be left out: ${accepts.pulseResponses}`),
    get("?limit=5", `limit must be left out: ${accepts.root}`),
    get("/?format=csv", `format must be left out: ${accepts.root}`),
    { ...get("/rewards?limit=5", `limit must be left out: ${accepts.import}`), method: "POST", body: "[]" },
  ],

  "a parameter that comes twice is refused, also when both say the same": [
    get("/members?limit=5&limit=5", `limit must be given once: ${accepts.members}`),
    get("/members?limit=5&limit=6&limit=7", `limit must be given once: ${accepts.members}`),
    get("/members?role=admin&role=employee", `role must be given once: ${accepts.members}`),
    get("/members?limit=5&%6Cimit=5", `limit must be given once: ${accepts.members}`),
    get("/activity?since=2026-01-01&since=2026-01-02", `since must be given once: ${accepts.activity}`),
    get("/rewards?format=csv&format=json", `format must be given once: ${accepts.rewards}`),
    get(`/day-ratings?team_id=${uuid}&team_id=${uuid}`, `team_id must be given once: ${accepts.dayRatings}`),
  ],

  "all that is wrong with the parameters is said at once, in the order in which they were sent": [
    get("/members?limit=0&format=xml", "limit must be an integer from 1 to 1000; format must be json or csv"),
    get(
      "/activity?teamid=1&sender_id=x&limit=1&limit=2&since=never",
      `teamid must be left out: ${accepts.activity}; sender_id must be a uuid; limit must be given once: ${accepts.activity}; ` +
        "since must be an ISO 8601 date-time",
    ),
    get(
      `/members?${Array.from({ length: 25 }, (_, n) => `x${n}=1`).join("&")}`,
      `${Array.from({ length: 20 }, (_, n) => `x${n} must be left out: ${accepts.members}`).join("; ")}; and 5 more`,
    ),
  ],
};
