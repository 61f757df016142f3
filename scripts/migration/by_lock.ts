// How statements are parted into migrations, each of which `supabase db push` applies in a transaction of its own.
import type { Action } from "@supabase/pg-delta/plan";

/** Statements of one migration. `note` is the comment at the head of its file, for people and for squawk. */
export type Part = { name: string; actions: Action[]; note: string };

/** The tables that every request reads before its list, in the order in which requests lock them. */
const keyTables = ["api_keys", "api_key_events", "api_key_uses"];

/** Tables that grow: building an index on one of them takes long. Those of moods come in one file. */
const growing = new Map([
  ["kudos", "kudos"],
  ["day_ratings", "moods"],
  ["pulse_responses", "moods"],
]);

const isIndex = ({ sql }: Action): boolean => /^create (unique )?index/i.test(sql);

/** Whether a statement is about an object of a schema, or the schema. */
const isIn =
  (schema: string) =>
  ({ sql }: Action): boolean =>
    new RegExp(`^[^(]*\\b(schema ${schema}\\b|${schema}\\.)`, "i").test(sql.replaceAll('"', ""));

/** The names of the tables that a statement touches. */
const tablesOf = ({ produces, consumes, destroys }: Action): string[] =>
  [...produces, ...consumes, ...destroys].flatMap((id) =>
    "table" in id ? [id.table] : id.kind === "table" ? [id.name] : [],
  );

/** Some statements and those before them that they need, in the order of all. */
function withNeeds(actions: Action[], some: (action: Action) => boolean): Action[] {
  const chosen = new Set(actions.filter(some));
  const keys = (ids: Action["produces"]) => ids.map((id) => JSON.stringify(id));
  actions.toReversed().forEach((action, fromEnd) => {
    if (!chosen.has(action)) return;
    const touched = new Set(keys([...action.produces, ...action.consumes, ...action.destroys]));
    for (const earlier of actions.slice(0, actions.length - 1 - fromEnd))
      if (keys([...earlier.produces, ...earlier.destroys, ...earlier.releases]).some((key) => touched.has(key)))
        chosen.add(earlier);
  });
  return actions.filter((action) => chosen.has(action));
}

const notes = {
  tables: `-- The tables of companies and keys are small: reading them takes milliseconds.
-- squawk-ignore-file ban-drop-not-null, constraint-missing-not-valid
`,
  indexes: `-- Apart from the columns, because an added column blocks reading until its transaction ends. This blocks writing while
-- it builds the index: db push runs each file in a transaction, which cannot build one concurrently.
-- squawk-ignore-file require-concurrent-index-creation
`,
};

/**
 * Parts statements so that no request waits in a circle with a migration, and none for long. What keeps companies from
 * being read comes first and apart, then what locks the tables of keys: requests read both, some in one order and some in
 * the other, before they wait for a view or table of a list. The indexes come last, those of tables that grow in files of
 * their own.
 * @param actions all statements, in an order in which they can be applied
 */
export function byLock(actions: Action[]): Part[] {
  const indexes = actions.filter(isIndex);
  let rest = actions.filter((action) => !isIndex(action));
  const take = (some: (action: Action) => boolean): Action[] => {
    const taken = withNeeds(rest, some);
    rest = rest.filter((action) => !taken.includes(action));
    return taken;
  };
  const companies = take((action) => action.lockClass === "accessExclusive" && tablesOf(action).includes("companies"));
  const keys = keyTables.flatMap((table) =>
    take((action) => action.lockClass !== "none" && tablesOf(action).includes(table)),
  );
  // What operators call, what lists stand on, they, the functions of the Data API, and what only earlier versions called.
  const isLists = isIn("lists");
  const isPublic = isIn("public");
  const procedures = take(({ sql }) => /^[^(]*\bprocedure\b/i.test(sql));
  const behind = take((action) => action.destroys.length === 0 && !isPublic(action) && !isLists(action));
  const lists = take((action) => action.destroys.length === 0 && isLists(action));
  const functions = take(isPublic);
  const rooms = Map.groupBy(indexes, (action) => {
    const [table = ""] = tablesOf(action);
    return `indexes_of_${growing.get(table) ?? "others"}`;
  });
  const parts = [
    { name: "companies", actions: companies, note: notes.tables },
    { name: "tables_of_keys", actions: keys, note: notes.tables },
    { name: "tables_of_lists", actions: behind, note: notes.tables },
    { name: "lists", actions: lists, note: notes.tables },
    { name: "procedures", actions: procedures, note: notes.tables },
    { name: "functions", actions: functions, note: notes.tables },
    { name: "what_is_gone", actions: rest, note: notes.tables },
    ...[...rooms].map(([name, actions]) => ({ name, actions, note: notes.indexes })),
  ];
  return parts.filter(({ actions }) => actions.length > 0);
}
