// What the specification says that the API answers, worked out from generated data. It shares no code with the function, and
// nothing with the database: whoever is wrong in both would have to be wrong twice.
import { iso, type World } from "./world.ts";

export type Row = Record<string, unknown>;

/** A request for a list, as it is meant. */
export interface ListRequest {
  path: string;
  parameters: Record<string, string>;
}

interface List {
  scope: string;
  columns: string[];
  rows(world: World): { at: bigint; filters: Record<string, string | null>; row: Row }[];
}

const members: List = {
  scope: "read:members",
  columns: ["id", "name", "email", "role", "team_id", "team_name", "created_at"],
  rows: ({ members, teams }) =>
    members.map(({ id, name, email, role, team_id, at }) => ({
      at,
      filters: { team_id, role },
      row: {
        id,
        name,
        email,
        role,
        team_id,
        team_name: teams.find((team) => team.id === team_id)?.name ?? "No Team",
        created_at: iso(at),
      },
    })),
};

/** In the company's language, else in the same in another case, else in English, else in the first by its tag. */
function categoryName({ categories, language }: World, id: string): string {
  const names = categories.find((category) => category.id === id)?.names ?? {};
  const tags = Object.keys(names).sort();
  const sameLanguage = tags.find((tag) => tag.toLowerCase() === language.toLowerCase()) ?? "";
  return names[language] ?? names[sameLanguage] ?? names.en ?? names[tags[0] ?? ""] ?? "";
}

const activity: List = {
  scope: "read:activity",
  columns: ["id", "timestamp", "sender_name", "sender_email", "receiver_name", "receiver_email", "message", "category"],
  rows: (world) =>
    world.kudos.map(({ id, sender_id, receiver_id, category_id, message, at }) => {
      const sender = world.members.find((member) => member.id === sender_id);
      const receiver = world.members.find((member) => member.id === receiver_id);
      return {
        at,
        filters: { sender_id, receiver_id, category_id },
        row: {
          id,
          timestamp: iso(at),
          sender_name: sender?.name,
          sender_email: sender?.email,
          receiver_name: receiver?.name,
          receiver_email: receiver?.email,
          message,
          category: categoryName(world, category_id),
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
  rows: ({ rewards }) =>
    rewards.map(({ external_id: _, at, ...reward }) => ({
      at,
      filters: { archived: String(reward.is_archived) },
      row: { ...reward, created_at: iso(at) },
    })),
};

const ratings: List = {
  scope: "read:analytics",
  columns: ["id", "rating", "comment", "team_id", "points_awarded", "created_at"],
  rows: ({ ratings }) =>
    ratings.map(({ at, ...rating }) => ({
      at,
      filters: { team_id: rating.team_id },
      row: { ...rating, created_at: iso(at) },
    })),
};

const answers: List = {
  scope: "read:analytics",
  columns: ["id", "timestamp", "question", "response_type", "value", "comment"],
  rows: ({ answers, questions }) =>
    answers.map(({ id, question_id, value, comment, at }) => {
      const asked = questions.find((question) => question.id === question_id);
      const question = asked?.question ?? null;
      return {
        at,
        filters: {},
        row: { id, timestamp: iso(at), question, response_type: asked?.response_type ?? null, value, comment },
      };
    }),
};

export const lists: Record<string, List> = {
  "/members": members,
  "/users": members,
  "/activity": activity,
  "/kudos": activity,
  "/rewards": rewards,
  "/day-ratings": ratings,
  "/pulse-responses": answers,
};

/** The page that a company's key is to be answered with. Times are compared as text: `iso` has one form. */
export function predict(world: World, { path, parameters }: ListRequest): { rows: Row[]; hasMore: boolean } {
  const {
    limit = "100",
    since = "",
    until = "~",
    format: _,
    escape_formulas: __,
    include_archived,
    ...filters
  } = parameters;
  const wanted = Object.entries({
    ...filters,
    ...(path === "/rewards" && include_archived !== "true" && { archived: "false" }),
  });
  const found = (lists[path]?.rows(world) ?? [])
    .filter((row) => iso(row.at) >= since && iso(row.at) <= until)
    .filter((row) => wanted.every(([name, value]) => row.filters[name] === value))
    .sort((a, b) => (a.at === b.at ? (String(a.row.id) < String(b.row.id) ? 1 : -1) : a.at < b.at ? 1 : -1));
  return { rows: found.slice(0, Number(limit)).map(({ row }) => row), hasMore: found.length > Number(limit) };
}

/** The cells of the CSV that holds these rows, header first. */
export function cells(path: string, rows: Row[], escaped: boolean): string[][] {
  const columns = lists[path]?.columns ?? [];
  const exact = /^(id|team_id|timestamp|created_at)$/;
  const cell = (name: string, value: unknown): string => {
    if (value === null) return "";
    if (typeof value !== "string") return JSON.stringify(value);
    return escaped && !exact.test(name) && ["=", "+", "-", "@", "\t", "\r"].includes(value.charAt(0))
      ? `'${value}`
      : value;
  };
  return [columns, ...rows.map((row) => columns.map((name) => cell(name, row[name])))];
}

/** Reads CSV after RFC 4180, to the letter. */
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
