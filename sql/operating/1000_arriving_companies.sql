-- Companies that are being moved here from another project (docs/operate/move-a-company.md). The row is inserted before the
-- source closes the company for writing. It is deleted in the transaction that copies the company, or when the move is
-- given up. So the transaction that deletes it decides which project serves the company, and only this project can
-- finish a move that was broken off.

create table app.arriving_companies (
  -- No foreign key: the company is not here yet.
  company_id uuid primary key,
  move_id uuid not null
);

-- No policies, and nothing granted to anybody. Only postgres moves companies.

comment on table app.arriving_companies is 'Companies that are being moved here from another project.';
comment on column app.arriving_companies.move_id is 'As in app.companies where the company comes from.';
