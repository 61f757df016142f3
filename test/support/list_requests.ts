// Requests to a list with values of rows that the list has.
import { type ModelRow, modelOf, rowsOf } from "./model.ts";
import { iso, type World } from "./world.ts";

type Parameters = Record<string, string>;

/** The rows that share their instant with another row of the list. */
export const tied = (world: World, path: string) =>
  rowsOf(world, path).filter(({ at }, _, all) => all.filter((row) => row.at === at).length > 1);

/** One of the rows, whatever the number. */
export function rowAt(world: World, path: string, index: number): ModelRow {
  const rows = rowsOf(world, path);
  return rows[index % rows.length] as ModelRow;
}

/** The values of a row in the columns that the list can be filtered by. */
const filtersOf = (path: string, row: ModelRow) =>
  Object.fromEntries(
    modelOf(path).filters.flatMap((name) => (name in row ? [[name, row[name] as string | null]] : [])),
  );
const hasAll = (path: string, row: ModelRow) => Object.values(filtersOf(path, row)).every((value) => value !== null);

/** A row to start after: its time and id. */
const placeOf = ({ at, id }: ModelRow) => `${iso(at)}_${id}`;

/** The parameters of a list that a row meets: each filter that it has a value for, and a window to the instant of another. */
export function met(path: string, one: ModelRow, other = one): Parameters {
  const [since, until] = [iso(one.at), iso(other.at)].sort();
  const values: ModelRow = { ...one, since, until, include_archived: "true" };
  const wanted = modelOf(path).filters.filter((name) => values[name] !== null);
  return Object.fromEntries([...wanted.map((name) => [name, values[name]]), ["starting_after", placeOf(one)]]);
}

/** The rows that have a value for every filter, and share their instant and these values with others. */
function twins(world: World, path: string): ModelRow[] {
  const place = (row: ModelRow) => JSON.stringify([iso(row.at), filtersOf(path, row)]);
  return tied(world, path).filter(
    (row, _, all) => hasAll(path, row) && all.filter((other) => place(other) === place(row)).length > 2,
  );
}

/** For each filter a row whose value of it is rare beside the values of its other filters: it leads the search. */
function led(world: World, path: string): Parameters[] {
  const rows = rowsOf(world, path).filter((row) => hasAll(path, row));
  const names = Object.keys(filtersOf(path, rows[0] as ModelRow));
  const share = (row: ModelRow, name: string) => rows.filter((other) => other[name] === row[name]).length;
  return names.map((name) => {
    const others = names.filter((one) => one !== name);
    const rarity = (row: ModelRow) => share(row, name) / Math.min(...others.map((one) => share(row, one)));
    const [rarest] = rows.sort((a, b) => rarity(a) - rarity(b));
    return filtersOf(path, rarest as ModelRow) as Parameters;
  });
}

/** Every combination of the entries of an object, including none of them. */
const combinations = (entries: Parameters) =>
  Object.entries(entries).reduce<Parameters[]>(
    (all, [name, value]) => all.flatMap((one) => [one, { ...one, [name]: value }]),
    [{}],
  );

/** Every set of the parameters of a list, with values of rows that meet them all, and are not the only ones. */
export function everyCombination(world: World, path: string): Parameters[] {
  const { included } = modelOf(path);
  // Each set of parameters meets every third of them: of kudos ids alone, columns of teams alone, and mostly both.
  const parts = included.length > 1 ? [included.toReversed(), [included[0], included.at(-1)], ...included] : [included];
  const newest = { starting_after: String(rowsOf(world, path)[0]?.id) };
  const twinned = twins(world, path).slice(0, 2);
  const nameless = rowsOf(world, path).filter(({ category }) => category === "");
  const ofNameless = nameless.slice(0, 1).map(({ category_id }) => ({ category_id: String(category_id) }));
  const sets = [...twinned.map((row) => met(path, row)), ...led(world, path), ...ofNameless].flatMap(combinations);
  const started = sets.flatMap((set) => ("starting_after" in set ? [set] : [set, { ...set, ...newest }]));
  if (included.length === 0) return started;
  return started.flatMap((set, index) => {
    const ofSet = parts.filter((_, place) => parts.length === 1 || (place - index) % 3 === 0);
    return [set, ...ofSet.map((part) => ({ ...set, include: String(part) }))];
  });
}
