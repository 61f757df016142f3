set lock_timeout = '2s';
set statement_timeout = '60s';

set local check_function_bodies = off;

CREATE OR REPLACE PROCEDURE app.forget_all_deletions()
 LANGUAGE plpgsql
AS $procedure$
declare
  list record;
  last app.forgotten_deletions;
  reached app.forgotten_deletions;
begin
  -- app.forget_deletions begins at the mark of what is forgotten. Rows below it are those that app.forget_cursors has made
  -- worthless, and those of transactions that ended late. Up to 50,000 in a night.
  delete from app.deletions as d using app.forgotten_deletions as f
  where d.ctid = any (array(
      select o.ctid from app.deletions as o join app.forgotten_deletions as m using (company_id, relation)
      where (o.deleted_in, o.id) <= (m.deleted_in, m.id) limit 50000
    ))
    and f.company_id = d.company_id and f.relation = d.relation and (d.deleted_in, d.id) <= (f.deleted_in, f.id);
  commit;
  for list in
    select distinct d.company_id, d.relation from app.deletions as d join app.companies as c on c.id = d.company_id
  loop
    last := null;
    loop
      exit when app.is_time_up();
      perform app.forget_deletions(list.company_id, list.relation);
      select f.* into reached from app.forgotten_deletions as f
      where f.company_id = list.company_id and f.relation = list.relation;
      commit;
      exit when reached is not distinct from last;
      last := reached;
    end loop;
  end loop;
end
$procedure$;
