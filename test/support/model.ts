// The answers of the API, computed from generated data as the specification says. The model shares no code with the
// function or the database: the same mistake would have to be made twice.
import { randomUUID } from "node:crypto";
import { iso, roles, type World } from "./world.ts";

export type Row = Record<string, unknown>;

export interface ListRequest {
  path: string;
  parameters: Record<string, string>;
}

interface List {
  scope: string;
  columns: string[];
  /** The columns that `include` may name. */
  included: string[];
  /** The parameters that filter this list, or add rows to it. */
  filters: string[];
  /** The table of the rows, and the values of a new row besides company, id and time. */
  table: string;
  newRow(world: World, index: number): object;
  rows(world: World): { at: bigint; filters: Record<string, string | null>; row: Row; more?: Row }[];
}

const members: List = {
  scope: "read:members",
  columns: ["id", "name", "email", "role", "team_id", "team_name", "created_at"],
  included: [],
  filters: ["team_id", "role"],
  table: "members",
  newRow: ({ teams }, index) => ({
    name: "Walker",
    email: `${randomUUID()}@walk.example`,
    role: roles[index % roles.length],
    team_id: teams[index % teams.length]?.id,
  }),
  rows: ({ members, teams }) =>
    members.map(({ at, ...member }) => {
      const team_name = teams.find((team) => team.id === member.team_id)?.name ?? "No Team";
      const filters = { team_id: member.team_id, role: member.role };
      return { at, filters, row: { ...member, team_name, created_at: iso(at) } };
    }),
};

/**
 * The name in the company's language; else in the same language in different letter case; else in English; else the
 * first by language tag.
 */
function categoryName({ categories, language }: World, id: string): string {
  const names = categories.find((category) => category.id === id)?.names ?? {};
  const tags = Object.keys(names).sort();
  const sameLanguage = tags.find((tag) => tag.toLowerCase() === language.toLowerCase()) ?? "";
  return names[language] ?? names[sameLanguage] ?? names.en ?? names[tags[0] ?? ""] ?? "";
}

const activity: List = {
  scope: "read:activity",
  columns: ["id", "timestamp", "sender_name", "sender_email", "receiver_name", "receiver_email", "message", "category"],
  included: ["sender_id", "receiver_id", "category_id"],
  filters: ["since", "until", "category_id", "sender_id", "receiver_id"],
  table: "kudos",
  newRow: ({ kudos }, index) => {
    const { sender_id, receiver_id, category_id } = kudos[index % kudos.length] as World["kudos"][number];
    return { sender_id, receiver_id, category_id, message: "Walked" };
  },
  rows: (world) =>
    world.kudos.map(({ id, message, at, ...ids }) => {
      const sender = world.members.find((member) => member.id === ids.sender_id);
      const receiver = world.members.find((member) => member.id === ids.receiver_id);
      return {
        at,
        filters: ids,
        more: ids,
        row: {
          ...{ id, timestamp: iso(at), message, category: categoryName(world, ids.category_id) },
          ...{ sender_name: sender?.name, sender_email: sender?.email },
          ...{ receiver_name: receiver?.name, receiver_email: receiver?.email },
        },
      };
    }),
};

const rewards: List = {
  scope: "read:rewards",
  columns: [
    ...["id", "name", "description", "points_cost", "reward_type", "stock_count", "image_url", "vendor_name"],
    ...["is_archived", "created_at"],
  ],
  included: ["external_id"],
  filters: ["include_archived"],
  table: "rewards",
  newRow: (_, index) => ({ name: "Walk", points_cost: 1, is_archived: index % 2 === 0, reward_type: "perk" }),
  rows: ({ rewards }) =>
    rewards.map(({ external_id, at, ...reward }) => ({
      at,
      more: { external_id },
      filters: { archived: String(reward.is_archived) },
      row: { ...reward, created_at: iso(at) },
    })),
};

const ratings: List = {
  scope: "read:analytics",
  columns: ["id", "rating", "comment", "team_id", "points_awarded", "created_at"],
  included: ["team_name"],
  filters: ["since", "until", "team_id"],
  table: "day_ratings",
  newRow: ({ teams }, index) => ({ rating: 1 + (index % 5), team_id: teams[index % teams.length]?.id }),
  rows: ({ ratings, teams }) =>
    ratings.map(({ at, ...rating }) => ({
      at,
      more: { team_name: teams.find((team) => team.id === rating.team_id)?.name ?? null },
      filters: { team_id: rating.team_id },
      row: { ...rating, created_at: iso(at) },
    })),
};

const answers: List = {
  scope: "read:analytics",
  columns: ["id", "timestamp", "question", "response_type", "value", "comment"],
  included: ["question_id"],
  filters: ["since", "until"],
  table: "pulse_responses",
  newRow: () => ({ comment: "Walked" }),
  rows: ({ answers, questions }) =>
    answers.map(({ id, question_id, value, comment, at }) => {
      const asked = questions.find((question) => question.id === question_id);
      const question = asked?.question ?? null;
      return {
        at,
        filters: {},
        more: { question_id },
        row: { id, timestamp: iso(at), question, response_type: asked?.response_type ?? null, value, comment },
      };
    }),
};

const teams: List = {
  scope: "read:members",
  columns: ["id", "name", "created_at"],
  included: [],
  filters: [],
  table: "teams",
  newRow: () => ({ name: "Walkers" }),
  rows: ({ teams }) => teams.map(({ id, name, at }) => ({ at, filters: {}, row: { id, name, created_at: iso(at) } })),
};

const categories: List = {
  scope: "read:activity",
  columns: ["id", "name", "created_at"],
  included: [],
  filters: [],
  table: "categories",
  newRow: () => ({}),
  rows: (world) =>
    world.categories.map(({ id, at }) => {
      const row = { id, name: categoryName(world, id), created_at: iso(at) };
      return { at, filters: {}, row };
    }),
};

export const lists: Record<string, List> = {
  "/members": members,
  "/users": members,
  "/teams": teams,
  "/categories": categories,
  "/activity": activity,
  "/kudos": activity,
  "/rewards": rewards,
  "/day-ratings": ratings,
  "/pulse-responses": answers,
};

/** The columns of an answer: those of the list, then the included ones in the order of the list. */
function columnsOf(path: string, include = ""): string[] {
  const { columns = [], included = [] } = lists[path] ?? {};
  return [...columns, ...included.filter((name) => include.split(",").includes(name))];
}

/** The page that a key of this company must get; null when starting_after is no row of the list. */
export function predict(world: World, { path, parameters }: ListRequest): { rows: Row[]; hasMore: boolean } | null {
  const { format: _, escape_formulas: __, include_archived, starting_after, include, ...rest } = parameters;
  const { limit = "100", since = "", until = "~", ...filters } = rest;
  const archived = path === "/rewards" && include_archived !== "true" ? { archived: "false" } : {};
  const wanted = Object.entries({ ...filters, ...archived });
  // Newest first. Times can be compared as text, because `iso` always has the same length.
  const place = (row: { at: bigint; row: Row }): string => `${iso(row.at)} ${row.row.id}`;
  const all = lists[path]?.rows(world) ?? [];
  const start = all.find(({ row }) => row.id === starting_after);
  if (starting_after && !start) return null;
  const found = all
    .filter((row) => !start || place(row) < place(start))
    .filter((row) => iso(row.at) >= since && iso(row.at) <= until)
    .filter((row) => wanted.every(([name, value]) => row.filters[name] === value))
    .sort((a, b) => (place(a) < place(b) ? 1 : -1));
  const columns = columnsOf(path, include);
  const rows = found
    .slice(0, Number(limit))
    .map(({ row, more }) => Object.fromEntries(columns.map((name) => [name, { ...row, ...more }[name]])));
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
    return escaped && !exact.test(name) && ["=", "+", "-", "@", "\t", "\r"].includes(value.charAt(0))
      ? `'${value}`
      : value;
  };
  return [columns, ...rows.map((row) => columns.map((name) => cell(name, row[name])))];
}

/** Reads CSV strictly as RFC 4180 defines it. */
export function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < text.length) {
    const [field = "", quoted, bare = "", end = ""] =
      /^(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/.exec(text.slice(at)) ?? [];
    if (field === "") throw new Error(`not RFC 4180 at character ${at}`);
    row.push(quoted === undefined ? bare : quoted.replaceAll('""', '"'));
    if (end !== ",") {
      rows.push(row);
      row = [];
    }
    at += field.length;
  }
  return rows;
}
