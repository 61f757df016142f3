-- PostgreSQL lets everybody call a new function. Of these schemas, everybody may call what is granted to them, and
-- nothing else.
revoke all on all routines in schema app, lists from public;
