// The one table of what the API offers, as plain data without imports: for routing, validation, GET /, CSV, OpenAPI and the list of scopes.

/** What a query parameter's value must look like (`docs/api.md`, Lists). `true` means that `true` is its only value. */
export type ParameterKind = "limit" | "format" | "true" | "uuid" | "text" | "since" | "until";
export type Parameter = { readonly name: string; readonly kind: ParameterKind; readonly description: string };

export type ColumnType = "uuid" | "text" | "integer" | "boolean" | "date-time" | "json";

/** `format`, `minimum` and `maximum` are keywords of JSON Schema that narrow the type. */
export type Column = {
  readonly name: string;
  readonly type: ColumnType;
  readonly nullable?: true;
  readonly description: string;
  readonly format?: "email";
  readonly minimum?: number;
  readonly maximum?: number;
};

type Common = {
  readonly path: string;
  readonly aliases: readonly string[];
  /** The scope that a key needs; null when any valid key will do. */
  readonly scope: Scope | null;
  /** The database function that serves it. */
  readonly rpc: string;
  readonly parameters: readonly Parameter[];
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
};

/** `GET /`: what a key is and may do. */
export type KeyEndpoint = Common & { readonly kind: "key"; readonly method: "GET" };

/** A list. `rows` names what a row is; `columns` are in the order of JSON and CSV, and are only ever appended to. */
export type ListEndpoint = Common & {
  readonly kind: "list";
  readonly method: "GET";
  readonly rows: { readonly name: string; readonly description: string };
  readonly columns: readonly Column[];
};

/** The import of rewards. The fields of its rows stand in reward_import.ts. */
export type ImportEndpoint = Common & { readonly kind: "import"; readonly method: "POST" };

export type Endpoint = KeyEndpoint | ListEndpoint | ImportEndpoint;

/** The API version that `GET /` reports (`docs/api.md`, Versioning). */
export const version = "1.0.0";

/** What a key may be allowed to do (`docs/api.md`, Authentication). `opens` says it to the admin who makes the key. */
export const scopes = [
  {
    name: "read:members",
    description: "GET /members (names, emails, roles, teams)",
    opens: "names, e-mail addresses, roles and teams of your people",
  },
  {
    name: "read:activity",
    description: "GET /activity (kudos with sender, recipient, category)",
    opens: "kudos: who thanked whom, with names and e-mail addresses, and the message",
  },
  { name: "read:rewards", description: "GET /rewards", opens: "the reward catalogue, with prices in points and stock" },
  {
    name: "read:analytics",
    description: "GET /day-ratings and GET /pulse-responses, without identities",
    opens: "moods: day ratings and pulse survey answers, without names",
  },
  {
    name: "write:rewards",
    description: "POST /rewards",
    opens: "lets the system add and change rewards in your catalogue",
  },
] as const;

export type Scope = (typeof scopes)[number]["name"];

const list: readonly Parameter[] = [
  {
    name: "limit",
    kind: "limit",
    description: "How many rows at most. Anything but an integer from 1 to 1000 is a 400; it is never cut down to fit.",
  },
  { name: "format", kind: "format", description: "`csv` returns the same rows as CSV. Errors are JSON all the same." },
  {
    name: "escape_formulas",
    kind: "true",
    description:
      "With `format=csv` only: text that starts with `=`, `+`, `-`, `@`, a tab or a carriage return gets a `'` in front, for files that people open in a spreadsheet.",
  },
];

const window: readonly Parameter[] = [
  {
    name: "since",
    kind: "since",
    description:
      "Only rows at or after this time. `YYYY-MM-DDThh:mm`, optionally with seconds, up to nine fractional digits, and a zone (`Z`, `±hh`, `±hh:mm` or `±hhmm`); without a zone it is UTC. A bare date is the start of that day in UTC.",
  },
  {
    name: "until",
    kind: "until",
    description:
      "Only rows at or before this time, in the same forms as `since`. A bare date is the end of that day in UTC. `since` after `until` is a 400.",
  },
];

const teamId: Parameter = {
  name: "team_id",
  kind: "uuid",
  description: "Only this team. An id of another company finds nothing, exactly as one that does not exist.",
};

const id: Column = { name: "id", type: "uuid", description: "The row's own id, for good." };

/** Every method and path (`docs/api.md`, Requests). */
export const endpoints: readonly Endpoint[] = [
  {
    kind: "key",
    method: "GET",
    path: "/",
    aliases: [],
    scope: null,
    rpc: "verify_api_key",
    tag: "Key",
    operationId: "checkKey",
    summary: "Check the key",
    description:
      "The API version, the company and the scopes of the key, and the list of endpoints. Any valid key will do.",
    parameters: [],
  },
  {
    kind: "list",
    method: "GET",
    path: "/members",
    aliases: ["/users"],
    scope: "read:members",
    rpc: "list_members",
    tag: "Members",
    operationId: "listMembers",
    summary: "People, their roles and teams",
    description: "No time window: up to 1000 people can be reached, more by `team_id` and `role`.",
    parameters: [
      ...list,
      teamId,
      { name: "role", kind: "text", description: "Only people with exactly this role; case matters." },
    ],
    rows: { name: "Member", description: "A person of the company." },
    columns: [
      id,
      { name: "name", type: "text", description: "The person's name." },
      { name: "email", type: "text", format: "email", description: "The person's e-mail address." },
      { name: "role", type: "text", description: "Such as `admin` or `employee`; companies may have other roles." },
      { name: "team_id", type: "uuid", nullable: true, description: "The person's team, or null." },
      { name: "team_name", type: "text", description: "The team's name, or `No Team`." },
      { name: "created_at", type: "date-time", description: "When the person was added." },
    ],
  },
  {
    kind: "list",
    method: "GET",
    path: "/activity",
    aliases: ["/kudos"],
    scope: "read:activity",
    rpc: "list_activity",
    tag: "Activity",
    operationId: "listActivity",
    summary: "Kudos with sender, recipient and category",
    description: "All filters that are sent must be met.",
    parameters: [
      ...list,
      ...window,
      { name: "category_id", kind: "uuid", description: "Only kudos of this category." },
      { name: "sender_id", kind: "uuid", description: "Only kudos from this member." },
      { name: "receiver_id", kind: "uuid", description: "Only kudos to this member." },
    ],
    rows: { name: "Kudos", description: "One person's thanks to another." },
    columns: [
      id,
      { name: "timestamp", type: "date-time", description: "When the kudos was given." },
      { name: "sender_name", type: "text", description: "Who gave it." },
      { name: "sender_email", type: "text", description: "The sender's e-mail address." },
      { name: "receiver_name", type: "text", description: "Who got it." },
      { name: "receiver_email", type: "text", description: "The recipient's e-mail address." },
      { name: "message", type: "text", description: "Any Unicode, line breaks too." },
      {
        name: "category",
        type: "text",
        description: "The category's name in the company's default language, else in English, else in any.",
      },
    ],
  },
  {
    kind: "list",
    method: "GET",
    path: "/rewards",
    aliases: [],
    scope: "read:rewards",
    rpc: "list_rewards",
    tag: "Rewards",
    operationId: "listRewards",
    summary: "The reward catalogue",
    description: "No time window: up to 1000 rewards can be reached. Archived ones are left out unless asked for.",
    parameters: [
      ...list,
      { name: "include_archived", kind: "true", description: "Archived rewards too; without it they are left out." },
    ],
    rows: { name: "Reward", description: "Something that points can buy." },
    columns: [
      id,
      { name: "name", type: "text", description: "The reward's name." },
      { name: "description", type: "text", nullable: true, description: "More about it, or null." },
      { name: "points_cost", type: "integer", minimum: 0, maximum: 9007199254740991, description: "What it costs." },
      { name: "reward_type", type: "text", description: "Such as `perk`; companies may have other types." },
      {
        name: "stock_count",
        type: "integer",
        nullable: true,
        description: "How many are left; null when they are not counted.",
      },
      { name: "image_url", type: "text", nullable: true, description: "The address of a picture, or null." },
      { name: "vendor_name", type: "text", nullable: true, description: "Who supplies it, or null." },
      { name: "is_archived", type: "boolean", description: "Whether it is out of the catalogue." },
      { name: "created_at", type: "date-time", description: "When it was added." },
    ],
  },
  {
    kind: "list",
    method: "GET",
    path: "/day-ratings",
    aliases: [],
    scope: "read:analytics",
    rpc: "list_day_ratings",
    tag: "Analytics",
    operationId: "listDayRatings",
    summary: "How days were rated, by team",
    description: "A rating belongs to a team at most, never to a person.",
    parameters: [...list, ...window, teamId],
    rows: { name: "DayRating", description: "How somebody of a team rated a day." },
    columns: [
      id,
      { name: "rating", type: "integer", minimum: 1, maximum: 5, description: "From 1 (bad) to 5 (good)." },
      { name: "comment", type: "text", nullable: true, description: "What was said about it, or null." },
      { name: "team_id", type: "uuid", nullable: true, description: "The team, or null." },
      {
        name: "points_awarded",
        type: "integer",
        nullable: true,
        description: "Points that the rating earned, or null.",
      },
      { name: "created_at", type: "date-time", description: "When the day was rated." },
    ],
  },
  {
    kind: "list",
    method: "GET",
    path: "/pulse-responses",
    aliases: [],
    scope: "read:analytics",
    rpc: "list_pulse_responses",
    tag: "Analytics",
    operationId: "listPulseResponses",
    summary: "Answers to pulse surveys",
    description: "An answer names neither a person nor a team.",
    parameters: [...list, ...window],
    rows: { name: "PulseAnswer", description: "An answer to a question of a pulse survey." },
    columns: [
      id,
      { name: "timestamp", type: "date-time", description: "When it was answered." },
      { name: "question", type: "text", nullable: true, description: "The question, or null." },
      {
        name: "response_type",
        type: "text",
        nullable: true,
        description: "What kind of answer was asked for, or null.",
      },
      {
        name: "value",
        type: "json",
        nullable: true,
        description: "The answer, any JSON value: number, text, boolean, list, object or null.",
      },
      { name: "comment", type: "text", description: "Empty when there is none." },
    ],
  },
  {
    kind: "import",
    method: "POST",
    path: "/rewards",
    aliases: [],
    scope: "write:rewards",
    rpc: "upsert_rewards",
    tag: "Rewards",
    operationId: "importRewards",
    summary: "Create or update rewards",
    description:
      "Rewards are matched on `external_id`: a known one is updated, so a whole catalogue can be sent again and again. All rows are checked before anything is written; if one is wrong, nothing is. At most 500 rewards and 8 MiB of JSON in UTF-8, whatever `Content-Type` says. An import leaves `is_archived`, `stock_count`, `image_url`, `vendor_name`, `created_at` and all other rewards alone.",
    parameters: [],
  },
];
