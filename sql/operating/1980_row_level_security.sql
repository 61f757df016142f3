-- Every table has row-level security: of a table without a policy for its role, nobody but the owner sees a row.
do $$
begin
  execute (
    select string_agg(format('alter table %s enable row level security;', c.oid::regclass), ' ')
    from pg_class as c where c.relnamespace in ('app'::regnamespace, 'staging'::regnamespace) and c.relkind = 'r'
  );
end
$$;
