import { globSync } from "node:fs";
import { resolveProfile, supabaseProfile } from "@supabase/pg-delta/integrations";
import { type Action, plan } from "@supabase/pg-delta/plan";
import pg from "pg";
import { root } from "./process.ts";

/** The files of sql/schema, sql/lists and sql/operating, in the order in which they are applied. */
export const schemaFiles = ["schema", "lists", "operating"].flatMap((folder) =>
  globSync(`${root}/sql/${folder}/*.sql`).sort(),
);

/** The migrations, in the order in which they are applied. */
export const migrationFiles = globSync(`${root}/supabase/migrations/*.sql`).sort();

/** Kinds of objects that pg-delta finds and cannot compare: a difference of one of them would not be seen. */
const notCompared = ["unmodeled_kind", "unresolved_security_label"];

/**
 * The statements that turn one database into the other, in an order in which they can be applied: tables, views,
 * functions, types, policies, triggers, indexes, owners, grants, settings, comments. Empty when the two are equal. Not
 * compared: objects of a superuser. By the engine of `supabase db diff`, which would put
 * line breaks into the texts of SQL.
 * @param from the address of a database, as `postgres`
 * @param to the address of another database, as `postgres`
 * @throws Error when a database has objects that cannot be compared
 */
export async function changes(from: string, to: string): Promise<Action[]> {
  const pools = [from, to].map((connectionString) => new pg.Pool({ connectionString })) as [pg.Pool, pg.Pool];
  // `end` does not wait until the connections are closed, and the server may stop before.
  for (const pool of pools) pool.on("error", () => {});
  try {
    return await changesBetween(...pools);
  } finally {
    await Promise.all(pools.map((pool) => pool.end()));
  }
}

/** The same between open connections. */
export async function changesBetween(from: pg.Pool, to: pg.Pool): Promise<Action[]> {
  const profile = await resolveProfile(from, supabaseProfile, { restrictToApplier: true });
  const [present, wanted] = [await profile.extract(from), await profile.extract(to)];
  const gaps = [...present.diagnostics, ...wanted.diagnostics].filter(
    ({ severity, code }) => severity === "error" || notCompared.includes(code),
  );
  if (gaps.length > 0) throw new Error(gaps.map(({ message }) => message).join("\n"));
  return plan(present.factBase, wanted.factBase, profile.planOptions).actions;
}

/**
 * The SQL text of statements. Older projects grant every new function in public to all roles, so each that is made loses
 * these rights at once; those that it is to have are granted afterwards.
 */
export function sqlOf(actions: Action[]): string {
  const statements = actions.flatMap(({ sql, produces }) => {
    const made = produces.filter((id) => id.kind === "function" && id.schema === "public") as { name: string }[];
    const revokes = made.map(
      ({ name }) => `REVOKE ALL ON FUNCTION public.${name} FROM PUBLIC, anon, authenticated, service_role`,
    );
    return [sql.trim(), ...revokes];
  });
  return statements.map((statement) => `${statement};`).join("\n\n");
}

/** The SQL text that turns one database into the other, see `changes`. Empty when the two are equal. */
export const difference = async (from: string, to: string): Promise<string> => sqlOf(await changes(from, to));
