// The answers of the API, computed from generated data as the specification says. The model shares no code with the
// function or the database: the same mistake would have to be made twice.
import type { Row } from "./stack.ts";
import { iso, noTeam, type World } from "./world.ts";

/** A row with the values of all its columns; `at` is its time. */
export type ModelRow = Row & { at: bigint };

export type ListRequest = { path: string; parameters: Record<string, string> };

interface List {
  columns: string[];
  /** The columns that `include` may name. */
  included: string[];
  /** The parameters that filter this list, or add rows to it. Those that have the name of a value of its rows compare it. */
  filters: string[];
  /** The filters whose values no two rows share. */
  unique: string[];
  /** The table of the rows. */
  table: string;
  rows(world: World): ModelRow[];
}

const teamName = ({ teams }: World, id: string | null) => teams.find((team) => team.id === id)?.name;

/** The sender or receiver of a kudos. `then` is the team of that time: unknown, none, or one that may be gone. */
function person(world: World, what: string, id: string, then: string | null): Row {
  const { name, email, team_id = null } = world.members.find((member) => member.id === id) ?? {};
  return {
    ...{ [`${what}_name`]: name, [`${what}_email`]: email },
    ...{ [`${what}_team_id`]: team_id, [`${what}_team_name`]: teamName(world, team_id) ?? null },
    [`${what}_team_then_id`]: then === noTeam ? null : then,
    [`${what}_team_then_name`]: then === noTeam ? "No Team" : (teamName(world, then) ?? null),
  };
}

/** The name in the company's language; else in that in other letter case; else in English; else the first by tag. */
function categoryName({ categories, language }: World, id: string): string {
  const names = categories.find((category) => category.id === id)?.names ?? {};
  const tags = Object.keys(names).sort();
  const sameLanguage = tags.find((tag) => tag.toLowerCase() === language.toLowerCase()) ?? "";
  return names[language] ?? names[sameLanguage] ?? names.en ?? names[tags[0] ?? ""] ?? "";
}

const members: List = {
  columns: ["id", "name", "email", "role", "team_id", "team_name", "created_at"],
  included: [],
  filters: ["team_id", "role"],
  unique: ["email", "name"],
  table: "members",
  rows: (world) =>
    world.members.map((member) => ({ ...member, team_name: teamName(world, member.team_id) ?? "No Team" })),
};
const activity: List = {
  columns: ["id", "timestamp", "sender_name", "sender_email", "receiver_name", "receiver_email", "message", "category"],
  included: [
    ...["sender_id", "receiver_id", "category_id"],
    ...["sender_team_id", "sender_team_name", "receiver_team_id", "receiver_team_name"],
    ...["sender_team_then_id", "sender_team_then_name", "receiver_team_then_id", "receiver_team_then_name"],
  ],
  filters: ["since", "until", "category_id", "sender_id", "receiver_id"],
  unique: [],
  table: "kudos",
  rows: (world) =>
    world.kudos.map((kudos) => ({
      ...{ ...kudos, category: categoryName(world, kudos.category_id) },
      ...person(world, "sender", kudos.sender_id, kudos.sender_team_then_id),
      ...person(world, "receiver", kudos.receiver_id, kudos.receiver_team_then_id),
    })),
};
/** A list of names. */
const names = { columns: ["id", "name", "created_at"], included: [], filters: [], unique: [] };

export const lists: Record<string, List> = {
  "/members": members,
  "/users": members,
  "/teams": { ...names, table: "teams", rows: ({ teams }) => teams },
  "/categories": {
    ...{ ...names, table: "categories" },
    rows: (world) => world.categories.map(({ id, at }) => ({ id, at, name: categoryName(world, id) })),
  },
  "/activity": activity,
  "/kudos": activity,
  "/rewards": {
    columns: [
      ...["id", "name", "description", "points_cost", "reward_type", "stock_count", "image_url", "vendor_name"],
      ...["is_archived", "created_at"],
    ],
    included: ["external_id"],
    filters: ["include_archived"],
    unique: ["external_id"],
    table: "rewards",
    rows: ({ rewards }) => rewards,
  },
  "/day-ratings": {
    columns: ["id", "rating", "comment", "team_id", "points_awarded", "created_at"],
    included: ["team_name"],
    filters: ["since", "until", "team_id"],
    unique: [],
    table: "day_ratings",
    rows: (world) =>
      world.day_ratings.map((rating) => ({ ...rating, team_name: teamName(world, rating.team_id) ?? null })),
  },
  "/pulse-responses": {
    columns: ["id", "timestamp", "question", "response_type", "value", "comment"],
    included: ["question_id"],
    filters: ["since", "until"],
    unique: [],
    table: "pulse_responses",
    rows: ({ pulse_responses, pulse_questions }) =>
      pulse_responses.map((answer) => {
        const question = pulse_questions.find(({ id }) => id === answer.question_id);
        return { ...answer, question: question?.question ?? null, response_type: question?.response_type ?? null };
      }),
  },
};

/** What the model knows of a list. */
export const modelOf = (path: string): List => lists[path] as List;

/** Whether a row is older than another one, or as old with a lower id. */
const isBelow = (row: ModelRow, other: ModelRow): boolean =>
  row.at < other.at || (row.at === other.at && String(row.id) < String(other.id));

/** The rows of a list with all that the model knows of them, newest first. */
export const rowsOf = (world: World, path: string): ModelRow[] =>
  (lists[path]?.rows(world) ?? []).toSorted((a, b) => (isBelow(a, b) ? 1 : -1));

/** The columns of an answer: those of the list, then the included ones in the order of the list. */
function columnsOf(path: string, include = ""): string[] {
  const { columns = [], included = [] } = lists[path] ?? {};
  return [...columns, ...included.filter((name) => include.split(",").includes(name))];
}

/** Addresses and parts of names are compared without case. */
function meets(row: ModelRow, name: string, value: string): boolean {
  if (name === "name") return String(row.name).toLowerCase().includes(value.toLowerCase());
  return name === "email" ? String(row.email).toLowerCase() === value.toLowerCase() : row[name] === value;
}

/** The page that a key of this company must get; null when starting_after is no row of the list. */
export function predict(world: World, { path, parameters }: ListRequest): { rows: Row[]; hasMore: boolean } | null {
  const { limit = "100", since = "", until = "~", include_archived, starting_after, include } = parameters;
  const all = rowsOf(world, path);
  const [id, time] = (starting_after ?? "").split("_").toReversed();
  const start = all.find((row) => row.id === id);
  if (starting_after && !time && !start) return null;
  // A time and an id need not be those of a row.
  const isAfter = (row: ModelRow) =>
    time ? iso(row.at) < time || (iso(row.at) === time && String(row.id) < String(id)) : !start || isBelow(row, start);
  const found = all
    .filter(isAfter)
    // Times can be compared as text, because `iso` always has the same length.
    .filter(({ at }) => iso(at) >= since && iso(at) <= until)
    .filter((row) => Object.entries(parameters).every(([name, value]) => !(name in row) || meets(row, name, value)))
    .filter(({ is_archived }) => !is_archived || include_archived === "true");
  const columns = columnsOf(path, include);
  const rows = found.slice(0, Number(limit)).map(({ at, ...row }) => {
    const values: Row = { ...row, created_at: iso(at), timestamp: iso(at) };
    return Object.fromEntries(columns.map((name) => [name, values[name]]));
  });
  return { rows, hasMore: found.length > Number(limit) };
}

interface Question {
  /** The list whose rows are counted. */
  list: string;
  filters: string[];
  /** The columns of each thing that the question can be asked by. Their values are in the rows of the list. */
  by: Record<string, string[]>;
  /** The numbers of some rows. */
  numbers(rows: ModelRow[]): Row;
  /** The numbers that `include` may name. */
  included(rows: ModelRow[]): Row;
}

const counts: Question = {
  list: "/activity",
  filters: ["category_id", "sender_id", "receiver_id", "sender_team_id", "receiver_team_id"],
  by: {
    category: ["category_id", "category"],
    ...Object.fromEntries(
      ["sender", "receiver"].flatMap((person) => [
        [person, [`${person}_id`, `${person}_name`]],
        [`${person}_team`, [`${person}_team_id`, `${person}_team_name`]],
        [`${person}_team_then`, [`${person}_team_then_id`, `${person}_team_then_name`]],
      ]),
    ),
  },
  numbers: (rows) => ({ kudos: rows.length }),
  included: (rows) => ({
    senders: new Set(rows.map(({ sender_id }) => sender_id)).size,
    receivers: new Set(rows.map(({ receiver_id }) => receiver_id)).size,
  }),
};
const averages: Question = {
  list: "/day-ratings",
  filters: ["team_id"],
  by: { team: ["team_id", "team_name"] },
  numbers: (rows) => {
    const sum = rows.reduce((total, { rating }) => total + Number(rating), 0);
    return { ratings: rows.length, average: Math.floor((200 * sum + rows.length) / (2 * rows.length)) / 100 };
  },
  included: () => ({}),
};
export const questions: Record<string, Question> = {
  "/activity/counts": counts,
  "/kudos/counts": counts,
  "/day-ratings/averages": averages,
};

export const steps = ["day", "week", "month", "quarter", "year"];

/** The date in a time zone, as YYYY-MM-DD. */
const localDate = (at: bigint, timeZone: string): string =>
  new Date(Number(at / 1000n)).toLocaleDateString("sv-SE", { timeZone });

/** The first day of the day, week, month, quarter or year that a date is in. */
function firstDay(step: string, date: string): string {
  const [year, month, day] = date.split("-").map(Number) as [number, number, number];
  const weekday = (new Date(`${date}T00:00Z`).getUTCDay() + 6) % 7;
  const first: Record<string, [number, number, number]> = {
    day: [year, month, day],
    week: [year, month, day - weekday],
    month: [year, month, 1],
    quarter: [year, month - ((month - 1) % 3), 1],
    year: [year, 1, 1],
  };
  const [y, m, d] = first[step] ?? [0, 0, 0];
  return new Date(Date.UTC(y, m - 1, d)).toISOString().slice(0, 10);
}

/** What the question must answer to a key of this company: all its groups, and those of an answer with `limit`. */
export function predictGroups(world: World, { path, parameters }: ListRequest): { all: Row[]; rows: Row[] } {
  const question = questions[path] as Question;
  const { list, by, numbers, included, filters } = question;
  const { since, until = "~", time_zone = "UTC" } = parameters;
  const names = (parameters.by ?? "month").split(",");
  const step = names.find((name) => steps.includes(name));
  const last = until === "~" ? Date.now() : Date.parse(until);
  // A bare date is that day in the zone.
  const now = until.length === 10 ? until : localDate(BigInt(last) * 1000n, time_zone);
  const clock = (at: bigint, bound: string) => (bound.length === 10 ? localDate(at, time_zone) : iso(at));
  const firstMonth = firstDay("month", `${Number(now.slice(0, 4)) - 1}${now.slice(4).replace("02-29", "02-28")}`);
  const asked = rowsOf(world, list)
    .filter(({ at }) => (since === undefined ? localDate(at, time_zone) >= firstMonth : clock(at, since) >= since))
    .filter(({ at }) => clock(at, until) <= until)
    .filter((row) => filters.every((name) => !(name in parameters) || row[name] === parameters[name]))
    .map((row) => ({
      ...row,
      ...(step && { [step]: firstDay(step, localDate(row.at, time_zone)) }),
      // Of lists it is null.
      sender_team_name: row.sender_team_name ?? "No Team",
      receiver_team_name: row.receiver_team_name ?? "No Team",
      team_name: row.team_name ?? "No Team",
    }));
  const columns = names.flatMap((name) => by[name] ?? [name]);
  const groups = Map.groupBy(asked as ModelRow[], (row) => JSON.stringify(columns.map((name) => row[name])));
  const [size = ""] = Object.keys(numbers([]));
  // Of two teams without an ID, the one that is known to be none comes first.
  const ids = columns.filter((name) => name.endsWith("_id") || name.endsWith("_then_name"));
  const shown = columnsOfQuestion(question, parameters.by, parameters.include);
  const all = [...groups.values()]
    .map((rows): Row => {
      const values: Row = { ...rows[0], ...numbers(rows), ...included(rows) };
      return Object.fromEntries(shown.map((name) => [name, values[name]]));
    })
    .sort((a, b) => {
      const order = [...(step ? [compare(b[step], a[step])] : []), Number(b[size]) - Number(a[size])];
      return [...order, ...ids.map((id) => compare(a[id], b[id]))].find((one) => one !== 0) ?? 0;
    });
  return { all, rows: all.slice(0, Number(parameters.limit ?? all.length)) };
}

/** The order of two ids or dates as text; null is the last. */
function compare(a: unknown, b: unknown): number {
  const [one, other] = [String(a ?? "~"), String(b ?? "~")];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** The columns of a question, by what it is asked by, and what is included. */
function columnsOfQuestion({ by, numbers, included }: Question, names = "month", include = ""): string[] {
  const more = Object.keys(included([])).filter((name) => include.split(",").includes(name));
  return [...names.split(",").flatMap((name) => by[name] ?? [name]), ...Object.keys(numbers([])), ...more];
}

/** The cells of these rows as CSV, header first. */
export function cells({ path, parameters }: ListRequest, rows: Row[]): string[][] {
  const question = questions[path];
  const { by, include } = parameters;
  const columns = question ? columnsOfQuestion(question, by, include) : columnsOf(path, include);
  const escaped = parameters.escape_formulas === "true";
  const exact = /^(id|((sender_|receiver_)?team(_then)?|sender|receiver|category|question)_id|timestamp|created_at)$/;
  const cell = (name: string, value: unknown): string => {
    if (value === null) return "";
    if (typeof value !== "string") return JSON.stringify(value);
    return escaped && !exact.test(name) ? value.replace(/^[=+\-@\t\r]/, "'$&") : value;
  };
  return [columns, ...rows.map((row) => columns.map((name) => cell(name, row[name])))];
}

/** Reads CSV strictly as RFC 4180 defines it. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  const field = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/y;
  while (field.lastIndex < text.length) {
    const [, quoted, bare = "", end] = field.exec(text) ?? [];
    if (end === undefined) throw new Error("not RFC 4180");
    rows.at(-1)?.push(quoted?.replaceAll('""', '"') ?? bare);
    if (end === "\r\n") rows.push([]);
  }
  return rows.slice(0, -1);
}
