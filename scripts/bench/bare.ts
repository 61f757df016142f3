import type { Sql } from "postgres";

/** The lists, as the database names them. */
export const lists = ["members", "activity", "rewards", "day_ratings", "pulse_responses"] as const;
export type List = (typeof lists)[number];

/**
 * Ways to read a page and to learn whether there are more rows, as every list must say. `numbered` is the endpoint's own text; `probed`
 * reads the page alone and looks in the table's index for one more row.
 */
export const candidates = ["numbered", "probed"] as const;
export type Candidate = (typeof candidates)[number];

const numbered =
  /select count\(\*\), json_agg\(item\) filter \(where place <= max_rows\) into found_rows, page from \(\s*select item, row_number\(\) over \(\) as place from \(([\s\S]*?)\) as item\s*\) as numbered;/;

/** What a way makes of a list's own statement and the select in it, whose order begins at `from`. */
const texts: Record<Candidate, (own: string, select: string) => string> = {
  numbered: (own) => `${own} has_more := found_rows > max_rows;`,
  probed: (_own, select) => {
    const [, view = "", conditions = ""] = /^[\s\S]*\bfrom api\.(\w+) as ([\s\S]*)/.exec(select) ?? [];
    const table = view === "activity" ? "kudos" : view;
    const probe = conditions
      .replaceAll(".instant", ".created_at")
      .replace("limit max_rows + 1", "offset max_rows limit 1");
    return `
      select json_agg(item), exists (select from app.${table} as ${probe}) into page, has_more
      from (${select.replace("max_rows + 1", "max_rows")}) as item;`;
  },
};

/**
 * Makes `bench.<candidate>_<list>(company, max_rows)`: the endpoint's function with its settings, run with the rights of the tables'
 * owner, for a company that is told. Key, scope, policies, guard and headers are left out, and every filter. Its text is taken from the
 * endpoint's, so that it cannot fall behind.
 */
export async function makeBareFunctions(superuser: Sql): Promise<void> {
  for (const list of lists) {
    const [row] = await superuser<{ source: string; settings: string }[]>`
      select prosrc as source, substring(pg_get_functiondef(oid) from 'SECURITY DEFINER(.*)AS .function.') as settings
      from pg_proc where oid = ${`public.list_${list}`}::regproc`;
    const { source = "", settings = "" } = row ?? {};
    const [whole, inner] = numbered.exec(source) ?? [];
    if (!whole || !inner) throw new Error(`public.list_${list} has no page that is numbered`);
    for (const candidate of candidates) {
      const name = `bench.${candidate}_${list}`;
      const statements = texts[candidate](whole, inner).replaceAll("api_key.company_id", "company");
      await superuser.unsafe(`
        create function ${name}(
          company uuid, max_rows integer, since timestamptz default '-infinity', until timestamptz default 'infinity'
        ) returns json language plpgsql volatile security definer ${settings}
        as $$
        declare
          found_rows bigint;
          has_more boolean;
          page json;
        begin
          ${statements}
          return page;
        end
        $$;
        alter function ${name}(uuid, integer, timestamptz, timestamptz) owner to postgres`);
    }
  }
}
