// The statements that PostgREST sends for a call of a function, as they were recorded (test/recorded).
/** A function in schema public, as PostgREST reads it from the catalog. */
export interface DatabaseFunction {
  readonly name: string;
  /** Its arguments in order, with the types that PostgREST gives to `json_to_record`. */
  readonly args: readonly { readonly name: string; readonly type: string; readonly required: boolean }[];
  /** PostgREST begins a transaction that may write for a volatile function, and one that is read-only for any other. */
  readonly writes: boolean;
  /** The domain that it returns, if that is named like a media type: its value is sent as it is. */
  readonly mediaType: string | null;
  /** Of its own settings, those that PostgREST sets for the whole transaction. */
  readonly settings: readonly (readonly [name: string, value: string])[];
}

/** Reads the functions that the Data API serves: those in schema public, without those of extensions. */
export const functionsQuery = `
  select
    p.proname as name,
    p.provolatile = 'v' as writes,
    case when t.typtype = 'd' and t.typname = 'application/json' then format('"%s"."%s"', n.nspname, t.typname) end as "mediaType",
    (
      select coalesce(json_agg(json_build_object(
        'name', p.proargnames[a.place], 'type', format_type(a.type, null), 'required', a.place <= p.pronargs - p.pronargdefaults
      ) order by a.place), '[]')
      from unnest(p.proargtypes) with ordinality as a (type, place)
    ) as args,
    (
      select coalesce(json_agg(json_build_array(split_part(s, '=', 1), substr(s, strpos(s, '=') + 1))), '[]')
      from unnest(p.proconfig) as s where s like 'statement_timeout=%'
    ) as settings
  from pg_proc as p
  join pg_type as t on t.oid = p.prorettype
  join pg_namespace as n on n.oid = t.typnamespace
  where p.pronamespace = 'public'::regnamespace and p.prokind = 'f'
    and not exists (select from pg_depend as d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;

/** The statement that begins the transaction. */
export const beginning = ({ writes }: DatabaseFunction): string =>
  `BEGIN ISOLATION LEVEL READ COMMITTED READ ${writes ? "WRITE" : "ONLY"}`;

/** What a request sets in its transaction, and in this order. */
export type RequestSettings = Record<
  | "search_path"
  | "role"
  | "request.jwt.claims"
  | "request.method"
  | "request.path"
  | "request.headers"
  | "request.cookies",
  string
>;

/** The statement that applies the settings of the request and those of the function, and its parameters. */
export function applying({ settings }: DatabaseFunction, request: RequestSettings): [text: string, values: string[]] {
  const own = Object.entries(request);
  const calls = [
    ...own.map(([name], place) => `set_config('${name}', $${place + 1}, true)`),
    ...settings.map((_, place) => `set_config($${own.length + 2 * place + 1}, $${own.length + 2 * place + 2}, true)`),
  ];
  return [`select ${calls.join(", ")}`, [...own.map(([, value]) => value), ...settings.flat()]];
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The statement that calls the function with the arguments of these names, which are in a JSON object, its `$1`. */
export function calling({ name, args, mediaType }: DatabaseFunction, names: ReadonlySet<string>): string {
  const given = args.filter((arg) => names.has(arg.name));
  const own = quoted(name);
  const columns = given.map((arg) => quoted(arg.name)).join(", ");
  const types = given.map((arg) => `${quoted(arg.name)} ${arg.type}`).join(", ");
  const named = given.map((arg) => `${quoted(arg.name)} := pgrst_body.${quoted(arg.name)}`).join(", ");
  const body =
    `(SELECT $1 AS json_data) pgrst_payload, LATERAL (SELECT ${columns} FROM ` +
    `json_to_record(pgrst_payload.json_data) AS _(${types}) LIMIT 1) pgrst_body , LATERAL `;
  const call = `(SELECT "public".${own}(${named}) pgrst_scalar) pgrst_call`;
  const value = "_postgrest_t.pgrst_scalar";
  const sent = mediaType ? `${mediaType}(${value})` : `coalesce(json_agg(${value})->0, 'null')`;
  return (
    `WITH pgrst_source AS (SELECT pgrst_call.pgrst_scalar FROM ${given.length > 0 ? body : ""}${call}) ` +
    `SELECT null::bigint AS total_result_set, 1 AS page_total, ${sent} AS body, ` +
    "nullif(current_setting('response.headers', true), '') AS response_headers, " +
    "nullif(current_setting('response.status', true), '') AS response_status, '' AS response_inserted " +
    `FROM (SELECT ${own}.* FROM "pgrst_source" AS ${own}   ) _postgrest_t`
  );
}
