// The table of all endpoints, as plain data. Routing, validation, GET /, CSV and OpenAPI all use it.
import type { ParameterKind } from "./kinds.ts";
import type { Scope } from "./scopes.ts";
import type { AggregatesEndpoint, ChangesEndpoint, Column, Endpoint, ListEndpoint, Parameter } from "./types.ts";

/** The API version that `GET /` reports (`docs/api.md`, Versioning). */
export const version = "1.4.2";

/** The most rows of a total without `limit`. The database function is generated with this number. */
export const maxGroups = 10_000;

/** A parameter: its name, behind it its kind where that is another word; its text for a model where that is another one. */
const parameter = (
  nameAndKind: ParameterKind | `${string} ${ParameterKind}`,
  description: string,
  forAssistants?: string,
): Parameter => {
  const [name = "", kind = name] = nameAndKind.split(" ");
  return { name, kind: kind as ParameterKind, description, ...(forAssistants && { forAssistants }) };
};

/** A column, with what narrows its type; a question mark behind the type says that it may be null. */
const column = (
  name: string,
  type: Column["type"] | `${Column["type"]}?`,
  description: string,
  narrower: Pick<Column, "pattern" | "minimum" | "maximum"> = {},
): Column => {
  const nullable = type.endsWith("?") && ({ nullable: true } as const);
  return { name, type: type.replace("?", "") as Column["type"], ...nullable, ...narrower, description };
};

type Of<Kind> = Extract<Endpoint, { kind: Kind }>;
type Usual = "kind" | "method" | "path" | "aliases" | "scope" | "parameters";
/** What an endpoint does not say itself is as with most. */
type Facts<Kind, Known extends string = Usual> = Omit<Of<Kind>, Known> & Partial<Of<Kind>>;

/** An endpoint of a kind, at a path, for keys with a scope. */
const endpoint = <Kind extends Endpoint["kind"]>(kind: Kind, path: string, scope: Scope | null, facts: Facts<Kind>) =>
  ({ kind, method: "GET", path, aliases: [], scope, parameters: [], ...facts }) as unknown as Of<Kind>;

/** A list. Its database function and its tool are called as its path is. */
const aList = (path: string, scope: Scope, facts: Facts<"list", Usual | "operation" | "included">): ListEndpoint =>
  endpoint("list", path, scope, { operation: `list_${path.slice(1).replaceAll("-", "_")}`, included: [], ...facts });

/** The parameters of every list (`docs/api.md`, Lists). */
const list: readonly Parameter[] = [
  parameter(
    "limit",
    "The maximum number of rows. If there are more, the header `X-Has-More` is `true`, and `starting_after` gets the next page. Any other value gets a 400; a larger number is not reduced to 1000.",
    "1 to 1000; 100 without it.",
  ),
  parameter("format", "`csv` returns the same rows as CSV. Errors are always JSON."),
  parameter(
    "escape_formulas true",
    "With `format=csv` only: text that starts with `=`, `+`, `-`, `@`, a tab, or a carriage return gets a leading `'`. For files that people open in a spreadsheet.",
  ),
  parameter(
    "starting_after place",
    "Returns only the rows after this one: the time and ID of a row, joined by `_`, such as `2026-11-20T22:08:07.056550Z_587cdee8-2b44-4e55-9a53-3f6b1c0d9e11`. To get the next page, send those of the last row, with the same filters; this works even if that row has been deleted. An ID without a time must belong to a row of this list, which can be outside the filters.",
    "For the next page: as the answer says.",
  ),
];

/** The additional parameters of lists with a time window (`docs/api.md`, Lists). */
const window: readonly Parameter[] = [
  parameter(
    "since",
    "Only rows at or after this time. `YYYY-MM-DDThh:mm`, optionally with seconds, up to nine fractional digits, and a zone (`Z`, `±hh`, `±hh:mm` or `±hhmm`); without a zone, it is UTC. A bare date is the start of that day in UTC.",
    "From this day or time on, in UTC: 2026-10-01, or 2026-10-01T09:30Z.",
  ),
  parameter(
    "until",
    "Only rows at or before this time, in the same forms as `since`. A bare date is the end of that day in UTC. If `since` is after `until`, you get a 400.",
    "Up to this time, or the end of this day.",
  ),
];

const teamId = parameter("team_id uuid", "Only this team.");

/** The filters of kudos (`docs/api.md`, Lists). */
const ofKudos: readonly Parameter[] = [
  parameter("category_id uuid", "Only kudos of this category."),
  parameter("sender_id uuid", "Only kudos from this member."),
  parameter("receiver_id uuid", "Only kudos to this member."),
];

const include = parameter(
  "include",
  "Additional columns, separated by commas. They follow the others, always in the same order.",
  "Additional columns.",
);

const limitOfChanges = parameter(
  "limit",
  "The maximum number of rows. If there are more, the header `X-Has-More` is `true`: to get the next page, send the `cursor` of the last row as `after`.",
);
const after = parameter(
  "after",
  "The `cursor` of the last row that you have: returns only what has changed since. `start` (the default) begins a copy, and returns every row. A cursor that is no longer known gets a 410.",
);

/** The steps of time by which aggregates are grouped; one at a time. */
export const steps: readonly string[] = ["day", "week", "month", "quarter", "year"];

const bySteps = steps.map((name) => {
  const first = `The first day of the ${name}${name === "week" ? ", a Monday" : ""}.`;
  return { name, columns: [column(name, "date", name === "day" ? "The day." : first)] };
});

/** The parameters of all aggregates (`docs/api.md`, Questions). */
const ofAggregates = (by: string): readonly Parameter[] => [
  parameter(
    "limit",
    `Only the first rows, 1 to 1000: the header \`X-Has-More\` says whether there are more. There are no further pages. Without it, all rows are returned; more than ${maxGroups.toLocaleString("en-US")} get a 400.`,
    "1 to 1000; 100 without it.",
  ),
  ...list.filter(({ name }) => name === "format" || name === "escape_formulas"),
  parameter(
    "by",
    `What the rows are grouped by, separated by commas: ${by}. Each adds its columns, in the order that you send.`,
    "Up to three, one a time; month without it.",
  ),
  parameter(
    "time_zone",
    "The zone in which days, weeks, months, quarters, and years begin: `UTC` (the default), or an IANA name such as `Europe/Berlin`. A bare date in `since` and `until` is that day in this zone; a date-time without a zone is UTC.",
    "Where days begin, such as Europe/Berlin; UTC without it.",
  ),
  parameter(
    "since",
    "Only what happened at or after this time, a date or a date-time as in the lists, at most 400 days before `until`. Default: the first day of the month 12 months before `until`.",
    "From this day or time on: 400 days at most, 12 months without it.",
  ),
  parameter(
    "until",
    "Only what happened at or before this time, a date or a date-time as in the lists. Default: now.",
    "Up to this time, or the end of this day.",
  ),
];

const id = column("id", "uuid", "The ID of the row. It never changes.");

const key = endpoint("key", "/", null, {
  operation: "check_key",
  summary: "Check the key",
  description:
    "Checks the key, and returns the API version, the company, the key's name, scopes, and expiry, and the list of endpoints. Needs no scope.",
  forAssistants: "Returns the company that the data belongs to, what this key may read and until when, and the tools.",
});

/** Who gave kudos, and who got them: their columns. */
const people = ["sender", "receiver"];
const idOf = (person: string) =>
  column(
    `${person}_id`,
    "uuid",
    `The ${person}'s ID, as in \`GET /members\`; all erased people share one ID, which is not listed there.`,
  );
const teamIdOf = (person: string) =>
  column(`${person}_team_id`, "uuid?", `The ${person}'s current team; null without a team, and for erased people.`);
const teamThenOf = (person: string) => [
  column(
    `${person}_team_then_id`,
    "uuid?",
    `The ${person}'s team at the time of the kudos; null without a team, where it is unknown, and for erased people.`,
  ),
  column(
    `${person}_team_then_name`,
    "text?",
    "The current name of that team, or `No Team`; null where the team is unknown or deleted, and for erased people.",
  ),
];

/** The lists, and aggregates of them (`docs/api.md`, Lists, Questions). */
const reads: readonly (ListEndpoint | AggregatesEndpoint)[] = [
  aList("/members", "read:members", {
    aliases: ["/users"],
    summary: "People, their roles and teams",
    description:
      "Lists the company's people with name, email address, role, and team, newest first. Filter them by `team_id`, `role`, `email`, and `name`. Erased people are not listed.",
    forAssistants:
      "Lists people with name, email address, role, and team. Use it to find a person by `name` (with `ids` for `sender_id` and `receiver_id`), or the people of a team.",
    parameters: [
      ...list,
      teamId,
      parameter("role text", "Only people with exactly this role. Case matters."),
      parameter("email", "Only the person with exactly this email address, ignoring case."),
      parameter("name text", "Only people whose name contains this text, ignoring case and accents."),
    ],
    rows: { name: "Member", description: "A person of the company." },
    columns: [
      id,
      column("name", "text", "The person's name."),
      column("email", "text", "The person's email address.", { pattern: "^[^@]+@[^@]+$" }),
      column("role", "text", "The person's role, such as `admin` or `employee`. Companies may have other roles."),
      column("team_id", "uuid?", "The person's team, or null."),
      column("team_name", "text", "The team's name, or `No Team`."),
      column("created_at", "date-time", "When the person was added."),
    ],
  }),
  aList("/teams", "read:members", {
    summary: "The teams that people are in",
    description:
      "Lists the company's teams, newest first, including teams without people. `team_id` in other lists is the `id` here.",
    forAssistants: "Lists the teams. Use it with `ids` to find the ID of a team.",
    parameters: list,
    rows: { name: "Team", description: "A team of the company." },
    columns: [
      id,
      column("name", "text", "The team's name."),
      column("created_at", "date-time", "When the team was added."),
    ],
  }),
  aList("/activity", "read:activity", {
    aliases: ["/kudos"],
    summary: "Kudos with sender, recipient and category",
    description:
      "Lists kudos, newest first: who thanked whom, when, for what, and with which message. Filter them by time (`since`, `until`), category, sender, and receiver; a row must match all filters that you send. `include` adds IDs, and teams of today and at the time of the kudos. An erased person is `Former member`, with an empty email address.",
    forAssistants:
      "Lists kudos: who thanked whom, when, in which category, and the message. To count them, use `count_activity`.",
    parameters: [...list, include, ...window, ...ofKudos],
    rows: { name: "Kudos", description: "One person's thanks to another." },
    columns: [
      id,
      column("timestamp", "date-time", "When the kudos was given."),
      column("sender_name", "text", "The sender's name; `Former member` for an erased person."),
      column("sender_email", "text", "The sender's email address; empty for an erased person."),
      column("receiver_name", "text", "The recipient's name; `Former member` for an erased person."),
      column("receiver_email", "text", "The recipient's email address; empty for an erased person."),
      column(
        "message",
        "text",
        "The message: any Unicode text, including line breaks. Empty if it was blanked when a person was erased.",
      ),
      column(
        "category",
        "text",
        "The category's name in the company's default language (`pt-br` is `pt-BR`), otherwise in English, otherwise in any language.",
      ),
    ],
    included: [
      ...people.map(idOf),
      column("category_id", "uuid", "The category's ID, as in `GET /categories`."),
      ...people.flatMap((person) => [
        teamIdOf(person),
        column(`${person}_team_name`, "text?", "The team's name, or null."),
      ]),
      ...people.flatMap(teamThenOf),
    ],
  }),
  endpoint("aggregates", "/activity/counts", "read:activity", {
    aliases: ["/kudos/counts"],
    operation: "count_activity",
    summary: "How many kudos, by time, team, person or category",
    description: `Counts kudos in one request, by month, or by up to three of time, team, person, and category, such as \`by=month,receiver_team\`. Rows are sorted by time, newest first, then by kudos, most first; empty groups are omitted. Teams are people's current teams, as in \`GET /members\`; \`sender_team_then\` and \`receiver_team_then\` are those at the time of the kudos. \`include=senders,receivers\` adds how many people take part. At most ${maxGroups.toLocaleString("en-US")} rows, and 400 days.`,
    forAssistants:
      "Counts kudos. Use it first for how many per team, month, or category, and who gives or gets most. With by sender_team, include senders says how many take part. Teams are today's, with _then of the time: names null if unknown or deleted.",
    parameters: [
      ...ofAggregates(
        "one to three different ones of `day`, `week`, `month`, `quarter` or `year` (one of these), `category`, `sender_team`, `receiver_team`, `sender`, `receiver`, `sender_team_then` and `receiver_team_then`",
      ),
      include,
      ...ofKudos,
      parameter("sender_team_id uuid", "Only kudos from this team, as of today."),
      parameter("receiver_team_id uuid", "Only kudos to this team, as of today."),
    ],
    rows: { name: "KudosCount", description: "The number of kudos of a group, with the columns that `by` names." },
    by: [
      ...bySteps,
      {
        name: "category",
        columns: [
          column("category_id", "uuid", "The category's ID, as in `GET /categories`."),
          column("category", "text", "The category's name, as in `GET /activity`."),
        ],
      },
      ...people.map((person) => ({
        name: `${person}_team`,
        columns: [teamIdOf(person), column(`${person}_team_name`, "text", "The team's name, or `No Team`.")],
      })),
      ...people.map((person) => ({
        name: person,
        columns: [
          idOf(person),
          column(`${person}_name`, "text", `The ${person}'s name; \`Former member\` for all erased people.`),
        ],
      })),
      ...people.map((person) => ({ name: `${person}_team_then`, columns: teamThenOf(person) })),
    ],
    columns: [column("kudos", "integer", "The number of kudos.", { minimum: 1 })],
    included: [
      column("senders", "integer", "How many different people gave; all erased people count as one.", { minimum: 1 }),
      column("receivers", "integer", "How many different people got; all erased people count as one.", { minimum: 1 }),
    ],
  }),
  aList("/categories", "read:activity", {
    summary: "What kudos are given for",
    description:
      "Lists the categories of kudos, newest first. `category_id` in kudos, and as a filter, is the `id` here.",
    forAssistants: "Lists the categories of kudos. Use it with `ids` to find the ID of a category.",
    parameters: list,
    rows: { name: "Category", description: "A category of kudos." },
    columns: [
      id,
      column(
        "name",
        "text",
        "The category's name in the company's default language, otherwise in English, otherwise in any language; empty if it has no name.",
      ),
      column("created_at", "date-time", "When the category was added."),
    ],
  }),
  aList("/rewards", "read:rewards", {
    summary: "The reward catalogue",
    description:
      "Lists the rewards that people can buy with points, with price, stock, and vendor, newest first. Archived rewards are omitted unless you send `include_archived=true`. `external_id` finds one reward. `include` adds the ID in the system that imports the rewards.",
    forAssistants: "Lists the rewards that people can buy with points, with price in points, stock, and vendor.",
    parameters: [
      ...list,
      include,
      parameter("include_archived true", "Includes archived rewards, which are otherwise omitted."),
      parameter("external_id text", "Only the reward with exactly this ID in the system that imports it."),
    ],
    rows: { name: "Reward", description: "Something that can be bought with points." },
    columns: [
      id,
      column("name", "text", "The reward's name."),
      column("description", "text?", "A description, or null."),
      column("points_cost", "integer", "The price in points.", { minimum: 0, maximum: 9007199254740991 }),
      column("reward_type", "text", "The reward's type, such as `perk`. Companies may have other types."),
      column("stock_count", "integer?", "The number that is left; null if it isn't counted."),
      column("image_url", "text?", "The address of a picture, or null."),
      column("vendor_name", "text?", "The supplier, or null."),
      column("is_archived", "boolean", "Whether the reward is archived."),
      column("created_at", "date-time", "When the reward was added."),
    ],
    included: [
      column(
        "external_id",
        "text?",
        "The ID of the reward in the system that imports it; null if it was not imported.",
      ),
    ],
  }),
  aList("/day-ratings", "read:analytics", {
    summary: "How days were rated, by team",
    description:
      "Lists day ratings, from 1 (bad) to 5 (good), with comment and team, newest first. Filter them by time (`since`, `until`) and `team_id`. They are anonymous: a rating belongs to a team at most, never to a person. If the company has set how many people a team must have, ratings of smaller teams have no team, and their time is a full hour.",
    forAssistants:
      "Lists how days were rated, from 1 (bad) to 5 (good), with comment and team, anonymously. Teams with few people are not named. For averages, use `average_day_ratings`.",
    parameters: [...list, include, ...window, teamId],
    rows: { name: "DayRating", description: "How somebody rated a day." },
    columns: [
      id,
      column("rating", "integer", "From 1 (bad) to 5 (good).", { minimum: 1, maximum: 5 }),
      column("comment", "text?", "A comment, or null."),
      column("team_id", "uuid?", "The team, or null."),
      column("points_awarded", "integer?", "Points that the rating earned, or null."),
      column("created_at", "date-time", "When the day was rated."),
    ],
    included: [column("team_name", "text?", "The team's name, or null.")],
  }),
  endpoint("aggregates", "/day-ratings/averages", "read:analytics", {
    operation: "average_day_ratings",
    summary: "How days were rated on average, by time or team",
    description: `Returns the number and the average of day ratings in one request, by month, or by another step of time, by team, or by both, such as \`by=week,team\`. Rows are sorted by time, newest first, then by ratings, most first; empty groups are omitted. At most ${maxGroups.toLocaleString("en-US")} rows, and 400 days. Ratings of teams that are too small to be named count as \`No Team\`.`,
    forAssistants:
      "Averages day ratings from 1 (bad) to 5 (good). Use it first for questions about mood. `No Team` includes small teams.",
    parameters: [
      ...ofAggregates("a step of time (`day`, `week`, `month`, `quarter` or `year`), `team`, or both"),
      teamId,
    ],
    rows: {
      name: "DayRatingAverage",
      description: "How a group rated its days on average, with the columns that `by` names.",
    },
    by: [
      ...bySteps,
      {
        name: "team",
        columns: [
          column("team_id", "uuid?", "The team, or null."),
          column("team_name", "text", "The team's name, or `No Team`."),
        ],
      },
    ],
    columns: [
      column("ratings", "integer", "The number of ratings.", { minimum: 1 }),
      column("average", "number", "The average rating, with two decimals, halves rounded up.", {
        minimum: 1,
        maximum: 5,
      }),
    ],
    included: [],
  }),
  aList("/pulse-responses", "read:analytics", {
    summary: "Answers to pulse surveys",
    description:
      "Lists answers to pulse surveys with their questions, newest first. Filter them by time (`since`, `until`). They are anonymous: an answer names neither a person nor a team.",
    forAssistants: "Lists answers to pulse surveys, with the questions, anonymously.",
    parameters: [...list, include, ...window],
    rows: { name: "PulseAnswer", description: "An answer to a question of a pulse survey." },
    columns: [
      id,
      column("timestamp", "date-time", "When the question was answered."),
      column("question", "text?", "The question, or null."),
      column("response_type", "text?", "The kind of answer that the question expects, or null."),
      column("value", "json?", "The answer, any JSON value: number, text, boolean, list, object, or null."),
      column("comment", "text", "A comment; empty if there is none."),
    ],
    included: [column("question_id", "uuid?", "The question's ID, or null.")],
  }),
];

export const lists = reads.filter((endpoint) => endpoint.kind === "list");

const rewardImport = endpoint("import", "/rewards", "write:rewards", {
  method: "POST",
  operation: "import_rewards",
  summary: "Create or update rewards",
  description:
    "Creates rewards, and updates those whose `external_id` is known, so you can send a whole catalogue repeatedly. All rows are checked before anything is written; if one row is wrong, nothing is written. At most 500 rewards and 8 MiB of JSON in UTF-8, whatever `Content-Type` says. In an update, an absent field keeps its value. Rewards that the request does not name stay as they are; to retire a reward, send `is_archived`. With `dry_run=true`, everything is checked and counted, and nothing is written.",
  parameters: [parameter("dry_run true", "Checks and counts, but writes nothing: `imported` is then 0.")],
});

const mcp = endpoint("mcp", "/mcp", null, {
  method: "POST",
  operation: "assist",
  summary: "The API as tools for an assistant (Model Context Protocol)",
  description:
    "Model Context Protocol, Streamable HTTP without sessions: tools for an assistant to read what the key may read. Nothing can be written.",
});

/** The columns behind all others of a row of changes. */
export const changeColumns: readonly Column[] = [
  column("cursor", "text", "The value to send as `after`, to get the changes after this one."),
  column(
    "deleted",
    "boolean",
    "Whether the row has been deleted. If so, all columns except `id`, `cursor`, and this one are null.",
  ),
];

/** The changes of a list, with the list's scope (`docs/api.md`, Keeping a copy). */
function changesOf(list: ListEndpoint): ChangesEndpoint {
  const name = list.path.slice(1);
  const shared = list.parameters.filter(({ name }) => ["format", "escape_formulas", "include"].includes(name));
  return {
    ...list,
    forAssistants: undefined,
    kind: "changes",
    list: name,
    path: `${list.path}/changes`,
    aliases: list.aliases.map((alias) => `${alias}/changes`),
    parameters: [limitOfChanges, ...shared, after],
    operation: `${list.operation}_changes`,
    summary: `What has changed in ${list.path}`,
    description: `Lists what has been added, changed, or deleted in \`GET ${list.path}\`, oldest change first, to keep a copy up to date. Without \`after\`, it returns every row; with the \`cursor\` of the last row, what has changed since.`,
    rows: {
      name: `${list.rows.name}Change`,
      description: `A row of \`GET ${list.path}\` as it is now, or its deletion.`,
    },
  };
}

/** Every method and path (`docs/api.md`, Requests). */
export const endpoints: readonly Endpoint[] = [key, ...reads, rewardImport, ...lists.map(changesOf), mcp];
