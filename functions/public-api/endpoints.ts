// The one table of what the API offers, as plain data. Routing, validation, the root response and the CSV columns read it here;
// so may anything else that has to know them (an OpenAPI document, a page that lists scopes).

/** What a query parameter's value must look like (`docs/api.md`, Lists). `true` means that `true` is its only value. */
export type ParameterKind = "limit" | "format" | "true" | "uuid" | "text" | "since" | "until";
type Parameter = { readonly name: string; readonly kind: ParameterKind };

export type ColumnType = "uuid" | "text" | "integer" | "boolean" | "date-time" | "json";
export type Column = { readonly name: string; readonly type: ColumnType; readonly nullable: boolean };

/** `columns` are in the order of JSON and CSV, and are only ever appended to; an endpoint that has some is a list. */
export type Endpoint = {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly aliases: readonly string[];
  readonly scope: string | null;
  readonly rpc: string;
  readonly parameters: readonly Parameter[];
  readonly columns: readonly Column[];
};

/** The API version that `GET /` reports (`docs/api.md`, Versioning). */
export const version = "1.0.0";

/** What a key may be allowed to do (`docs/api.md`, Authentication). */
export const scopes = [
  { name: "read:members", description: "GET /members (names, emails, roles, teams)" },
  { name: "read:activity", description: "GET /activity (kudos with sender, recipient, category)" },
  { name: "read:rewards", description: "GET /rewards" },
  { name: "read:analytics", description: "GET /day-ratings and GET /pulse-responses, without identities" },
  { name: "write:rewards", description: "POST /rewards" },
] as const;

const list: readonly Parameter[] = [
  { name: "limit", kind: "limit" },
  { name: "format", kind: "format" },
  { name: "escape_formulas", kind: "true" },
];

const window: readonly Parameter[] = [
  { name: "since", kind: "since" },
  { name: "until", kind: "until" },
];

/** Every method and path (`docs/api.md`, Requests). */
export const endpoints: readonly Endpoint[] = [
  { method: "GET", path: "/", aliases: [], scope: null, rpc: "verify_api_key", parameters: [], columns: [] },
  {
    method: "GET",
    path: "/members",
    aliases: ["/users"],
    scope: "read:members",
    rpc: "list_members",
    parameters: [...list, { name: "team_id", kind: "uuid" }, { name: "role", kind: "text" }],
    columns: [
      { name: "id", type: "uuid", nullable: false },
      { name: "name", type: "text", nullable: false },
      { name: "email", type: "text", nullable: false },
      { name: "role", type: "text", nullable: false },
      { name: "team_id", type: "uuid", nullable: true },
      { name: "team_name", type: "text", nullable: false },
      { name: "created_at", type: "date-time", nullable: false },
    ],
  },
  {
    method: "GET",
    path: "/activity",
    aliases: ["/kudos"],
    scope: "read:activity",
    rpc: "list_activity",
    parameters: [
      ...list,
      ...window,
      { name: "category_id", kind: "uuid" },
      { name: "sender_id", kind: "uuid" },
      { name: "receiver_id", kind: "uuid" },
    ],
    columns: [
      { name: "id", type: "uuid", nullable: false },
      { name: "timestamp", type: "date-time", nullable: false },
      { name: "sender_name", type: "text", nullable: false },
      { name: "sender_email", type: "text", nullable: false },
      { name: "receiver_name", type: "text", nullable: false },
      { name: "receiver_email", type: "text", nullable: false },
      { name: "message", type: "text", nullable: false },
      { name: "category", type: "text", nullable: false },
    ],
  },
  {
    method: "GET",
    path: "/rewards",
    aliases: [],
    scope: "read:rewards",
    rpc: "list_rewards",
    parameters: [...list, { name: "include_archived", kind: "true" }],
    columns: [
      { name: "id", type: "uuid", nullable: false },
      { name: "name", type: "text", nullable: false },
      { name: "description", type: "text", nullable: true },
      { name: "points_cost", type: "integer", nullable: false },
      { name: "reward_type", type: "text", nullable: false },
      { name: "stock_count", type: "integer", nullable: true },
      { name: "image_url", type: "text", nullable: true },
      { name: "vendor_name", type: "text", nullable: true },
      { name: "is_archived", type: "boolean", nullable: false },
      { name: "created_at", type: "date-time", nullable: false },
    ],
  },
  {
    method: "GET",
    path: "/day-ratings",
    aliases: [],
    scope: "read:analytics",
    rpc: "list_day_ratings",
    parameters: [...list, ...window, { name: "team_id", kind: "uuid" }],
    columns: [
      { name: "id", type: "uuid", nullable: false },
      { name: "rating", type: "integer", nullable: false },
      { name: "comment", type: "text", nullable: true },
      { name: "team_id", type: "uuid", nullable: true },
      { name: "points_awarded", type: "integer", nullable: true },
      { name: "created_at", type: "date-time", nullable: false },
    ],
  },
  {
    method: "GET",
    path: "/pulse-responses",
    aliases: [],
    scope: "read:analytics",
    rpc: "list_pulse_responses",
    parameters: [...list, ...window],
    columns: [
      { name: "id", type: "uuid", nullable: false },
      { name: "timestamp", type: "date-time", nullable: false },
      { name: "question", type: "text", nullable: true },
      { name: "response_type", type: "text", nullable: true },
      { name: "value", type: "json", nullable: true },
      { name: "comment", type: "text", nullable: false },
    ],
  },
  {
    method: "POST",
    path: "/rewards",
    aliases: [],
    scope: "write:rewards",
    rpc: "upsert_rewards",
    parameters: [],
    columns: [],
  },
];
