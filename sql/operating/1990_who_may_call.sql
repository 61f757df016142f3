-- PostgreSQL lets everybody call a new function. Of schema app, everybody may call what is granted to them, and nothing else.
revoke all on all routines in schema app from public;
