// What the OpenAPI document says in words, and the few bounds that only the specification knows. Endpoints, parameters and fields come
// from endpoints.ts; the generator refuses to run when one of them is missing here, or is here only.

/** A description, with keywords of JSON Schema that go beyond the column's type. */
export type FieldWords = { readonly description: string; readonly [keyword: string]: unknown };

export type EndpointWords = {
  readonly tag: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  /** The schema of a list's rows: its name, what a row is, and its fields. */
  readonly rows?: { readonly name: string; readonly description: string; readonly fields: Record<string, FieldWords> };
};

export const introduction = `
One company's people, kudos, rewards and anonymous mood data, as JSON or CSV; and a reward catalogue in.

- **Key**: an admin makes it in the dashboard (Integrations, Public API, Create key). It sees the company that owns it and nothing else. Send it as \`X-API-Key: sk_live_…\` or \`Authorization: Bearer sk_live_…\`; a tool that only keeps a user name and a password sends it as either (Basic). It is never read from the address.
- **Lists** are newest first. Rows of the same instant are ordered by \`id\`, descending. \`X-Has-More\` says whether there are more rows than \`limit\`; there is no cursor: send the
  time of the last row as \`until\`, and drop the ids that you have seen.
- **Checks** are made in this order: path (404), method (405), key (401), scope (403), parameters (400), body (400). A parameter that an endpoint does not list, or one
  that is sent twice, is a 400.
- **Every error** is a JSON object with one text: \`{ "error": "…" }\`; also 404 \`Not Found: /people\` and 405 \`Method Not Allowed: …\` (with \`Allow\`), which belong to no endpoint below.
- **Also**: \`HEAD\` answers as \`GET\` without the body, \`OPTIONS\` answers the CORS preflight with 204. A trailing slash changes nothing; there are no redirects. The platform in front may answer
  429, 503, 504 or 546 with a body of its own: try again later.
- **Changes**: new fields are only ever appended, and fields, endpoints and optional parameters may be added at any time. Read what you know and ignore the rest.
`.trim();

export const tags: Record<string, string> = {
  Key: "What a key is and may do.",
  Members: "People, their roles and teams.",
  Activity: "Kudos with sender, recipient and category.",
  Rewards: "The reward catalogue, out and in.",
  Analytics: "Anonymous mood data: no row names a person.",
};

export const parameterWords: Record<string, string> = {
  limit: "How many rows at most. Anything but an integer from 1 to 1000 is a 400; it is never cut down to fit.",
  format: "`csv` returns the same rows as CSV. Errors are JSON all the same.",
  escape_formulas:
    "With `format=csv` only: text that starts with `=`, `+`, `-`, `@`, a tab or a carriage return gets a `'` in front, for files that people open in a spreadsheet.",
  since:
    "Only rows at or after this time. `YYYY-MM-DDThh:mm`, optionally with seconds, up to nine fractional digits, and a zone (`Z`, `±hh`, `±hh:mm` or `±hhmm`); without a zone it is UTC. A bare date is the start of that day in UTC.",
  until:
    "Only rows at or before this time, in the same forms as `since`. A bare date is the end of that day in UTC. `since` after `until` is a 400.",
  team_id: "Only this team. An id of another company finds nothing, exactly as one that does not exist.",
  role: "Only people with exactly this role; case matters.",
  category_id: "Only kudos of this category.",
  sender_id: "Only kudos from this member.",
  receiver_id: "Only kudos to this member.",
  include_archived: "Archived rewards too; without it they are left out.",
};

const id = { description: "The row's own id, for good." };
const largest = Number.MAX_SAFE_INTEGER;

export const endpointWords: Record<string, EndpointWords> = {
  "GET /": {
    tag: "Key",
    operationId: "checkKey",
    summary: "Check the key",
    description:
      "The API version, the company and the scopes of the key, and the list of endpoints. Any valid key will do.",
  },
  "GET /members": {
    tag: "Members",
    operationId: "listMembers",
    summary: "People, their roles and teams",
    description: "No time window: up to 1000 people can be reached, more by `team_id` and `role`.",
    rows: {
      name: "Member",
      description: "A person of the company.",
      fields: {
        id,
        name: { description: "The person's name." },
        email: { description: "The person's e-mail address.", format: "email" },
        role: { description: "Such as `admin` or `employee`; companies may have other roles." },
        team_id: { description: "The person's team, or null." },
        team_name: { description: "The team's name, or `No Team`." },
        created_at: { description: "When the person was added." },
      },
    },
  },
  "GET /activity": {
    tag: "Activity",
    operationId: "listActivity",
    summary: "Kudos with sender, recipient and category",
    description: "All filters that are sent must be met.",
    rows: {
      name: "Kudos",
      description: "One person's thanks to another.",
      fields: {
        id,
        timestamp: { description: "When the kudos was given." },
        sender_name: { description: "Who gave it." },
        sender_email: { description: "The sender's e-mail address." },
        receiver_name: { description: "Who got it." },
        receiver_email: { description: "The recipient's e-mail address." },
        message: { description: "Any Unicode, line breaks too." },
        category: {
          description: "The category's name in the company's default language, else in English, else in any.",
        },
      },
    },
  },
  "GET /rewards": {
    tag: "Rewards",
    operationId: "listRewards",
    summary: "The reward catalogue",
    description: "No time window: up to 1000 rewards can be reached. Archived ones are left out unless asked for.",
    rows: {
      name: "Reward",
      description: "Something that points can buy.",
      fields: {
        id,
        name: { description: "The reward's name." },
        description: { description: "More about it, or null." },
        points_cost: { description: "What it costs.", minimum: 0, maximum: largest },
        reward_type: { description: "Such as `perk`; companies may have other types." },
        stock_count: { description: "How many are left; null when they are not counted." },
        image_url: { description: "The address of a picture, or null." },
        vendor_name: { description: "Who supplies it, or null." },
        is_archived: { description: "Whether it is out of the catalogue." },
        created_at: { description: "When it was added." },
      },
    },
  },
  "GET /day-ratings": {
    tag: "Analytics",
    operationId: "listDayRatings",
    summary: "How days were rated, by team",
    description: "A rating belongs to a team at most, never to a person.",
    rows: {
      name: "DayRating",
      description: "How somebody of a team rated a day.",
      fields: {
        id,
        rating: { description: "From 1 (bad) to 5 (good).", minimum: 1, maximum: 5 },
        comment: { description: "What was said about it, or null." },
        team_id: { description: "The team, or null." },
        points_awarded: { description: "Points that the rating earned, or null." },
        created_at: { description: "When the day was rated." },
      },
    },
  },
  "GET /pulse-responses": {
    tag: "Analytics",
    operationId: "listPulseResponses",
    summary: "Answers to pulse surveys",
    description: "An answer names neither a person nor a team.",
    rows: {
      name: "PulseAnswer",
      description: "An answer to a question of a pulse survey.",
      fields: {
        id,
        timestamp: { description: "When it was answered." },
        question: { description: "The question, or null." },
        response_type: { description: "What kind of answer was asked for, or null." },
        value: { description: "The answer, any JSON value: number, text, boolean, list, object or null." },
        comment: { description: "Empty when there is none." },
      },
    },
  },
  "POST /rewards": {
    tag: "Rewards",
    operationId: "importRewards",
    summary: "Create or update rewards",
    description:
      "Rewards are matched on `external_id`: a known one is updated, so a whole catalogue can be sent again and again. All rows are checked before anything is written; if one is wrong, nothing is. At most 500 rewards and 8 MiB of JSON in UTF-8, whatever `Content-Type` says. An import leaves `is_archived`, `stock_count`, `image_url`, `vendor_name`, `created_at` and all other rewards alone.",
  },
};

/** The fields of a row that is imported; their types and lengths are those of the function's own check. */
export const rewardRowWords: Record<string, string> = {
  external_id: "Your system's own id for the reward; unique in a request.",
  name: "The reward's name.",
  description: "More about it. Created as null when absent; on an update an absent one is kept, and null clears it.",
  points_cost: "What it costs: rounded to a whole number, halves up.",
  reward_type: "Created as `perk` when absent; on an update an absent one is kept.",
};

export const errorWords: Record<string, string> = {
  400: "A parameter, the body or a row is wrong; nothing was written. The text names every place and what would be right, joined by `; `, at most 20 of them.",
  401: "The key is missing, malformed, unknown, revoked or expired.",
  403: "The key lacks the endpoint's scope.",
  408: "The body was not complete after 10 seconds.",
  500: "Something failed on the service's side; the details are in its log, beside the request id.",
};

/** The texts of the errors that cannot be had by asking. */
export const errorTexts: Record<string, string> = { 408: "Request Timeout", 500: "Internal Server Error" };
