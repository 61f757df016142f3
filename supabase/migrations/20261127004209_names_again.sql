-- By hand: names that writers at repeatable read, or a truncate, have left wrong.
set lock_timeout = '2s';
set statement_timeout = '60s';

select app.name_categories(c.company_id, array_agg(c.id)) from app.categories as c
where c.name <> app.category_name(c.company_id, c.id)
group by c.company_id;
