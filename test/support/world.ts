// Companies full of random data. The data stays in these objects: the model (model.ts) predicts every answer from them
// and never reads the database. Each text contains its company's canary, a word that is in no request.
import { randomBytes, randomInt, randomUUID } from "node:crypto";
import fc from "fast-check";
import { afterAll } from "vitest";
import { newCompany, type TestCompany } from "./companies.ts";
import { sql } from "./stack.ts";

/** A company with rows of every kind: `at` is the time of a row in microseconds since 1970, too many for a number. */
export type World = Awaited<ReturnType<typeof newWorld>>;

const uuid = (): string => randomUUID();
const one = <T>(values: readonly T[]): T => values[randomInt(values.length)] as T;
const many = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));
/**
 * One of the first eight values. The first is drawn in half of the cases and the last in one of twenty, so that of
 * several filters in a request, any one can be the rarest.
 */
const uneven = <T>(values: readonly T[]): T =>
  values[Math.floor(Math.min(8, values.length) * (randomInt(1000) / 1000) ** 3)] as T;
/** The first of values that are there. */
const first = <T>([value]: readonly T[]): T => value as T;
const maybe = <T>(value: T): T | null => (randomInt(3) === 0 ? null : value);

/** Parts for awkward texts, which could cause errors in CSV, JSON, SQL, HTML or a spreadsheet. */
const awkward = [
  ...['"', ",", "\r\n", "\n", "\r", "=1+1", "+1", "-1", "@a", "\t", "'", "\\", "\\.", "\u2028", "\ufeff"],
  ...["🎉", "é", " ", ";", "<b>", "null", ',"sender_id":null', "\u202e", "$1", "%s"],
  // Any Unicode that PostgreSQL can store: no NUL and no lone surrogate.
  ...fc.sample(fc.string({ unit: "binary", maxLength: 12 }), 30).map((text) => text.replaceAll("\0", "")),
];

/** A few times that many rows share, so that equal times are common. They differ in microseconds too. */
const start = 1_767_225_600_000_000;
const ties = many(6, (index) => BigInt(start + index * 86_400_000_000 + randomInt(1_000_000)));
const instant = (): bigint =>
  randomInt(2) === 0 ? one(ties) : BigInt(start + randomInt(20_000_000) * 1_000_000 + randomInt(1_000_000));

/** The first three rows of every list are twins: they have the same time, and the first value of all that can be filtered. */
const isTwin = (index: number): boolean => index < 3;
/** So many rows, each with an ID and a time. */
const rows = <T>(length: number, make: (index: number) => T) =>
  many(length, (index) => ({ id: uuid(), ...make(index), at: isTwin(index) ? first(ties) : instant() }));
const drawn = <T>(index: number, values: readonly T[]): T => (isTwin(index) ? first(values) : uneven(values));

/** ISO 8601 in UTC with microseconds, as the API writes it. */
export function iso(at: bigint): string {
  const seconds = new Date(Number(at / 1_000_000n) * 1000).toISOString().slice(0, 19);
  return `${seconds}.${String(at % 1_000_000n).padStart(6, "0")}Z`;
}

/** In place of the team that somebody had at the time of a kudos: they are known to have had none. */
export const noTeam = "00000000-0000-0000-0000-000000000000";

const languages = ["en", "de", "pt-BR", "pt-br"];
const roles = ["admin", "employee", "Employee"];

/** About `size` rows of each kind; in every text is the canary. */
function generate({ domain }: TestCompany, canary: string, size: number) {
  const text = (): string => one(awkward) + canary + one(awkward) + randomInt(1000) + one(awkward);
  const line = (): string => `${canary} ${randomInt(1_000_000)}`;

  const teams = rows(12, () => ({ name: text() }));
  const members = rows(size, (index) => ({
    name: text(),
    email: `m${index}.${canary}@${domain}`,
    role: drawn(index, roles),
    team_id: isTwin(index) ? first(teams).id : maybe(uneven(teams).id),
  }));
  const categories = rows(12, (index) => {
    // One has no name at all.
    const spoken = index === 4 ? [] : ["it", ...languages.filter(() => randomInt(2) === 0)];
    const names: Record<string, string> = Object.fromEntries(spoken.map((tag) => [tag, text()]));
    return { names };
  });
  const pulse_questions = rows(12, () => ({ question: text(), response_type: maybe(line()) }));
  const kudos = rows(size, (index) => ({
    sender_id: drawn(index, members).id,
    receiver_id: drawn(index, members).id,
    category_id: drawn(index, categories).id,
    message: text(),
    sender_team_then_id: one([null, noTeam, uuid(), one(teams).id]),
    receiver_team_then_id: one([null, noTeam, uuid(), one(teams).id]),
  }));
  const rewards = rows(size, (index) => ({
    external_id: maybe(`shared-${index}`),
    name: text(),
    description: maybe(text()),
    points_cost: one([0, 1, 250, Number.MAX_SAFE_INTEGER]),
    reward_type: line(),
    stock_count: maybe(randomInt(100)),
    image_url: maybe(`https://img.example/${canary}`),
    vendor_name: maybe(text()),
    is_archived: !isTwin(index) && randomInt(3) === 0,
  }));
  const day_ratings = rows(size, (index) => ({
    rating: randomInt(1, 6),
    comment: maybe(text()),
    team_id: isTwin(index) ? first(teams).id : maybe(one(teams).id),
    points_awarded: maybe(randomInt(50)),
  }));
  const pulse_responses = rows(size, () => ({
    question_id: maybe(one(pulse_questions).id),
    value: one<unknown>([null, 4, 0.5, true, text(), [text(), 1], { [canary]: text() }, "", "null"]),
    comment: one(["", text()]),
  }));
  return { teams, members, categories, kudos, rewards, day_ratings, pulse_questions, pulse_responses };
}

/**
 * Makes a company and fills it, as a superuser, which no policy limits.
 * @param language its own and that of its category names may differ in letter case, as pt-br and pt-BR do
 */
export async function newWorld(size: number, language = one(languages)) {
  const company = await newCompany("World", language);
  /** A word in every text of this company, which is in no other company and in no request. */
  const canary = `canary${randomBytes(6).toString("hex")}`;
  const tables = generate(company, canary, size);
  const category_names = tables.categories.flatMap(({ id, names }) =>
    Object.entries(names).map(([language, name]) => ({ category_id: id, language, name })),
  );
  for (const [table, rows] of Object.entries({ ...tables, category_names })) {
    const timed = rows.map(({ at, names, ...row }: { at?: bigint; names?: object }) => ({
      ...{ company_id: company.id, ...row },
      ...(at !== undefined && { created_at: iso(at) }),
    }));
    const columns = sql(Object.keys(timed[0] ?? {}));
    // Sent as JSON text, because the driver would drop the microseconds.
    await sql`
      insert into app.${sql(table)} (${columns})
      select ${columns} from jsonb_populate_recordset(null::app.${sql(table)}, ${JSON.stringify(timed)}::text::jsonb)`;
  }
  // The admin who creates the keys is also a member. Until here, only the database has this row.
  const admins = await sql<{ id: string; name: string; email: string; role: string; team_id: null; at: string }[]>`
    select id::text, name, email, role, team_id, (extract(epoch from created_at) * 1000000)::bigint::text as at
    from app.members where company_id = ${company.id} and email = ${company.admin_email}`;
  tables.members.push(...admins.map(({ at, ...admin }) => ({ ...admin, at: BigInt(at) })));
  return { company, language, canary, ...tables };
}

/** A company of this test file that is full of data, and a key of it. The company is removed after the tests. */
export async function worldOfFile(size: number, language?: string) {
  const world = await newWorld(size, language);
  afterAll(() => world.company.remove());
  return { world, key: (await world.company.makeKey()).api_key };
}
