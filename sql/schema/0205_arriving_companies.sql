-- Companies on their way here from another project (docs/moving-a-company.md). The row is there before the company is closed for writing
-- where it is, and goes in the transaction that brings the company, or when the move is given up. So whoever deletes it decides whether
-- the company goes on here or there, and a move that was broken off can only be finished where it was meant to go.

create table app.arriving_companies (
  -- No foreign key: the company is not here yet.
  company_id uuid primary key,
  move_id uuid not null
);

alter table app.arriving_companies enable row level security;
-- No policies, and nothing granted to anybody. Only postgres moves companies.

comment on table app.arriving_companies is 'Companies that are being moved here from another project.';
comment on column app.arriving_companies.move_id is 'As in app.companies where the company comes from.';
