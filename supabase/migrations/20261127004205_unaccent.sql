-- By hand, first: a project may have the extension already, and on the hosted service only its owner, who is not postgres,
-- may comment on it.
set lock_timeout = '2s';
set statement_timeout = '60s';

create extension if not exists unaccent with schema extensions;
