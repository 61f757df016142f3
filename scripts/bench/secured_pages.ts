import { endpoints } from "../../functions/public-api/endpoints.ts";
import { pgbench } from "./database.ts";
import { compare, type Figure, type Part, shown } from "./figure.ts";

/** The rows of a page, and the part of the bare page's speed that it should reach. */
const sizes = [
  { rows: 20, atLeast: 0.65 },
  { rows: 100, atLeast: 0.7 },
  { rows: 1000, atLeast: 0.75 },
];

/** The large company and seven smaller ones, in turn. Each has enough rows for a page of 1000. */
const companies = [1, 2, 3, 4, 5, 6, 7, 8];
const connections = 4;

const lists = ["/members", "/activity", "/rewards", "/day-ratings", "/pulse-responses"].map((path) => {
  const endpoint = endpoints.find((endpoint) => endpoint.path === path);
  if (endpoint?.kind !== "list") throw new Error(`${path} is no list`);
  return { name: path.slice(1), rpc: endpoint.rpc, view: endpoint.rpc.replace("list_", ""), columns: endpoint.columns };
});

/** The one column of a list that its view does not have. */
const category = "coalesce((select app.category_names_by_id(of_company)) ->> category_id::text, '') as category";

/**
 * The SQL of a function that returns the same page of a given company, for the owner of the tables. It has the same
 * plan and also finds out whether there are more rows, but it has no key, scope, policies, limit, headers or filters.
 */
function bareFunction({ view, columns }: (typeof lists)[number]): string {
  const selected = columns.map(({ name }) => (name === "category" ? category : `"${name}"`)).join(", ");
  const archived = view === "rewards" ? "and not is_archived" : "";
  return `
    create function bench.bare_${view}(of_company uuid, max_rows integer) returns json language plpgsql volatile
    set search_path = '' set plan_cache_mode = force_generic_plan
    set enable_seqscan = off set enable_sort = off set jit = off
    as $$
    declare
      found_rows bigint;
      page json;
    begin
      select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
        select item, row_number() over () as place from (
          select ${selected} from api.${view} as v where v.company_id = of_company ${archived}
          order by v.instant desc, v.id desc limit max_rows + 1
        ) as item
      ) as numbered;
      return coalesce(page, '[]');
    end
    $$`;
}

/** Compares a page as the service makes it with the bare page. */
export const securedPages: Part = {
  name: "secured-pages",
  title: "Pages from the database, secured beside bare: 4 connections",
  async measure({ database, progress }) {
    const { url, superuser } = await database();
    const perSecond = (call: (company: number) => string) => async () => {
      const script = companies.map((company) => `select ${call(company)};`).join("\n");
      return companies.length * (await pgbench(url, script, connections));
    };
    const figures: Figure[] = [];
    for (const list of lists) {
      await superuser.unsafe(bareFunction(list));
      for (const { rows, atLeast } of sizes) {
        progress(`${list.name}, ${rows} rows`);
        const secured = perSecond((company) => `public.${list.rpc}(bench.key_hash(${company}), ${rows})`);
        const bare = perSecond((company) => `bench.bare_${list.view}(bench.id(${company}, 'company', 0), ${rows})`);
        const { rounds, own } = await compare(5, secured, bare);
        const [name, note] = [`${list.name}, ${rows} rows`, `${shown(own)} pages a second`];
        const headline = `${shown(own)} pages of ${rows} kudos a second from one database`;
        const figure = { name, rounds, unit: "of the bare page", target: { atLeast }, note };
        figures.push(list.name === "activity" ? { ...figure, headline } : figure);
      }
    }
    return figures;
  },
};
