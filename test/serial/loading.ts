// The files of an operator, and loading them with psql and sql/load.sql (docs/operations.md, How data gets in).
import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import papaparse from "papaparse";
import { afterAll, expect } from "vitest";
import { root } from "../../scripts/stack/process.ts";
import { newCompany, type TestCompany } from "../support/companies.ts";
import { sql, stack } from "../support/stack.ts";

export type Cells = Record<string, string>;
export type Files = Record<string, Cells[]>;

export const headers: Record<string, string[]> = {
  teams: ["id", "name"],
  members: ["id", "name", "email", "role", "team_id", "created_at"],
  categories: ["id", "language", "name"],
  kudos: ["id", "sender_id", "receiver_id", "category_id", "message", "created_at"],
  day_ratings: ["id", "rating", "comment", "team_id", "points_awarded", "created_at"],
  pulse_questions: ["id", "question", "response_type"],
  pulse_responses: ["id", "question_id", "value", "comment", "created_at"],
};

/** The tables that a load writes, in an order in which their rows can be deleted. */
export const tables = [
  ...["kudos", "day_ratings", "pulse_responses", "pulse_questions", "category_names", "categories"],
  ...["members", "teams"],
];

export const ids = {
  design: randomUUID(),
  sales: randomUUID(),
  ines: randomUUID(),
  olaf: randomUUID(),
  teamwork: randomUUID(),
  speed: randomUUID(),
  kudos: randomUUID(),
  plusOne: randomUUID(),
  rating: randomUUID(),
  bareRating: randomUUID(),
  question: randomUUID(),
  otherQuestion: randomUUID(),
  answer: randomUUID(),
  orphan: randomUUID(),
};

/** Two rows in each file: one with a value in every field, and one with as few as allowed. */
export const good = (): Files => ({
  teams: [
    { id: ids.design, name: "Design & Fertigung" },
    { id: ids.sales, name: "营业部" },
  ],
  members: [
    {
      id: ids.ines,
      name: "Inês Ærø, jr.",
      email: "ines@files.example",
      role: "admin",
      team_id: ids.design,
      created_at: "2026-03-29T02:30:00.123456789+01:00",
    },
    {
      id: ids.olaf,
      name: 'Olaf "Ole" 李',
      email: "Olaf@Files.example",
      role: "employee",
      team_id: "",
      created_at: "2026-03-29T02:30Z",
    },
  ],
  categories: [
    { id: ids.teamwork, language: "de", name: "Zusammenarbeit" },
    { id: ids.teamwork, language: "en", name: "Teamwork" },
    { id: ids.speed, language: "en", name: "Speed" },
  ],
  kudos: [
    {
      id: ids.kudos,
      sender_id: ids.ines,
      receiver_id: ids.olaf,
      category_id: ids.teamwork,
      message: ' Danke,\n"Ole" 🎉\\. \r\nund NULL ',
      created_at: "2026-11-20T23:59:59.999999Z",
    },
    {
      id: ids.plusOne,
      sender_id: ids.olaf,
      receiver_id: ids.olaf,
      category_id: ids.teamwork,
      message: "+1",
      created_at: "2026-11-20T10:15:30+0530",
    },
  ],
  day_ratings: [
    {
      id: ids.rating,
      rating: "5",
      comment: "Endlich\nSonne",
      team_id: ids.design,
      points_awarded: "10",
      created_at: "2026-11-20T10:15:30-08",
    },
    {
      id: ids.bareRating,
      rating: "1",
      comment: "",
      team_id: "",
      points_awarded: "",
      created_at: "0001-01-01T00:00:00Z",
    },
  ],
  pulse_questions: [
    { id: ids.question, question: "Wie läuft es?", response_type: "choice" },
    { id: ids.otherQuestion, question: "Und\nsonst?", response_type: "" },
  ],
  pulse_responses: [
    {
      id: ids.answer,
      question_id: ids.question,
      value: '{"choices": ["a", "ü"], "sure": true}',
      comment: "so so",
      created_at: "2026-11-20T10:15:30Z",
    },
    { id: ids.orphan, question_id: "", value: "", comment: "", created_at: "9999-12-31T23:59:59.999999Z" },
  ],
});

/** The text of a CSV file, as a system would write it. */
export function csv(file: string, rows: Cells[] = []): string {
  const fields = headers[file] ?? [];
  const lines = [fields, ...rows.map((row) => fields.map((field) => row[field] ?? ""))];
  return `${papaparse.unparse(lines, { newline: "\n" })}\n`;
}

export interface Psql {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs psql as an operator does. psql must be installed (in Debian: postgresql-client). */
export function psql(args: string[], folder: string, database_url = stack.database_url): Promise<Psql> {
  const command = [database_url, "--no-psqlrc", "--quiet", "--csv", "--tuples-only", ...args];
  return new Promise((resolve, reject) =>
    execFile("psql", command, { cwd: folder, maxBuffer: 1e8 }, (error, stdout, stderr) => {
      if (error?.code === "ENOENT") reject(new Error("psql is not installed: Debian has it in postgresql-client"));
      else resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
    }),
  );
}

/**
 * Loads files with sql/load.sql.
 * @param texts the contents of the CSV files; a file that is not given has only its header
 */
export async function runLoad(company: string, texts: Record<string, string>, database_url?: string): Promise<Psql> {
  const folder = await mkdtemp(`${tmpdir()}/loading-`);
  try {
    for (const file of Object.keys(headers)) await writeFile(`${folder}/${file}.csv`, texts[file] ?? csv(file));
    return await psql(["--set", `company_id=${company}`, "--file", `${root}/sql/load.sql`], folder, database_url);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/**
 * Loads files like {@link runLoad}.
 * @returns for each file, the numbers of rows inserted, updated and unchanged, and, if there are any, of rows left out
 * @throws Error with PostgreSQL's message
 */
export async function loadText(company: string, texts: Record<string, string>): Promise<Record<string, string[]>> {
  const { code, stdout, stderr } = await runLoad(company, texts);
  if (code !== 0) throw new Error(/ERROR: {2}(.*)/.exec(stderr)?.[1] ?? stderr);
  return Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => {
        const [file, ...counts] = line.split(",");
        return [file, counts.at(-1) === "0" ? counts.slice(0, 3) : counts];
      }),
  );
}

export const load = (company: string, files: Files) =>
  loadText(company, Object.fromEntries(Object.entries(files).map(([file, rows]) => [file, csv(file, rows)])));

/**
 * For each file of `good`, the counts of a load that inserts all its rows; `untouched`: of a load that changes none.
 */
export const inserted: Record<string, string[]> = Object.fromEntries(
  Object.entries(good()).map(([file, rows]) => [file, [String(rows.length), "0", "0"]]),
);
export const untouched: Record<string, string[]> = Object.fromEntries(
  Object.entries(good()).map(([file, rows]) => [file, ["0", "0", String(rows.length)]]),
);

/**
 * Two companies for one test file, removed after its tests, and functions that check what has been loaded into them.
 */
export interface Loading {
  company: TestCompany;
  other: TestCompany;
  /** Deletes the rows that loads have written. */
  empty(): Promise<void>;
  /** Every row of both companies and of staging, with ctid and xmin: they change whenever a row is written. */
  contents(): Promise<Record<string, string>>;
  /** The exact error message for these files. Checks that the load has written nothing. */
  problemsOf(company: string, files: Files): Promise<string>;
}

export async function newLoading(): Promise<Loading> {
  const company = await newCompany("Files", "de");
  const other = await newCompany("Other files");
  const both = [company.id, other.id];

  async function empty(): Promise<void> {
    for (const table of tables) {
      const kept = table === "members" ? sql`and name <> 'First Admin'` : sql``;
      await sql`delete from ${sql(`app.${table}`)} where company_id in ${sql(both)} ${kept}`;
    }
  }
  async function contents(): Promise<Record<string, string>> {
    const found: Record<string, string> = {};
    for (const name of [
      ...tables.map((table) => `app.${table}`),
      ...Object.keys(headers).map((file) => `staging.${file}`),
    ]) {
      const [row] = await sql`
        select string_agg(concat(t.ctid, t.xmin, ' ', t), ' ' order by t.ctid) as rows
        from ${sql(name)} as t ${name.startsWith("app.") ? sql`where company_id in ${sql(both)}` : sql``}`;
      found[name] = row?.rows ?? "";
    }
    return found;
  }
  async function problemsOf(id: string, files: Files): Promise<string> {
    const before = await contents();
    const problem = await load(id, files).then(
      () => "none",
      (error: Error) => error.message,
    );
    expect(await contents()).toEqual(before);
    return problem;
  }

  afterAll(async () => {
    await empty();
    await company.remove();
    await other.remove();
  });
  return { company, other, empty, contents, problemsOf };
}
