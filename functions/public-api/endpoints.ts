// The table of all endpoints, as plain data. Routing, validation, GET /, CSV and OpenAPI all use it.
import type {
  AggregatesEndpoint,
  ChangesEndpoint,
  Column,
  Endpoint,
  ImportEndpoint,
  KeyEndpoint,
  ListEndpoint,
  McpEndpoint,
  Parameter,
} from "./endpoint_types.ts";

/** The API version that `GET /` reports (`docs/api.md`, Versioning). */
export const version = "1.3.0";

/** The most rows of a total. The database function is generated with this number. */
export const maxGroups = 10_000;

/** The parameters of every list (`docs/api.md`, Lists). */
const list: readonly Parameter[] = [
  {
    name: "limit",
    kind: "limit",
    description:
      "The maximum number of rows. If there are more, the header `X-Has-More` is `true`, and `starting_after` gets the next page. Any other value is a 400: a larger number is not reduced to 1000.",
    forAssistants: "1 to 1000 rows; 100 without it.",
  },
  { name: "format", kind: "format", description: "`csv` returns the same rows as CSV. Errors are always JSON." },
  {
    name: "escape_formulas",
    kind: "true",
    description:
      "With `format=csv` only: text that starts with `=`, `+`, `-`, `@`, a tab or a carriage return gets a `'` in front, for files that people open in a spreadsheet.",
  },
  {
    name: "starting_after",
    kind: "place",
    description:
      "Only the rows after this row, under the same filters: its time and id joined by `_`, such as `2026-11-20T22:08:07.056550Z_587cdee8-2b44-4e55-9a53-3f6b1c0d9e11`. Those of the last row of a page get the next page, also if that row is deleted meanwhile. The id alone must be that of a row of this list; the row need not match the filters.",
    forAssistants: "For the next page: as the answer says.",
  },
];

/** The additional parameters of lists with a time window (`docs/api.md`, Lists). */
const window: readonly Parameter[] = [
  {
    name: "since",
    kind: "since",
    description:
      "Only rows at or after this time. `YYYY-MM-DDThh:mm`, optionally with seconds, up to nine fractional digits, and a zone (`Z`, `±hh`, `±hh:mm` or `±hhmm`); without a zone it is UTC. A bare date is the start of that day in UTC.",
    forAssistants: "From this day or time on, in UTC: 2026-10-01, or 2026-10-01T09:30Z.",
  },
  {
    name: "until",
    kind: "until",
    description:
      "Only rows at or before this time, in the same forms as `since`. A bare date is the end of that day in UTC. `since` after `until` is a 400.",
    forAssistants: "Up to this time, or to the end of this day.",
  },
];

const teamId: Parameter = {
  name: "team_id",
  kind: "uuid",
  description: "Only this team.",
};

/** The filters of kudos (`docs/api-reference.md`, Activity). */
const ofKudos: readonly Parameter[] = [
  { name: "category_id", kind: "uuid", description: "Only kudos of this category." },
  { name: "sender_id", kind: "uuid", description: "Only kudos from this member." },
  { name: "receiver_id", kind: "uuid", description: "Only kudos to this member." },
];

const include: Parameter = {
  name: "include",
  kind: "include",
  description: "Additional columns, separated by commas. They come after the others, always in the same order.",
  forAssistants: "Additional columns.",
};

const after: Parameter = {
  name: "after",
  kind: "after",
  description:
    "The `cursor` of the last row: only what has changed after it. `start`, also when it is absent, begins a copy: every row. A cursor that is no longer known is a 410.",
};

/** The steps of time that a question can be asked by; one at a time. */
export const steps: readonly string[] = ["day", "week", "month", "quarter", "year"];

const bySteps = steps.map(
  (name) =>
    ({
      name,
      columns: [
        {
          name,
          type: "date",
          description:
            name === "day" ? "The day." : `The first day of the ${name}${name === "week" ? ", a Monday" : ""}.`,
        },
      ],
    }) as const,
);

/** The parameters of every question (`docs/api.md`, Questions). */
const question = (by: string): readonly Parameter[] => [
  ...list.filter(({ name }) => name === "format" || name === "escape_formulas"),
  {
    name: "by",
    kind: "by",
    description: `What the rows are grouped by, separated by commas: ${by}. Each adds its columns, in the order in which they are sent.`,
    forAssistants: `Group by ${by}; month without it.`,
  },
  {
    name: "time_zone",
    kind: "time_zone",
    description:
      "The zone in which days, weeks, months, quarters and years begin: `UTC`, or an IANA name such as `Europe/Berlin`. A bare date in `since` and `until` is that day in this zone; a date-time without a zone is UTC.",
    forAssistants: "Where days and months begin, such as Europe/Berlin; UTC without it.",
  },
  {
    name: "since",
    kind: "since",
    description:
      "Only what happened at or after this time, a date or a date-time as in the lists, at most 400 days before `until`. When it is absent: from the first of the month that was 12 months before `until`.",
    forAssistants: "From this day or time on, at most 400 days before until; the last 12 months without it.",
  },
  {
    name: "until",
    kind: "until",
    description:
      "Only what happened at or before this time, a date or a date-time as in the lists. When it is absent: until now.",
    forAssistants: "Up to this time, or to the end of this day; now without it.",
  },
];

const id: Column = { name: "id", type: "uuid", description: "The id of the row. It never changes." };

const key: KeyEndpoint = {
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
    "Checks the key: returns the API version, the company, the key's name, scopes and expiry, and the list of endpoints. Any valid key will do.",
  forAssistants: "Says of which company the data is, what this key may read until when, and with which tools.",
  parameters: [],
};

/** The lists, and the questions about them (`docs/api.md`, Lists, Questions). */
const reads: readonly (ListEndpoint | AggregatesEndpoint)[] = [
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
    description:
      "Lists the company's people with name, email address, role and team, newest first; `team_id`, `role`, `email` and `name` filter them. Erased people are not in it.",
    forAssistants:
      "Lists people with name, email address, role and team. Use it to find a person by `name`, with `ids` for `sender_id` and `receiver_id`, or who is in a team.",
    parameters: [
      ...list,
      teamId,
      { name: "role", kind: "text", description: "Only people with exactly this role; case matters." },
      {
        name: "email",
        kind: "email",
        description: "Only the person with this whole email address; case does not matter.",
      },
      {
        name: "name",
        kind: "text",
        description: "Only people whose name contains this text; case and accents do not matter.",
      },
    ],
    rows: { name: "Member", description: "A person of the company." },
    columns: [
      id,
      { name: "name", type: "text", description: "The person's name." },
      { name: "email", type: "text", pattern: "^[^@]+@[^@]+$", description: "The person's email address." },
      { name: "role", type: "text", description: "Such as `admin` or `employee`; companies may have other roles." },
      { name: "team_id", type: "uuid", nullable: true, description: "The person's team, or null." },
      { name: "team_name", type: "text", description: "The team's name, or `No Team`." },
      { name: "created_at", type: "date-time", description: "When the person was added." },
    ],
    included: [],
  },
  {
    kind: "list",
    method: "GET",
    path: "/teams",
    aliases: [],
    scope: "read:members",
    rpc: "list_teams",
    tag: "Members",
    operationId: "listTeams",
    summary: "The teams that people are in",
    description: "Lists the company's teams, newest first: the names behind `team_id`, also of teams without people.",
    forAssistants: "Lists the teams. Use it with `ids` to find the id of a team.",
    parameters: [...list],
    rows: { name: "Team", description: "A team of the company." },
    columns: [
      id,
      { name: "name", type: "text", description: "The team's name." },
      { name: "created_at", type: "date-time", description: "When the team was added." },
    ],
    included: [],
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
    description:
      "Lists kudos: who thanked whom, when, for what and with which message, newest first. A time window (`since`, `until`), category, sender and receiver filter them; a row must match all filters that are sent. `include` adds the ids of people and category. An erased person is `Former member`, with an empty email address.",
    forAssistants:
      "Lists kudos: who thanked whom, when, in which category and with which message. Use it to read single kudos. To count them use `count_activity`: one call instead of many pages.",
    parameters: [...list, include, ...window, ...ofKudos],
    rows: { name: "Kudos", description: "One person's thanks to another." },
    columns: [
      id,
      { name: "timestamp", type: "date-time", description: "When the kudos was given." },
      { name: "sender_name", type: "text", description: "Who gave it; `Former member` for a person who was erased." },
      {
        name: "sender_email",
        type: "text",
        description: "The sender's email address; empty for a person who was erased.",
      },
      { name: "receiver_name", type: "text", description: "Who got it; `Former member` for a person who was erased." },
      {
        name: "receiver_email",
        type: "text",
        description: "The recipient's email address; empty for a person who was erased.",
      },
      {
        name: "message",
        type: "text",
        description: "Any Unicode, line breaks too. Empty when it was blanked with the erasure of a person.",
      },
      {
        name: "category",
        type: "text",
        description:
          "The category's name in the company's default language (`pt-br` is `pt-BR`), else in English, else in any.",
      },
    ],
    included: [
      {
        name: "sender_id",
        type: "uuid",
        description:
          "The sender's id, as in `GET /members`; all erased people share one id, which is not listed there.",
      },
      {
        name: "receiver_id",
        type: "uuid",
        description:
          "The recipient's id, as in `GET /members`; all erased people share one id, which is not listed there.",
      },
      { name: "category_id", type: "uuid", description: "The category's id, as in `GET /categories`." },
      ...(["sender", "receiver"] as const).flatMap(
        (person) =>
          [
            {
              name: `${person}_team_id`,
              type: "uuid",
              nullable: true,
              description: `The ${person}'s team today; null without a team, and for a person who was erased.`,
            },
            { name: `${person}_team_name`, type: "text", nullable: true, description: "The team's name, or null." },
          ] as const,
      ),
    ],
  },
  {
    kind: "aggregates",
    method: "GET",
    path: "/activity/counts",
    aliases: ["/kudos/counts"],
    scope: "read:activity",
    rpc: "count_activity",
    tag: "Activity",
    operationId: "countActivity",
    summary: "How many kudos, by time, team, person or category",
    description: `Counts kudos in one request, for a table, a chart or a cell: by month, or by up to three of time, team, person and category, such as \`by=month,receiver_team\`. Only groups that have kudos, the newest time first, then the most kudos. Teams are those of today, as in \`GET /members\`. At most ${maxGroups.toLocaleString("en-US")} rows, and 400 days.`,
    forAssistants:
      "Counts kudos. Use it first for every question of how many: per team, per month, in which category, who gives or gets the most. Most first within a time.",
    parameters: [
      ...question(
        "one to three different ones of `day`, `week`, `month`, `quarter` or `year` (one of these), `category`, `sender_team`, `receiver_team`, `sender` and `receiver`",
      ),
      ...ofKudos,
    ],
    rows: { name: "KudosCount", description: "How many kudos a group has. It has the columns of what `by` names." },
    by: [
      ...bySteps,
      {
        name: "category",
        columns: [
          { name: "category_id", type: "uuid", description: "The category's id, as in `GET /categories`." },
          { name: "category", type: "text", description: "The category's name, as in `GET /activity`." },
        ],
      },
      ...(["sender", "receiver"] as const).map((person) => ({
        name: `${person}_team`,
        columns: [
          {
            name: `${person}_team_id`,
            type: "uuid",
            nullable: true,
            description: `The ${person}'s team today; null without a team, and for people who were erased.`,
          },
          { name: `${person}_team_name`, type: "text", description: "The team's name, or `No Team`." },
        ] as const,
      })),
      ...(["sender", "receiver"] as const).map((person) => ({
        name: person,
        columns: [
          {
            name: `${person}_id`,
            type: "uuid",
            description: `The ${person}'s id, as in \`GET /members\`; all erased people share one id, which is not listed there.`,
          },
          {
            name: `${person}_name`,
            type: "text",
            description: `The ${person}'s name; \`Former member\` for all people who were erased.`,
          },
        ] as const,
      })),
    ],
    columns: [{ name: "kudos", type: "integer", minimum: 1, description: "How many kudos." }],
  },
  {
    kind: "list",
    method: "GET",
    path: "/categories",
    aliases: [],
    scope: "read:activity",
    rpc: "list_categories",
    tag: "Activity",
    operationId: "listCategories",
    summary: "What kudos are given for",
    description:
      "Lists the categories of kudos, newest first: the names behind `category_id`, and the values that this filter of `GET /activity` takes.",
    forAssistants: "Lists the categories of kudos. Use it with `ids` to find the id of a category.",
    parameters: [...list],
    rows: { name: "Category", description: "A category of kudos." },
    columns: [
      id,
      {
        name: "name",
        type: "text",
        description:
          "Its name in the company's default language, else in English, else in any; empty when it has none.",
      },
      { name: "created_at", type: "date-time", description: "When the category was added." },
    ],
    included: [],
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
    description:
      "Lists the rewards that people can buy with points, with price, stock and vendor, newest first. Archived rewards are left out unless `include_archived=true` is sent; `external_id` finds one of them; `include` adds the id of the system that imports them.",
    forAssistants: "Lists the rewards that people can buy with points: prices in points, stock and vendor.",
    parameters: [
      ...list,
      include,
      { name: "include_archived", kind: "true", description: "Archived rewards too; without it they are left out." },
      {
        name: "external_id",
        kind: "text",
        description: "Only the reward with exactly this id in the system that imports it.",
      },
    ],
    rows: { name: "Reward", description: "Something that can be bought with points." },
    columns: [
      id,
      { name: "name", type: "text", description: "The reward's name." },
      { name: "description", type: "text", nullable: true, description: "A description, or null." },
      {
        name: "points_cost",
        type: "integer",
        minimum: 0,
        maximum: 9007199254740991,
        description: "The price in points.",
      },
      { name: "reward_type", type: "text", description: "Such as `perk`; companies may have other types." },
      {
        name: "stock_count",
        type: "integer",
        nullable: true,
        description: "How many are left; null when they are not counted.",
      },
      { name: "image_url", type: "text", nullable: true, description: "The address of a picture, or null." },
      { name: "vendor_name", type: "text", nullable: true, description: "Who supplies it, or null." },
      { name: "is_archived", type: "boolean", description: "Whether the reward is archived." },
      { name: "created_at", type: "date-time", description: "When the reward was added." },
    ],
    included: [
      {
        name: "external_id",
        type: "text",
        nullable: true,
        description: "The id of the reward in the system that imports it; null if it was not imported.",
      },
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
    description:
      "Lists day ratings, from 1 (bad) to 5 (good), with comment and team, newest first; a time window (`since`, `until`) and `team_id` filter them. They are anonymous: a rating belongs to a team at most, never to a person.",
    forAssistants:
      "Lists how days were rated, from 1 (bad) to 5 (good), with comment and team, anonymously. For averages use `average_day_ratings`.",
    parameters: [...list, include, ...window, teamId],
    rows: { name: "DayRating", description: "How somebody of a team rated a day." },
    columns: [
      id,
      { name: "rating", type: "integer", minimum: 1, maximum: 5, description: "From 1 (bad) to 5 (good)." },
      { name: "comment", type: "text", nullable: true, description: "A comment, or null." },
      { name: "team_id", type: "uuid", nullable: true, description: "The team, or null." },
      {
        name: "points_awarded",
        type: "integer",
        nullable: true,
        description: "Points that the rating earned, or null.",
      },
      { name: "created_at", type: "date-time", description: "When the day was rated." },
    ],
    included: [{ name: "team_name", type: "text", nullable: true, description: "The team's name, or null." }],
  },
  {
    kind: "aggregates",
    method: "GET",
    path: "/day-ratings/averages",
    aliases: [],
    scope: "read:analytics",
    rpc: "average_day_ratings",
    tag: "Analytics",
    operationId: "averageDayRatings",
    summary: "How days were rated on average, by time or team",
    description: `Answers number and average of day ratings in one request: by month, or by a step of time, by team, or by both, such as \`by=week,team\`. Only groups that have ratings, the newest time first, then the most ratings. At most ${maxGroups.toLocaleString("en-US")} rows, and 400 days.`,
    forAssistants:
      "Averages day ratings from 1 (bad) to 5 (good). Use it first for every question of how the mood is or changes, of all or by team.",
    parameters: [
      ...question("`day`, `week`, `month`, `quarter` or `year`, or `team`, or one of the former and `team`"),
      teamId,
    ],
    rows: {
      name: "DayRatingAverage",
      description: "How days were rated on average. It has the columns of what `by` names.",
    },
    by: [
      ...bySteps,
      {
        name: "team",
        columns: [
          { name: "team_id", type: "uuid", nullable: true, description: "The team, or null." },
          { name: "team_name", type: "text", description: "The team's name, or `No Team`." },
        ],
      },
    ],
    columns: [
      { name: "ratings", type: "integer", minimum: 1, description: "How many ratings." },
      {
        name: "average",
        type: "number",
        minimum: 1,
        maximum: 5,
        description: "Their average with two decimals, halves rounded up.",
      },
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
    description:
      "Lists answers to pulse surveys with their questions, newest first; a time window (`since`, `until`) filters them. They are anonymous: an answer names neither a person nor a team.",
    forAssistants: "Lists what people answered to pulse surveys, with the questions, anonymously.",
    parameters: [...list, include, ...window],
    rows: { name: "PulseAnswer", description: "An answer to a question of a pulse survey." },
    columns: [
      id,
      { name: "timestamp", type: "date-time", description: "When it was answered." },
      { name: "question", type: "text", nullable: true, description: "The question, or null." },
      {
        name: "response_type",
        type: "text",
        nullable: true,
        description: "What kind of answer the question expects, or null.",
      },
      {
        name: "value",
        type: "json",
        nullable: true,
        description: "The answer, any JSON value: number, text, boolean, list, object or null.",
      },
      { name: "comment", type: "text", description: "Empty when there is none." },
    ],
    included: [{ name: "question_id", type: "uuid", nullable: true, description: "The question's id, or null." }],
  },
];

export const lists = reads.filter((endpoint) => endpoint.kind === "list");

const rewardImport: ImportEndpoint = {
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
    "Creates and updates rewards. They are matched on `external_id`: a known one is updated, so a whole catalogue can be sent again and again. All rows are checked before anything is written; if one is wrong, nothing is written. At most 500 rewards and 8 MiB of JSON in UTF-8, whatever `Content-Type` says. A field that is left out of an update keeps its value, and so does every reward that the request does not name; a reward is retired with `is_archived`. With `dry_run=true` everything is checked and counted, and nothing is written.",
  parameters: [{ name: "dry_run", kind: "true", description: "Check and count, write nothing: `imported` is then 0." }],
};

const mcp: McpEndpoint = {
  kind: "mcp",
  method: "POST",
  path: "/mcp",
  aliases: [],
  scope: null,
  rpc: "verify_api_key",
  tag: "Key",
  operationId: "assist",
  summary: "The API as tools of an assistant (Model Context Protocol)",
  description:
    "Model Context Protocol, Streamable HTTP without sessions: what the key may read, as tools of an assistant. It writes nothing.",
  parameters: [],
};

/** The columns behind all others of a row of changes. */
export const changeColumns: readonly Column[] = [
  { name: "cursor", type: "text", description: "What to send as `after` to get the changes after this one." },
  {
    name: "deleted",
    type: "boolean",
    description: "Whether the row has been deleted: then all columns but `id`, `cursor` and this one are null.",
  },
];

const limitOfChanges =
  "The maximum number of rows. If there are more, the header `X-Has-More` is `true`, and `after` with the `cursor` of the last row gets the next page.";

/** The changes of a list, with the list's scope (`docs/api.md`, Keeping a copy). */
function changesOf(list: ListEndpoint): ChangesEndpoint {
  const name = list.path.slice(1);
  const shared = list.parameters
    .filter(({ name }) => ["limit", "format", "escape_formulas", "include"].includes(name))
    .map((one) => (one.name === "limit" ? { ...one, description: limitOfChanges } : one));
  return {
    ...list,
    forAssistants: undefined,
    kind: "changes",
    list: name,
    path: `${list.path}/changes`,
    aliases: list.aliases.map((alias) => `${alias}/changes`),
    rpc: "list_changes",
    parameters: [...shared, after],
    operationId: `${list.operationId}Changes`,
    summary: `What has changed in ${list.path}`,
    description: `Lists what has been added, changed or deleted in \`GET ${list.path}\`, oldest change first, to keep a copy up to date: without \`after\` every row, then what has changed since the \`cursor\` of the last row.`,
    rows: {
      name: `${list.rows.name}Change`,
      description: `A row of \`GET ${list.path}\` as it is now, or that it has been deleted.`,
    },
  };
}

/** Every method and path (`docs/api.md`, Requests). */
export const endpoints: readonly Endpoint[] = [key, ...reads, rewardImport, ...lists.map(changesOf), mcp];
