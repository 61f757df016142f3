import type { Sql } from "postgres";
import { lists as endpoints } from "../../functions/public-api/table/endpoints.ts";
import { pgbench, processorTime } from "./database.ts";
import { compare, type Figure, median, type Part, shown } from "./figure.ts";

/** The rows of a page, and how often each company's page is made in a round. */
const sizes = [
  { rows: 20, times: 60 },
  { rows: 100, times: 20 },
  { rows: 1000, times: 3 },
];

const rounds = 11;

/** The large company and seven smaller ones, in turn. Each has enough rows for a page of 1000 of each of these lists. */
const companies = [1, 2, 3, 4, 5, 6, 7, 8];
const lists = endpoints
  .filter(({ path }) => path !== "/teams" && path !== "/categories")
  .map(({ path, operation: rpc }) => ({ name: path.slice(1), rpc, view: rpc.replace("list_", "") }));

/**
 * The SQL of a function that returns the same page of a given company, for a superuser. It has the same plan and also
 * finds out whether there are more rows, but it has no key, scope, policies, limit, headers or filters.
 */
function bareFunction({ view }: (typeof lists)[number]): string {
  const archived = view === "rewards" ? "and not v.is_archived" : "";
  return `
    create function bench.bare_${view}(of_company uuid, max_rows integer) returns json language plpgsql volatile
    set search_path = '' set plan_cache_mode = force_generic_plan
    set enable_seqscan = off set enable_sort = off set jit = off
    as $$
    declare
      found_rows bigint;
      page json;
    begin
      perform set_config('app.company_id', of_company::text, true);
      select count(*), json_agg(item) filter (where place <= max_rows) into found_rows, page from (
        select item, row_number() over () as place from (
          select (v.shown).* from lists.${view} as v where v.company_id = of_company ${archived}
          order by v.instant desc, v.id desc limit max_rows + 1
        ) as item
      ) as numbered;
      return coalesce(page, '[]');
    end
    $$`;
}

/** The processor time of one backend for a page of each company, each in a transaction, in microseconds a page. */
const perPage = (sql: Sql, times: number, call: (company: number) => string) => async () => {
  const pages = companies.map((company) => `page := ${call(company)}; commit;`).join("\n");
  const script = `do $do$ declare page json; begin for n in 1..${times} loop ${pages} end loop; end $do$`;
  return (await processorTime(sql, script)) / times / companies.length;
};

const securedCall = (rpc: string, rows: number) => (company: number) =>
  `public.${rpc}(bench.key_hash(${company}), ${rows})`;

/**
 * Compares a page as the service makes it with the bare page, by the processor time of one backend: the time on the
 * clock depends on what else the cores do.
 */
export const securedPages: Part = {
  name: "secured-pages",
  title: "Pages from the database, secured beside bare: processor time of one backend",
  async measure({ database, progress }) {
    const { superuser } = await database();
    const figures: Figure[] = [];
    for (const list of lists) {
      await superuser.unsafe(bareFunction(list));
      for (const { rows, times } of sizes) {
        const name = `${list.name}, ${rows} rows`;
        progress(name);
        const bareCall = (company: number) => `bench.bare_${list.view}(bench.id(${company}, 'company', 0), ${rows})`;
        const page = (call: (company: number) => string) => perPage(superuser, times, call);
        const { rounds: ratios, ...of } = await compare(rounds, page(securedCall(list.rpc, rows)), page(bareCall));
        const note = `${shown(of.service)} µs a page, bare ${shown(of.bare)} µs`;
        figures.push({ name, rounds: ratios, unit: "times the bare page", allowed: 1.1, note });
      }
    }
    return figures;
  },
};

/** Compares a page of 100 changes with a page of 100 rows. */
export const changedPages: Part = {
  name: "changed-pages",
  title: "Pages of 100 changes, beside pages of 100 rows: processor time of one backend",
  async measure({ database, progress }) {
    const { superuser } = await database();
    const figures: Figure[] = [];
    for (const { name, rpc } of lists) {
      progress(name);
      const changes = (company: number) => `public.list_changes(bench.key_hash(${company}), '${name}', 100, 'start')`;
      const page = (call: (company: number) => string) => perPage(superuser, 20, call);
      const { rounds: ratios, service, bare } = await compare(rounds, page(changes), page(securedCall(rpc, 100)));
      const note = `${shown(service)} µs a page, of rows ${shown(bare)} µs`;
      const allowed = ["day-ratings", "pulse-responses"].includes(name) ? 1.3 : 1.1;
      figures.push({ name, rounds: ratios, unit: "times the page of rows", allowed, note });
    }
    return figures;
  },
};

/** Pages of kudos over four connections, by the clock: what a server of two cores serves. */
export const servedPages: Part = {
  name: "served-pages",
  title: "Pages of kudos over 4 connections, by the clock",
  async measure({ database, progress }) {
    const { url } = await database();
    const figures: Figure[] = [];
    for (const { rows } of sizes) {
      progress(`${rows} rows`);
      const script = companies.map((company) => `select ${securedCall("list_activity", rows)(company)};`).join("\n");
      const served: number[] = [];
      for (let round = 0; round < 5; round += 1) served.push(companies.length * (await pgbench(url, script, 4)));
      const headline = `${shown(median(served))} pages of ${rows} kudos a second from one database`;
      figures.push({ name: `${rows} rows`, rounds: served, unit: "pages a second", headline });
    }
    return figures;
  },
};
