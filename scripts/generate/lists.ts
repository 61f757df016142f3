// The functions of the lists in SQL, made from endpoints.ts and from what only SQL knows of a list: its table, the
// tables that its view reads, its filters. sql/schema/0810_views_of_lists.sql has the views and says why the statements
// are as they are.
import type { Column, ListEndpoint, ParameterKind } from "../../functions/public-api/endpoint_types.ts";
import { lists } from "../../functions/public-api/endpoints.ts";

export const listsFile = "sql/schema/0865_lists.sql";

/** A statement of a list: when it is used (the last one otherwise), what it reads as v, and its conditions. */
type Branch = { when?: string; from?: string; where: string[] };

type Facts = {
  /** The table of the rows, and which of its rows (t) are in the list, unless all. */
  table: string;
  rows?: string;
  /** The tables besides that row-level security has to bind. */
  reads: string[];
  /** The arguments of the function behind key_hash and max_rows. New ones come last, so that older calls keep working. */
  args: string[];
  /** The filters by equality that may lead: each has an index in the order of the pages. */
  leads?: string[];
  /** The other filters by equality: most rows match them. */
  filters?: string[];
  /** The function that says which of several filters leads. */
  rarest?: string;
  /** A filter for one row at most, and how its row is found. */
  one?: { name: string; from: string };
  /** A filter that is true or false: the conditions without it. */
  unless?: { name: string; where: string };
  /** Columns that are not taken from the view. */
  expressions?: Record<string, string>;
  /** What columns of include are joined from: only preparing a look-up takes a fifteenth of a page of 20 rows. */
  join?: string;
  /** Columns of include that have statements of their own, so that the others cost no more. */
  apart?: string[];
};

const categoryName = (id: string) =>
  `coalesce((select app.category_names_by_id(api_key.company_id)) ->> v.${id}::text, '')`;
const window = ["since", "until"];

const facts: Record<string, Facts> = {
  "/members": {
    table: "members",
    rows: "not t.is_former",
    reads: ["teams"],
    args: ["team_id", "role", "starting_after", "email"],
    leads: ["team_id", "role"],
    rarest: "app.rarest_members_filter(api_key.company_id, team_id, role)",
    one: {
      name: "email",
      from: `select o.* from api.members as o
where o.company_id = api_key.company_id
  and o.id = (select app.member_with_email(api_key.company_id, list_members.email))
offset 0`,
    },
  },
  "/teams": { table: "teams", reads: [], args: ["starting_after"] },
  "/activity": {
    table: "kudos",
    reads: ["members", "teams", "category_names", "companies"],
    args: [...window, "category_id", "sender_id", "receiver_id", "starting_after", "include"],
    leads: ["sender_id", "receiver_id", "category_id"],
    rarest: `app.rarest_kudos_filter(
  api_key.company_id, since, least(until, below_instant), sender_id, receiver_id, category_id
)`,
    expressions: { category: categoryName("category_id") },
    apart: ["sender_team_id", "sender_team_name", "receiver_team_id", "receiver_team_name"],
  },
  "/categories": {
    table: "categories",
    reads: ["category_names", "companies"],
    args: ["starting_after"],
    expressions: { name: categoryName("id") },
  },
  "/rewards": {
    table: "rewards",
    reads: [],
    args: ["include_archived", "starting_after", "include", "external_id"],
    one: {
      name: "external_id",
      // In the order of external ids, so that no plan can use another index.
      from: `select o.* from api.rewards as o
where o.company_id = api_key.company_id
  and o.external_id between list_rewards.external_id and list_rewards.external_id
order by o.external_id limit 1`,
    },
    unless: { name: "include_archived", where: "not v.is_archived" },
  },
  "/day-ratings": {
    table: "day_ratings",
    reads: ["teams"],
    args: [...window, "team_id", "starting_after", "include"],
    leads: ["team_id"],
    expressions: { team_name: "team.name" },
    join: `left join lateral (
  select t.name from app.teams as t where t.company_id = v.company_id and t.id = v.team_id offset 0
) as team on true`,
  },
  "/pulse-responses": {
    table: "pulse_responses",
    reads: ["pulse_questions"],
    args: [...window, "starting_after", "include"],
  },
};

const types: Partial<Record<ParameterKind, string>> = {
  uuid: "uuid default null",
  text: "text default null",
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

/** One page of a list into ids and page, with these columns of include. */
function statement(
  { columns }: ListEndpoint,
  fact: Facts,
  view: string,
  branch: Branch,
  included: readonly Column[],
): string {
  const column = ({ name }: Column) => {
    const expression = fact.expressions?.[name];
    return expression ? `${expression} as ${name}` : `v.${quoted(name)}`;
  };
  const onRequest = (one: Column) =>
    included.length === 1
      ? column(one)
      : `case when '${one.name}' = any (include) then v.${one.name} end as ${one.name}`;
  const shown = [...columns.map(column), ...included.map(onRequest)];
  const order = branch.from ? "" : "\norder by v.instant desc, v.id desc\nlimit max_rows + 1";
  const rows = `select
${indent(commas(shown), 2)}
from ${branch.from ? `(\n${indent(branch.from, 2)}\n)` : view} as v${included.length > 0 && fact.join ? `\n${fact.join}` : ""}
where ${branch.where.join("\n  and ")}${order}`;
  return `select array_agg(id), json_agg(item) filter (where place <= max_rows) into ids, page from (
  select item.id, item, row_number() over () as place from (
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

/** The statements of a list. */
function branches(rpc: string, { args, leads = [], filters = [], one, unless }: Facts): Branch[] {
  const company = "v.company_id = api_key.company_id";
  const after = args.includes("since")
    ? "v.instant >= since and (v.instant, v.id) < (below_instant, below_id)"
    : "(v.instant, v.id) < (below_instant, below_id)";
  const optional = (names: readonly string[]) =>
    names.map((name) => `(${rpc}.${name} is null or v.${name} = ${rpc}.${name})`);
  const led = leads.map((name, place) => ({
    ...(place < leads.length - 1 && { when: `lead_by = '${name.replace("_id", "")}'` }),
    where: [
      `${company} and v.${name} = ${rpc}.${name}`,
      after,
      ...optional([...leads.filter((other) => other !== name), ...filters]),
    ],
  }));
  const [leader] = leads;
  const free = leads.length === 1 ? `${leader} is null` : "lead_by is null";
  return [
    ...(one
      ? [
          {
            when: `${one.name} is not null`,
            from: one.from,
            where: [
              after,
              ...optional([...leads, ...filters]),
              ...(unless ? [`(${unless.name} or ${unless.where})`] : []),
            ],
          },
        ]
      : []),
    ...(unless
      ? [{ when: `${unless.name} is not true`, where: [`${company} and ${unless.where}`, after, ...optional(filters)] }]
      : []),
    { ...(led.length > 0 && { when: free }), where: [company, after, ...optional(filters)] },
    ...led,
  ];
}

/** Where the page begins, from starting_after and the window. */
function beginning({ table, rows, args }: Facts): string {
  const row = `app.${table} as t
  where t.company_id = api_key.company_id and t.id = starting_after${rows ? ` and ${rows}` : ""};
  if not found then
    perform app.refuse_starting_after(api_key.key_id, api_key.company_id);
  end if;
`;
  if (!args.includes("since"))
    return `if starting_after is not null then
  select t.created_at, t.id into below_instant, below_id from ${row}end if;
`;
  return `if starting_after is not null then
  select t.created_at into after_instant from ${row}  if (after_instant, starting_after) < (below_instant, below_id) then
    below_instant := after_instant;
    below_id := starting_after;
  end if;
end if;
`;
}

/** Takes the columns that include does not name out of the text of a page. */
function withoutOthers(included: readonly Column[]): string {
  if (included.length < 2) return "";
  const lines = included.map(
    ({ name }) => `  if not '${name}' = any (include) then page := replace(page::text, ',"${name}":null', ''); end if;`,
  );
  return `-- Columns that include does not name are null in every row, and are taken out of the text of the page. This text is
-- never within a value, because quotes are escaped there.
if cardinality(include) < ${included.length} then
${lines.join("\n")}
end if;
`;
}

const served = (name: string, comment: string): string => `select app.serve_keys('public.${name}'::regproc);
comment on function public.${name} is
  '${comment.replaceAll("'", "''")}';
`;

/** The function of a list at a read replica: the same page, with the replica's lag. */
function readFunction(rpc: string, args: readonly string[]): string {
  const name = rpc.replace("list_", "read_");
  const names = args.map((arg) => arg.split(" ")[0]);
  return `create function public.${name}(
${indent(args.join(",\n"), 2)}
)
returns json
language sql stable security definer
set search_path = ''
set jit = off
set statement_timeout = '2s'
as 'select app.from_replica(public.${rpc}(${names.join(", ")}))';

${served(name, `public.${rpc}, at a read replica. PT503 too.`)}`;
}

/** The function of a list, and that of the list at a replica. */
function listFunctions(endpoint: ListEndpoint): string {
  const { path, rpc, scope, parameters, included, summary } = endpoint;
  const fact = facts[path];
  if (!fact) throw new Error(`scripts/generate/lists.ts knows nothing of ${path}`);
  const { table, reads, leads = [], rarest, one } = fact;
  const isWindowed = fact.args.includes("since");
  const args = [
    "key_hash text",
    "max_rows integer",
    ...fact.args.map((name) => `${name} ${types[parameters.find((one) => one.name === name)?.kind ?? "limit"]}`),
  ];
  const view = `api.${path.slice(1).replaceAll("-", "_")}`;
  const all = branches(rpc, fact);
  const pages = (columns: readonly Column[]) =>
    choice(all.map((branch) => ({ ...branch, text: statement(endpoint, fact, view, branch, columns) }))) +
    withoutOthers(columns);
  const { apart } = fact;
  const page = choice([
    { ...(included.length > 0 && { when: "include is null" }), text: pages([]) },
    ...(apart
      ? [
          {
            when: `not include && array[${apart.map((name) => `'${name}'`).join(", ")}]`,
            text: pages(included.filter(({ name }) => !apart.includes(name))),
          },
        ]
      : []),
    ...(included.length > 0 ? [{ text: pages(included) }] : []),
  ]);
  const secured = [table, ...reads].map((name) => `row_security_active('app.${name}'::regclass)`);
  const lead =
    rarest === undefined
      ? ""
      : `
if ${one ? `${one.name} is null and ` : ""}num_nonnulls(${leads.join(", ")}) > 0 then
  lead_by := ${indent(rarest, 2).trimStart()};
end if;
`;
  const body = `if not (
  ${secured.join("\n  and ")}
) then
  perform app.refuse_without_row_security();
end if;
api_key := app.authenticate(key_hash, '${scope}');

${beginning(fact)}${lead}
${page}
found_rows := coalesce(cardinality(ids), 0);
headers := set_config(
  'response.headers',
  format(
    app.list_headers(), api_key.key_id, api_key.company_id, least(found_rows, max_rows), (found_rows > max_rows)::text,
    ids[max_rows]
  ),
  true
);
return coalesce(page, '[]');
`;
  return `-- GET ${path}

create function public.${rpc}(
${indent(args.join(",\n"), 2)}
)
returns json
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
  ids uuid[];
  found_rows integer;
  page json;
  headers text;
  -- The page begins below this pair of instant and id (docs/api.md, Lists).
  below_instant timestamptz := ${isWindowed ? "until + interval '1 microsecond'" : "timestamptz 'infinity'"};
  below_id uuid := uuid '00000000-0000-0000-0000-000000000000';
${isWindowed ? "  after_instant timestamptz;\n" : ""}${rarest ? "  lead_by text;\n" : ""}begin
${indent(body, 2)}end
$$;

${served(rpc, `${summary}: the rows of the key's company, newest first, as a JSON array. ${scope}. PT400, PT401, PT403, PT429.`)}
${readFunction(rpc, args)}`;
}

/** A row of app.changing_lists. */
function changingList({ path, scope, columns, included }: ListEndpoint): string {
  const { table, rows = "true", expressions = {} } = facts[path] as Facts;
  const view = `api.${path.slice(1).replaceAll("-", "_")}`;
  const shown = columns
    .filter(({ name }) => name !== "id")
    .map(({ name }) => {
      const expression = expressions[name]?.replace("api_key.company_id", "$1").replaceAll("'", "''");
      return expression ? `${expression} as ${name}` : `v.${quoted(name)}`;
    });
  return `(
  '${path.slice(1)}', '${scope}', '${table}', 'from app.${table} as t where ${rows}', 'from ${view} as v',
  '${indent(commas(shown), 2).trimStart()}',
  '{${included.map(({ name }) => name)}}'::text[]
)`;
}

/** The text of the file. */
export const listsSql =
  (): string => `-- Made by \`npm run generate\` from functions/public-api/endpoints.ts and scripts/generate/lists.ts: change these.
-- The lists, and each of them at a read replica. Why the statements are so: 0810_views_of_lists.sql.

${lists.map(listFunctions).join("\n")}
-- The lists for 0870_list_changes.sql: the scope; the table, its rows that are in the list (t), and the list's view (v);
-- the columns in the order of docs/api.md, and those of include. $1 is the company.
create function app.changing_lists()
returns table (list text, scope text, relation text, rows text, view text, columns text, included text[])
language sql immutable
set search_path = ''
set jit = off
as $$
  values
${indent(lists.map(changingList).join(",\n"), 4)}
$$;

revoke all on function app.changing_lists from public;
grant execute on function app.changing_lists to public_api;
comment on function app.changing_lists is 'The lists whose changes are served: their scope, their table and their columns.';
`;
