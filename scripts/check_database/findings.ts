// What differs between a database and the migrations, by object, from the statements that would make the two equal.
import type { Action } from "@supabase/pg-delta/plan";

/** An object, and what is wrong with it. */
export type Finding = { what: string; problem: string };

/** The parts of an identity that name an object. */
type Id = { kind: string; schema?: string; table?: string; name?: string; target?: Id; grantee?: string };

const rooms = ["app", "lists", "staging"];
const roles = ["PUBLIC", "anon", "authenticated", "service_role", "authenticator", "public_api", "postgres"];
/** The functions with numbers that operators may replace (docs/operate/scale.md, docs/operate/read-replicas.md). */
const numbers = ["requests_at_once", "totals_at_once", "max_replica_lag"].map((name) => `function app.${name}`);

/** The object that a statement makes, removes or changes, also where it is about its rights or comment. */
function subjectOf({ produces, destroys, consumes }: Action): Id {
  const [id] = [...produces, ...destroys, ...consumes] as Id[];
  return id?.target ?? id ?? { kind: "object" };
}

const nameOf = ({ kind, schema, table, name }: Id): string =>
  table ? `${kind} ${name} on ${schema}.${table}` : [kind, [schema, name].filter(Boolean).join(".")].join(" ");

const isRight = ({ sql }: Action): boolean => /^(GRANT|REVOKE|ALTER DEFAULT PRIVILEGES)/.test(sql);

/** Whether the statement is about somebody else's: another schema, what was added to public, rights of another role. */
function isOfOthers(action: Action): boolean {
  const { schema, name } = subjectOf(action);
  const isAdded = action.verb === "drop";
  const room = schema ?? name ?? "";
  if (!rooms.includes(room) && (room !== "public" || isAdded)) return true;
  return isAdded && (action.destroys as Id[]).some(({ grantee }) => grantee !== undefined && !roles.includes(grantee));
}

/** What is wrong with an object, from the statements about it. Undefined where operators may have it so. */
function problemOf(what: string, actions: Action[]): string | undefined {
  const ofObject = actions.filter((action) => !isRight(action));
  const verbs = new Set(ofObject.map(({ verb }) => verb));
  if (ofObject.length === 0) {
    // What revokes comes before each grant, and would take rights of columns again.
    const [grants, revokes] = [/^GRANT/, /^(?!GRANT)/].map((kind) => actions.filter(({ sql }) => kind.test(sql)));
    return `has other rights, not: ${(grants?.length ? grants : revokes)?.map(({ sql }) => sql).join("; ")}`;
  }
  if (verbs.has("alter") || verbs.size > 1) return numbers.includes(what) ? undefined : "differs from the migrations";
  if (verbs.has("create")) return "is missing, or belongs to somebody else";
  return what.startsWith("index ") ? undefined : "is not in the migrations";
}

/**
 * The findings of statements that would turn a database into that of the migrations. Operators may have indexes and
 * numbers of their own, roles such as that of a writer, and other schemas. What a missing table has isn't named.
 */
export function findings(actions: Action[]): Finding[] {
  const objects = Map.groupBy(
    actions.filter((action) => !isOfOthers(action)),
    (action) => nameOf(subjectOf(action)),
  );
  const found = [...objects].flatMap(([what, some]) => {
    const problem = problemOf(what, some);
    return problem ? [{ what, problem, needs: some.flatMap(({ consumes }) => (consumes as Id[]).map(nameOf)) }] : [];
  });
  const missing = found.filter(({ what, problem }) => what.startsWith("table ") && problem.startsWith("is missing"));
  const isOf = (table: string, { what, needs }: { what: string; needs: string[] }) =>
    table !== what && (needs.includes(table) || what.endsWith(table.replace("table ", " on ")));
  return found
    .filter((one) => !missing.some(({ what }) => isOf(what, one)))
    .map(({ what, problem }) => ({ what, problem }));
}
