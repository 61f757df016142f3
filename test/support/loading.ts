// The files of an operator, and loading them (docs/operate/load-data.md).
import papaparse from "papaparse";
import type postgres from "postgres";
import { withDatabase } from "../../scripts/stack/database.ts";

export type Cells = Record<string, string>;
export type Files = Record<string, Cells[]>;

export const headers: Record<string, string[]> = {
  teams: ["id", "name"],
  members: ["id", "name", "email", "role", "team_id", "created_at"],
  categories: ["id", "language", "name"],
  kudos: [
    ...["id", "sender_id", "receiver_id", "category_id", "message", "created_at"],
    ...["sender_team_then_id", "receiver_team_then_id"],
  ],
  day_ratings: ["id", "rating", "comment", "team_id", "points_awarded", "created_at"],
  pulse_questions: ["id", "question", "response_type"],
  pulse_responses: ["id", "question_id", "value", "comment", "created_at"],
};

const id = (number: number): string => `0a8f3f6e-2f0c-4c55-9a53-${String(number).padStart(12, "0")}`;

/** The ids of the rows of `good`, and of the things that they name. */
export const ids = {
  ...{ design: id(1), sales: id(2), ines: id(3), olaf: id(4), teamwork: id(5), speed: id(6), kudos: id(7) },
  ...{ plusOne: id(8), rating: id(9), bareRating: id(10), question: id(11), otherQuestion: id(12), answer: id(13) },
  orphan: id(14),
};

const odd = ' Danke,\n"Ole" 🎉\\. \r\nund NULL ';

/** Rows of a file, from cells in the order of its header. */
const rows = (file: string, ...lines: string[][]): Cells[] =>
  lines.map((cells) => Object.fromEntries((headers[file] ?? []).map((field, place) => [field, cells[place] ?? ""])));

/** Two rows in each file: one with a value in every field, and one with as few as allowed. */
export const good = (): Files => ({
  teams: rows("teams", [ids.design, "Design & Fertigung"], [ids.sales, "营业部"]),
  members: rows(
    "members",
    [ids.ines, "Inês Ærø, jr.", "ines@files.example", "admin", ids.design, "2026-03-29T02:30:00.123456789+01:00"],
    [ids.olaf, 'Olaf "Ole" 李', "Olaf@Files.example", "employee", "", "2026-03-29T02:30Z"],
  ),
  categories: rows(
    "categories",
    [ids.teamwork, "de", "Zusammenarbeit"],
    [ids.teamwork, "en", "Teamwork"],
    [ids.speed, "en", "Speed"],
  ),
  kudos: rows(
    "kudos",
    [ids.kudos, ids.ines, ids.olaf, ids.teamwork, odd, "2026-11-20T23:59:59.999999Z"],
    [ids.plusOne, ids.olaf, ids.olaf, ids.teamwork, "+1", "2026-11-20T10:15:30+0530"],
  ),
  day_ratings: rows(
    "day_ratings",
    [ids.rating, "5", "Endlich\nSonne", ids.design, "10", "2026-11-20T10:15:30-08"],
    [ids.bareRating, "1", "", "", "", "0001-01-01T00:00:00Z"],
  ),
  pulse_questions: rows(
    "pulse_questions",
    [ids.question, "Wie läuft es?", "choice"],
    [ids.otherQuestion, "Und\nsonst?", ""],
  ),
  pulse_responses: rows(
    "pulse_responses",
    [ids.answer, ids.question, '{"choices": ["a", "ü"], "sure": true}', "so so", "2026-11-20T10:15:30Z"],
    [ids.orphan, "", "", "", "9999-12-31T23:59:59.999999Z"],
  ),
});

/** The text of a CSV file, as a system would write it. */
export const csvOf = (file: string, rows: Cells[]): string =>
  `${papaparse.unparse([headers[file] ?? [], ...rows.map((row) => Object.values(row))], { newline: "\n" })}\n`;

/** The counts of a load of `good` that inserts all its rows, and of one that changes none. */
export const [inserted = {}, untouched = {}] = [0, 2].map((place) =>
  Object.fromEntries(
    Object.entries(good()).map(([file, { length }]) => [file, ["0", "0", "0"].with(place, String(length))]),
  ),
);

/** Puts rows into staging, as \copy of psql does. */
export async function stage(tx: postgres.Sql | postgres.TransactionSql, files: Files): Promise<void> {
  for (const [file, cells] of Object.entries(files)) {
    if (cells.length > 0) await tx`insert into staging.${tx(file)} ${tx(cells, headers[file] ?? [])}`;
  }
}

/** What `app.load_staging` returns: for each file how many rows were inserted, updated, unchanged and, if any were, left out. */
export function countsOf(loaded: readonly string[][]): Record<string, string[]> {
  return Object.fromEntries(
    loaded.map(([file, ...counts]) => [file, counts.at(-1) === "0" ? counts.slice(0, 3) : counts]),
  );
}

/** Loads files as an operator does, but without psql. Throws PostgreSQL's error. */
export async function load(databaseUrl: string, company: string, files: Files): Promise<Record<string, string[]>> {
  return await withDatabase(databaseUrl, async (operator) => {
    const loaded = await operator.begin(async (tx) => {
      await stage(tx, files);
      // Other companies may have the same rows: many tests load `good`.
      return await tx<Cells[]>`select * from app.load_staging(${company}, true)`;
    });
    return countsOf(loaded.map((row) => Object.values(row)));
  });
}
