-- PostgreSQL lets everybody call a new function. Of these schemas, everybody may call what is granted to them, and
-- nothing else. A migration also takes what older projects grant of a new function (scripts/stack/difference.ts).
revoke all on all routines in schema app, lists, public from public;
