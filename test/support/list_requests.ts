// Requests to a list with values of rows that the list has, and what the model knows of these rows.
import { lists as model } from "./model.ts";
import { combinations } from "./stack.ts";
import { iso, type World } from "./world.ts";

type Parameters = Record<string, string>;

/** What the model knows of a list. */
export const modelOf = (path: string) => model[path] as (typeof model)[string];

/** The rows of a list with all that the model knows of them, newest first. */
export const rowsOf = (world: World, path: string) =>
  modelOf(path)
    .rows(world)
    .sort((a, b) => (`${iso(a.at)} ${a.row.id}` < `${iso(b.at)} ${b.row.id}` ? 1 : -1));

/** The rows that share their instant with another row of the list. */
export const tied = (world: World, path: string) =>
  rowsOf(world, path).filter(({ at }, _, all) => all.filter((row) => row.at === at).length > 1);

type ModelRow = ReturnType<typeof rowsOf>[number];

/** The parameters of this list that this row meets: each filter that is set, and a window of the row's very instant. */
function met(path: string, { at, row, filters }: ModelRow): Parameters {
  const values = { ...filters, since: iso(at), until: iso(at), include_archived: "true" };
  const wanted = Object.entries(values).filter(
    ([name, value]) => modelOf(path).filters.includes(name) && value !== null,
  );
  return Object.fromEntries([
    ...wanted.map(([name, value]) => [name, String(value)]),
    ["starting_after", String(row.id)],
  ]);
}

/** The rows that have a value for every filter, and share their instant and these values with others. */
const twins = (world: World, path: string) =>
  tied(world, path).filter(
    ({ at, filters }, _, all) =>
      Object.values(filters).every((value) => value !== null) &&
      all.filter((row) => row.at === at && JSON.stringify(row.filters) === JSON.stringify(filters)).length > 2,
  );

/** For each filter a row whose value of it is rare beside the values of its other filters: it leads the search. */
function led(world: World, path: string): Parameters[] {
  const rows = rowsOf(world, path);
  const share = (row: ModelRow, name: string) =>
    rows.filter(({ filters }) => filters[name] === row.filters[name]).length;
  const names = modelOf(path).filters.filter((name) => rows.some(({ filters }) => filters[name] !== undefined));
  return names.map((name) => {
    const rarity = (row: ModelRow) =>
      share(row, name) / Math.min(...names.filter((one) => one !== name).map((one) => share(row, one)));
    const [rarest] = rows
      .filter(({ filters }) => names.every((one) => filters[one] !== null))
      .sort((a, b) => rarity(a) - rarity(b));
    const { since: _, until: __, starting_after: ___, ...filters } = met(path, rarest as ModelRow);
    return filters;
  });
}

/** Every set of the parameters of a list, with values of rows that meet them all, and are not the only ones. */
export function everyCombination(world: World, path: string): Parameters[] {
  const { included } = modelOf(path);
  // Five of them, which no number of parameters comes round to: each meets all parameters.
  const parts = included.length > 1 ? [included.toReversed(), [included[0], included.at(-1)], ...included] : [included];
  const newest = { starting_after: String(rowsOf(world, path)[0]?.row.id) };
  const sets = [
    ...twins(world, path)
      .slice(0, 2)
      .map((row) => met(path, row)),
    ...led(world, path),
  ].flatMap(combinations<string>);
  const started = sets.flatMap((set) => ("starting_after" in set ? [set] : [set, { ...set, ...newest }]));
  if (included.length === 0) return started;
  return started.flatMap((set, index) => [set, { ...set, include: String(parts[index % parts.length]) }]);
}
