-- What the tables of lists share, those with the column changed_in: companies are kept apart, the columns that pages and
-- changes are read in the order of have an index, and changes are numbered (0207). What only one of them needs, such as an
-- index for a filter, is in its own file. Not granted: any write; anything to authenticated.

do $$
declare
  list regclass;
begin
  -- Pages of answers read questions too.
  for list in select k.relation from app.kept_tables() as k union select 'app.pulse_questions' loop
    execute format('grant select on %s to public_api', list);
    execute format('create policy api_read on %s for select to public_api
      using (company_id = (select app.current_company_id()))', list);
  end loop;
  for list in select k.relation from app.kept_tables() as k order by k.relation::text loop
    execute format(
      $list$
        -- The API writes years with four digits, which JavaScript and spreadsheets can read. They cannot read infinity.
        alter table %1$s add constraint %2$s_created_at_range
          check (created_at >= '0001-01-01Z' and created_at < '10000-01-01Z');
        -- For pages, newest first, and for the changes.
        create index %2$s_newest on %1$s (company_id, created_at desc, id desc);
        create index %2$s_changed on %1$s (company_id, changed_in, id);
        alter table %1$s alter column changed_in set (n_distinct = -1);
        select app.keep_changes(%1$L);
      $list$,
      list, split_part(list::text, '.', 2)
    );
  end loop;
end
$$;
