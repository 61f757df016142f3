// The text of sql/schema/0865_lists.sql. Why its statements are so: lists.ts.

import { lists, maxGroups } from "../../functions/public-api/table/endpoints.ts";
import type { ParameterKind } from "../../functions/public-api/table/kinds.ts";
import type { Column, ListEndpoint } from "../../functions/public-api/table/types.ts";
import { type Branch, type Facts, facts } from "./lists.ts";

export const listsFile = "sql/schema/0865_lists.sql";

const types: Partial<Record<ParameterKind, string>> = {
  uuid: "uuid default null",
  text: "text default null",
  email: "text default null",
  place: "uuid default null",
  true: "boolean default false",
  include: "text[] default null",
  since: "timestamptz default '-infinity'",
  until: "timestamptz default 'infinity'",
};

const indent = (text: string, by: number): string => text.replace(/^(?=.)/gm, " ".repeat(by));
const quoted = (name: string): string => (name === "timestamp" ? '"timestamp"' : name);

/** Joins words with commas, in lines of at most 110 characters. */
function commas(words: readonly string[]): string {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < 108) lines[lines.length - 1] = `${last}, ${word}`;
    else lines.push(word);
  }
  return lines.join(",\n");
}

const viewOf = ({ path }: ListEndpoint): string => `api.${path.slice(1).replaceAll("-", "_")}`;
const factsOf = ({ path }: Pick<ListEndpoint, "path">): Facts => {
  const fact = facts[path];
  if (!fact) throw new Error(`scripts/generate/lists.ts knows nothing of ${path}`);
  return fact;
};

/** A column of include: the only one of its list is in every page that has a column of include. */
function onRequest({ name }: Column, included: readonly Column[], joined?: string): string {
  if (included.length === 1) return joined ? `${joined} as ${name}` : `v.${name}`;
  return `case when with_${name} then ${joined ?? `v.${name}`} end as ${name}`;
}

/** For each column whether include names it: asked once, and not of every row. */
const variables = (included: readonly Column[], line = (name: string) => `  with_${name} boolean;\n`): string =>
  included.length < 2 ? "" : included.map(({ name }) => line(name)).join("");

const setVariables = (included: readonly Column[]): string =>
  variables(included, (name) => `with_${name} := '${name}' = any (include);\n`);

/** The conditions of a statement. */
function conditions(endpoint: ListEndpoint, { args }: Facts, { from, lead, filters = [], where }: Branch): string[] {
  const sent = (name: string) => `${endpoint.operation}.${name}`;
  const company = "v.company_id = api_key.company_id";
  const bound = "(v.instant, v.id) < (below_instant, below_id)";
  return [
    ...(from ? [] : [lead ? `${company} and ${lead}` : company]),
    args.includes("since") ? `v.instant >= since and ${bound}` : bound,
    ...filters.map((name) => `(${sent(name)} is null or v.${name} = ${sent(name)})`),
    ...(where ? [where] : []),
  ];
}

/** One page of a list into page, with these columns of include. */
function statement(endpoint: ListEndpoint, fact: Facts, branch: Branch, included: readonly Column[]): string {
  const { columns } = endpoint;
  const { joined = {}, join } = fact;
  const shown = [
    ...columns.map(({ name }) => `v.${quoted(name)}`),
    ...included.map((one) => onRequest(one, included, joined[one.name])),
  ];
  const others = join && included.some(({ name }) => name in joined) ? `\n${join}` : "";
  const order = branch.from ? "" : "\norder by v.instant desc, v.id desc\nlimit max_rows + 1";
  const rows = `select
${indent(commas(shown), 2)}
from ${branch.from ? `(\n${indent(branch.from, 2)}\n)` : viewOf(endpoint)} as v${others}
where ${conditions(endpoint, fact, branch).join("\n  and ")}${order}`;
  const time = columns.find(({ type }) => type === "date-time")?.name ?? "";
  return `select
  count(*), json_agg(item) filter (where place <= max_rows),
  string_agg((item).${quoted(time)} || '_' || (item).id, '') filter (where place = max_rows)
into found_rows, page, next from (
  select item, row_number() over () as place from (
${indent(rows, 4)}
  ) as item
) as numbered;
`;
}

/** Conditions of which the last one has none: if, elsif, else. */
function choice(branches: readonly { when?: string; text: string }[]): string {
  const [only] = branches;
  if (only && branches.length === 1) return only.text;
  const parts = branches.map(({ when, text }, place) => {
    const word = when === undefined ? "else" : `${place === 0 ? "if" : "elsif"} ${when} then`;
    return `${word}\n${indent(text, 2)}`;
  });
  return `${parts.join("")}end if;\n`;
}

/** Where the page begins, from starting_after and the window. */
const beginning = ({ table, rows }: Facts): string => `if starting_after is not null then
  if after_time is null then
    select t.created_at into after_time from app.${table} as t
    where t.company_id = api_key.company_id and t.id = starting_after${rows ? ` and ${rows}` : ""};
    if not found then
      perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
    end if;
  end if;
  if (after_time, starting_after) < (below_instant, below_id) then
    below_instant := after_time;
    below_id := starting_after;
  end if;
end if;
`;

/** Takes the columns that include does not name out of the text of a page. */
function withoutOthers(included: readonly Column[]): string {
  if (included.length < 2) return "";
  const lines = included.map(
    ({ name }) => `  if not with_${name} then kept := replace(kept, ',"${name}":null', ''); end if;`,
  );
  return `-- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
-- never within a value, because quotes are escaped there. Each assignment to page parses it.
if cardinality(include) < ${included.length} then
  kept := page;
${lines.join("\n")}
  page := kept;
end if;
`;
}

/** The statements of a page, by the columns that include names. */
function byInclude(endpoint: ListEndpoint, page: (included: readonly Column[]) => string): string {
  const { included } = endpoint;
  const { apart } = factsOf(endpoint);
  const text = (columns: readonly Column[]) => setVariables(columns) + page(columns) + withoutOthers(columns);
  if (included.length === 0) return text([]);
  const [others, joined] = [false, true].map((is) => included.filter(({ name }) => apart?.includes(name) === is));
  const only = (columns: readonly Column[] = [], left: readonly Column[] = []) => ({
    when: `not include && array[${left.map(({ name }) => `'${name}'`).join(", ")}]`,
    text: text(columns),
  });
  return choice([
    { when: "include is null", text: text([]) },
    ...(apart ? [only(others, joined), only(joined, others)] : []),
    { text: text(included) },
  ]);
}

const served = (name: string, comment: string): string => `select app.serve_keys('public.${name}'::regproc);
comment on function public.${name} is
  '${comment.replaceAll("'", "''").replace("JSON array. ", "JSON array. '\n  '")}';
`;

/** The arguments of the function of a list. */
const argsOf = ({ path, parameters }: ListEndpoint): string[] => [
  "key_hash text",
  "max_rows integer",
  ...factsOf({ path }).args.map(
    (name) => `${name} ${types[parameters.find((one) => one.name === name)?.kind ?? "text"]}`,
  ),
  "after_time timestamptz default null",
];

const nameOf = (arg: string): string => arg.split(" ")[0] ?? "";

/** The function that calls any of the others at a read replica, with the arguments of all. */
function readPage(): string {
  const ofChanges = ["key_hash text", "list text default null", "max_rows integer", "after text default null"];
  const calls = [
    ...lists.map((endpoint) => ({ rpc: endpoint.operation, args: argsOf(endpoint) })),
    { rpc: "list_changes", args: [...ofChanges, "include text[] default null"] },
  ];
  const all = new Map(calls.flatMap(({ args }) => args).map((arg) => [nameOf(arg), arg]));
  const branch = ({ rpc, args }: (typeof calls)[number]) => `when '${rpc}' then
  page := public.${rpc}(
${indent(commas(args.map(nameOf)), 4)}
  );
`;
  return `-- Each of them, and list_changes, at a read replica (0862).
create function public.read_page(
  rpc text,
${indent([...all.values()].join(",\n"), 2)}
)
returns app."application/json"
language plpgsql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as $$
declare
  page json;
begin
  case rpc
${indent(calls.map(branch).join(""), 4)}  end case;
  return app.from_replica(page);
end
$$;

${served("read_page", "A page of the function with the name rpc, such as list_members, at a read replica. PT503 too.")}`;
}

/** The function of a list. */
function listFunction(endpoint: ListEndpoint): string {
  const { path, operation: rpc, scope, summary } = endpoint;
  const fact = factsOf(endpoint);
  const { table, reads, leadBy, isTotal, branches } = fact;
  const isWindowed = fact.args.includes("since");
  const page = byInclude(endpoint, (columns) =>
    choice(branches.map((branch) => ({ ...branch, text: statement(endpoint, fact, branch, columns) }))),
  );
  const secured = [table, ...reads].map((name) => `row_security_active('app.${name}'::regclass)`);
  const lead = leadBy ? `\nif ${leadBy.when} then\n  lead_by := ${indent(leadBy.is, 2).trimStart()};\nend if;\n` : "";
  const body = `if not (
  ${secured.join("\n  and ")}
) then
  perform app.refuse_without_row_security();
end if;
api_key := app.authenticate(key_hash, '${scope}');
${isTotal ? `if ${isTotal} then\n  perform app.take_turn_of_total(api_key);\nend if;\n` : ""}
${beginning(fact)}${lead}
${page}
headers := set_config(
  'response.headers',
  format(
    app.page_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
    right(next, 36), next
  ),
  true
);
return coalesce(page, '[]');
`;
  return `-- GET ${path}

create function public.${rpc}(
${indent(argsOf(endpoint).join(",\n"), 2)}
)
returns app."application/json"
language plpgsql volatile security definer
set search_path = ''
set plan_cache_mode = force_generic_plan
set enable_seqscan = off
set enable_sort = off
set jit = off
set lock_timeout = '5s'
set statement_timeout = '7s'
as $$
declare
  api_key app.verified_key;
  found_rows integer;
  page json;
  next text;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := ${isWindowed ? "until + interval '1 microsecond'" : "timestamptz 'infinity'"};
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
${leadBy ? "  lead_by text;\n" : ""}${endpoint.included.length > 1 ? `  kept text;\n${variables(endpoint.included)}` : ""}begin
${indent(body, 2)}end
$$;

${served(rpc, `${summary}: the rows of the key's company, newest first, as a JSON array. ${scope}. PT400, PT401, PT403, PT429.`)}`;
}

/** The column of the cursor. */
const cursor = `origin || encode(xid8send(changed_in) || uuid_send(id), 'hex')
  || case when changed_in < began then began_digits else '' end as cursor`;

/**
 * A page of the changes of a list, with these columns of include. It begins after (after_transaction, after_id), for
 * deletions after (deletions_after, deletions_after_id), and ends below horizon. origin is the first part of a cursor, began
 * the number at which this copy began, also as the digits that end a cursor.
 *
 * Without deletions it is the rows as the index of changes has them. With deletions the changes are taken from two indexes,
 * each in the order of the page. An id may be in both, because its row was deleted and inserted again, even by one
 * transaction: then the row counts, and the deletion is left out. The later the row is, the less it is certain to be among
 * those that were read; then the deletion brings it, and a later page brings it once more. Each row leaves out one deletion
 * at most, so twice as many deletions as rows fill a page. offset 0 keeps look-ups from becoming joins of whole tables.
 */
function changesStatement(endpoint: ListEndpoint, included: readonly Column[]): string {
  const { table, rows } = factsOf(endpoint);
  const columns = endpoint.columns.filter(({ name }) => name !== "id").map(({ name }) => quoted(name));
  const shown = commas([...columns.map((name) => `v.${name}`), ...included.map((one) => onRequest(one, included))]);
  const names = commas([...columns, ...included.map(({ name }) => quoted(name))]);
  const view = viewOf(endpoint);
  const where = `v.company_id = company and (v.changed_in, v.id) > (after_transaction, after_id) and v.changed_in < horizon`;
  return `if not has_deletions then
  select count(*), json_agg(item), max(item.cursor collate "C") into found_rows, page, next from (
    select
      v.id,
${indent(shown, 6)},
${indent(cursor, 6)},
      false as deleted
    from ${view} as v
    where ${where}
    order by v.changed_in, v.id limit max_rows
  ) as item;
else
  select
    count(*), json_agg(item) filter (where place <= max_rows), string_agg(item_cursor, '') filter (where place = max_rows)
  into found_rows, page, next
  from (
    select item, item.cursor as item_cursor, row_number() over () as place from (
      select
        id,
${indent(names, 8)},
${indent(cursor, 8)},
        deleted
      from (
        (
          select
            v.changed_in, v.id,
${indent(shown, 12)},
            false as deleted
          from ${view} as v
          where ${where}
          order by v.changed_in, v.id limit max_rows + 1
        )
        union all
        (
          select d.deleted_in, d.id, there.*, there is null as deleted
          from (
            select d.deleted_in, d.id from app.deletions as d
            where d.company_id = company and d.relation = 'app.${table}'::regclass
              and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
            order by d.deleted_in, d.id limit 2 * (max_rows + 1)
          ) as d
          left join lateral (
            select
${indent(shown, 14)}
            from ${view} as v where v.company_id = company and v.id = d.id offset 0
          ) as there on true
          where d.id not in (
            select t.id from app.${table} as t
            where t.company_id = company${rows ? ` and ${rows}` : ""}
              and (t.changed_in, t.id) > (after_transaction, after_id) and t.changed_in < horizon
            order by t.changed_in, t.id limit max_rows + 1
          )
          order by d.deleted_in, d.id
        )
        order by changed_in, id limit max_rows + 1
      ) as change
      order by changed_in, id
    ) as item
  ) as numbered;
end if;
`;
}

/**
 * A page of the changes of a list. has_deletions: there may be deletions in it; a copy that begins (after 0) has none.
 *
 * Each statement has a snapshot of its own. Below horizon rows and deletions can only disappear meanwhile: what changes a row
 * moves it above, and what forgets deletions raises a mark that list_changes reads afterwards.
 *
 * are_foreign: there are rows with numbers of another server. They are behind all pages, so only the last page looks for them.
 * A row that a statement sees was written by a transaction that ended before it, or by its own, so its number is below xmax.
 *
 * Each look is in the order of an index: the planner may otherwise read all rows of the company to find one.
 */
function changesOf(endpoint: ListEndpoint): string {
  const { table, rows } = factsOf(endpoint);
  const look = `perform from app.${table} as t
  where t.company_id = company`;
  return `if after_transaction > '0' then
  perform from app.deletions as d
  where d.company_id = company and d.relation = 'app.${table}'::regclass
    and (d.deleted_in, d.id) > (deletions_after, deletions_after_id) and d.deleted_in < horizon
  order by d.deleted_in, d.id limit 1;
  has_deletions := found;
end if;
${byInclude(endpoint, (columns) => changesStatement(endpoint, columns))}if found_rows = max_rows and not has_deletions then
  ${look}${rows ? ` and ${rows}` : ""} and t.changed_in < horizon
    and (t.changed_in, t.id) > (('x' || substr(next, 9, 16))::bit(64)::bigint::text::xid8, substr(next, 25, 32)::uuid)
  order by t.changed_in, t.id limit 1;
  if found then found_rows := max_rows + 1; end if;
end if;
if found_rows <= max_rows then
  ${look} and t.changed_in >= pg_snapshot_xmax(pg_current_snapshot())
    and t.changed_in is distinct from pg_current_xact_id_if_assigned()
  order by t.changed_in, t.id limit 1;
  are_foreign := found;
end if;
`;
}

/** The text of the file. */
export const listsSql =
  (): string => `-- Made by \`npm run generate\` from functions/public-api/table/endpoints.ts and scripts/generate/lists.ts: change these.
-- The lists, their changes, and both at a read replica. Why the statements are so: scripts/generate/lists.ts.

${lists.map(listFunction).join("\n")}
${readPage()}
-- The answer of a total has at most so many rows. With more it has none, and X-Has-More is true.
create function app.most_groups() returns integer
language sql immutable set search_path = ''
return ${maxGroups};

grant execute on function app.most_groups to public_api;
comment on function app.most_groups is 'How many rows the answer of a total has at most.';

-- The lists for 0870_list_changes.sql: their scope and table. In plpgsql, because a session keeps its plan.
create function app.changing_list(list text, out scope text, out relation regclass)
language plpgsql stable
set search_path = ''
as $$
begin
  case list
${indent(lists.map((one) => `when '${one.path.slice(1)}' then scope := '${one.scope}'; relation := 'app.${factsOf(one).table}';`).join("\n"), 4)}
  end case;
end
$$;

-- A page of the changes of a list for public.list_changes. Why so: scripts/generate/list_functions.ts.
create function app.page_of_changes(
  list text, company uuid, include text[], max_rows integer, after_transaction xid8, after_id uuid,
  deletions_after xid8, deletions_after_id uuid, horizon xid8, origin text, began xid8, began_digits text,
  out found_rows bigint, out page json, out next text, out are_foreign boolean
)
language plpgsql volatile
set search_path = ''
set jit = off
as $$
declare
  kept text;
  has_deletions boolean := false;
${lists.map(({ included }) => variables(included)).join("")}begin
${indent(choice(lists.map((one) => ({ when: `list = '${one.path.slice(1)}'`, text: changesOf(one) }))), 2)}end
$$;

grant execute on function app.changing_list, app.page_of_changes to public_api;
comment on function app.changing_list is 'The scope and the table of a list, such as day-ratings.';
comment on function app.page_of_changes is 'A page of the changes of a list, with the columns that include names.';
`;
