// The answers of the API, computed from generated data as the specification says. The model shares no code with the
// function or the database: the same mistake would have to be made twice.
import type { Row } from "./stack.ts";
import { iso, type World } from "./world.ts";

/** A row with the values of all its columns; `at` is its time. */
export type ModelRow = Row & { at: bigint };

export type ListRequest = { path: string; parameters: Record<string, string> };

interface List {
  scope: string;
  columns: string[];
  /** The columns that `include` may name. */
  included: string[];
  /** The parameters that filter this list, or add rows to it. Those that have the name of a value of its rows compare it. */
  filters: string[];
  /** The table of the rows. */
  table: string;
  rows(world: World): ModelRow[];
}

const teamName = ({ teams }: World, id: string | null) => teams.find((team) => team.id === id)?.name;

/** The name in the company's language; else in that in other letter case; else in English; else the first by tag. */
function categoryName({ categories, language }: World, id: string): string {
  const names = categories.find((category) => category.id === id)?.names ?? {};
  const tags = Object.keys(names).sort();
  const sameLanguage = tags.find((tag) => tag.toLowerCase() === language.toLowerCase()) ?? "";
  return names[language] ?? names[sameLanguage] ?? names.en ?? names[tags[0] ?? ""] ?? "";
}

const members: List = {
  scope: "read:members",
  columns: ["id", "name", "email", "role", "team_id", "team_name", "created_at"],
  included: [],
  filters: ["team_id", "role"],
  table: "members",
  rows: (world) =>
    world.members.map((member) => ({ ...member, team_name: teamName(world, member.team_id) ?? "No Team" })),
};
const activity: List = {
  scope: "read:activity",
  columns: ["id", "timestamp", "sender_name", "sender_email", "receiver_name", "receiver_email", "message", "category"],
  included: ["sender_id", "receiver_id", "category_id"],
  filters: ["since", "until", "category_id", "sender_id", "receiver_id"],
  table: "kudos",
  rows: (world) =>
    world.kudos.map((kudos) => {
      const sender = world.members.find((member) => member.id === kudos.sender_id);
      const receiver = world.members.find((member) => member.id === kudos.receiver_id);
      return {
        ...{ ...kudos, category: categoryName(world, kudos.category_id) },
        ...{ sender_name: sender?.name, sender_email: sender?.email },
        ...{ receiver_name: receiver?.name, receiver_email: receiver?.email },
      };
    }),
};
/** A list of names. */
const names = { columns: ["id", "name", "created_at"], included: [], filters: [] };

export const lists: Record<string, List> = {
  "/members": members,
  "/users": members,
  "/teams": { ...names, scope: "read:members", table: "teams", rows: ({ teams }) => teams },
  "/categories": {
    ...{ ...names, scope: "read:activity", table: "categories" },
    rows: (world) => world.categories.map(({ id, at }) => ({ id, at, name: categoryName(world, id) })),
  },
  "/activity": activity,
  "/kudos": activity,
  "/rewards": {
    scope: "read:rewards",
    columns: [
      ...["id", "name", "description", "points_cost", "reward_type", "stock_count", "image_url", "vendor_name"],
      ...["is_archived", "created_at"],
    ],
    included: ["external_id"],
    filters: ["include_archived"],
    table: "rewards",
    rows: ({ rewards }) => rewards,
  },
  "/day-ratings": {
    scope: "read:analytics",
    columns: ["id", "rating", "comment", "team_id", "points_awarded", "created_at"],
    included: ["team_name"],
    filters: ["since", "until", "team_id"],
    table: "day_ratings",
    rows: (world) =>
      world.day_ratings.map((rating) => ({ ...rating, team_name: teamName(world, rating.team_id) ?? null })),
  },
  "/pulse-responses": {
    scope: "read:analytics",
    columns: ["id", "timestamp", "question", "response_type", "value", "comment"],
    included: ["question_id"],
    filters: ["since", "until"],
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

/** The page that a key of this company must get; null when starting_after is no row of the list. */
export function predict(world: World, { path, parameters }: ListRequest): { rows: Row[]; hasMore: boolean } | null {
  const { limit = "100", since = "", until = "~", include_archived, starting_after, include } = parameters;
  const all = rowsOf(world, path);
  const start = all.find(({ id }) => id === starting_after);
  if (starting_after && !start) return null;
  const found = all
    .filter((row) => !start || isBelow(row, start))
    // Times can be compared as text, because `iso` always has the same length.
    .filter(({ at }) => iso(at) >= since && iso(at) <= until)
    .filter((row) => Object.entries(parameters).every(([name, value]) => !(name in row) || row[name] === value))
    .filter(({ is_archived }) => !is_archived || include_archived === "true");
  const columns = columnsOf(path, include);
  const rows = found.slice(0, Number(limit)).map(({ at, ...row }) => {
    const values: Row = { ...row, created_at: iso(at), timestamp: iso(at) };
    return Object.fromEntries(columns.map((name) => [name, values[name]]));
  });
  return { rows, hasMore: found.length > Number(limit) };
}

/** The cells of these rows as CSV, header first. */
export function cells({ path, parameters }: ListRequest, rows: Row[]): string[][] {
  const columns = columnsOf(path, parameters.include);
  const escaped = parameters.escape_formulas === "true";
  const exact = /^(id|(team|sender|receiver|category|question)_id|timestamp|created_at)$/;
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
