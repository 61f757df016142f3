-- Everything that the project's SQL makes in a database, one line a thing: what two databases are compared by. Read by catalog.ts.
-- The order of a table's columns does not count, because later migrations can only append; that of a view's or a type's does.
with
schemas as (
  select oid, nspname from pg_namespace where nspname in ('app', 'api', 'staging', 'public')
),
relations as (
  select c.*, s.nspname || '.' || c.relname as name
  from pg_class as c join schemas as s on s.oid = c.relnamespace
  where c.relkind in ('r', 'p', 'v', 'm', 'f', 'S', 'c')
    and not exists (select from pg_depend as d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
),
functions as (
  select p.*, s.nspname || '.' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')' as name
  from pg_proc as p join schemas as s on s.oid = p.pronamespace
  where not exists (select from pg_depend as d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
),
grants as (
  select 'schema ' || nspname as thing, nspacl as acl, nspowner as owner from pg_namespace where oid in (select oid from schemas)
  union all
  select 'relation ' || name, relacl, relowner from relations
  union all
  select 'function ' || name, coalesce(proacl, acldefault('f', proowner)), proowner from functions
  union all
  select 'type ' || name, coalesce(t.typacl, acldefault('T', t.typowner)), t.typowner
  from relations as r join pg_type as t on t.oid = r.reltype
  where r.relkind = 'c'
  union all
  select 'column ' || r.name || '.' || a.attname, a.attacl, r.relowner from relations as r join pg_attribute as a on a.attrelid = r.oid
  union all
  select 'later ' || d.defaclobjtype::text || coalesce(' in ' || s.nspname, ''), d.defaclacl, d.defaclrole
  from pg_default_acl as d left join schemas as s on s.oid = d.defaclnamespace
  where d.defaclrole = 'postgres'::regrole
),
lines as (
  select format('schema %s: owner %s', nspname, nspowner::regrole) as line from pg_namespace where oid in (select oid from schemas)
  union all
  select format(
    'relation %s: kind %s, owner %s, row-level security %s, forced %s, options %s, persistence %s',
    name, relkind, relowner::regrole, relrowsecurity, relforcerowsecurity, reloptions, relpersistence
  )
  from relations
  union all
  select format(
    'column %s.%s: %s%s, not null %s, default %s, identity %s, generated %s, collation %s',
    r.name, a.attname, format_type(a.atttypid, a.atttypmod), case when r.relkind in ('v', 'c') then format(', place %s', a.attnum) end,
    a.attnotnull, pg_get_expr(d.adbin, d.adrelid), a.attidentity, a.attgenerated, a.attcollation::regcollation
  )
  from relations as r
  join pg_attribute as a on a.attrelid = r.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef as d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where r.relkind <> 'S'
  union all
  select format('sequence %s: %s', r.name, (to_jsonb(s) - 'seqrelid')::text)
  from relations as r join pg_sequence as s on s.seqrelid = r.oid
  union all
  select format('constraint %s on %s: %s, in force %s', c.conname, r.name, pg_get_constraintdef(c.oid), c.convalidated)
  from relations as r join pg_constraint as c on c.conrelid = r.oid
  union all
  select format('index: %s, valid %s', pg_get_indexdef(i.indexrelid), i.indisvalid)
  from relations as r join pg_index as i on i.indrelid = r.oid
  union all
  select format(
    'policy %s on %s: for %s to %s, permissive %s, using %s, with check %s',
    p.polname, r.name, p.polcmd, p.polroles::regrole[], p.polpermissive, pg_get_expr(p.polqual, p.polrelid), pg_get_expr(p.polwithcheck, p.polrelid)
  )
  from relations as r join pg_policy as p on p.polrelid = r.oid
  union all
  select format('trigger: %s, enabled %s', pg_get_triggerdef(t.oid), t.tgenabled)
  from relations as r join pg_trigger as t on t.tgrelid = r.oid
  where not t.tgisinternal
  union all
  select format('view %s: %s', name, regexp_replace(pg_get_viewdef(oid), '\s+', ' ', 'g')) from relations where relkind in ('v', 'm')
  union all
  select format('function %s: owner %s, %s', name, proowner::regrole, pg_get_functiondef(oid)) from functions
  union all
  select format('type %s: %s', t.oid::regtype, t.typtype)
  from pg_type as t join schemas as s on s.oid = t.typnamespace
  where t.typtype in ('e', 'd', 'r', 'm')
  union all
  select format('grant on %s to %s: %s', thing, case entry.grantee when 0 then 'public' else entry.grantee::regrole::text end,
    string_agg(entry.privilege_type || case when entry.is_grantable then ' (grantable)' else '' end, ', ' order by entry.privilege_type))
  from grants, aclexplode(acl) as entry
  where entry.grantee <> owner
  group by thing, entry.grantee
  union all
  select format('comment on %s: %s', (pg_identify_object(d.classoid, d.objoid, d.objsubid)).identity, d.description)
  from pg_description as d
  where (d.classoid = 'pg_class'::regclass and d.objoid in (select oid from relations))
    or (d.classoid = 'pg_type'::regclass and d.objoid in (select reltype from relations))
    or (d.classoid = 'pg_proc'::regclass and d.objoid in (select oid from functions))
    or (d.classoid = 'pg_namespace'::regclass and d.objoid in (select oid from schemas))
    or (d.classoid = 'pg_constraint'::regclass and d.objoid in (select c.oid from pg_constraint as c where c.conrelid in (select oid from relations)))
    or (d.classoid = 'pg_trigger'::regclass and d.objoid in (select t.oid from pg_trigger as t where t.tgrelid in (select oid from relations)))
    or (d.classoid = 'pg_policy'::regclass and d.objoid in (select p.oid from pg_policy as p where p.polrelid in (select oid from relations)))
)
select line from lines order by line collate "C"
