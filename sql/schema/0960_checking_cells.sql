-- Loading, first step (docs/operations.md, How data gets in): what a cell of a file must be.
--
-- Each of these says what is wrong with a cell, or null. They ask for more than a cast does: a cast takes
-- {…} for a uuid and yesterday for a date.

create function app.uuid_problem(field text, cell text) returns text
language sql immutable set search_path = ''
return case
  when cell ~ '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$' then null
  else field || ' must be a uuid'
end;

create function app.text_problem(field text, cell text, min_length integer, max_length integer) returns text
language sql immutable set search_path = ''
return case
  when char_length(coalesce(cell, '')) between min_length and max_length then null
  else format('%s must be %s%s characters', field, case when min_length = 0 then 'at most ' else min_length || ' to ' end, max_length)
end;

-- Names, roles and the like are grouped and filtered by: a blank that nobody sees would make two of one.
create function app.label_problem(field text, cell text, max_length integer) returns text
language sql immutable set search_path = ''
return case
  when char_length(cell) between 1 and max_length and cell !~ '^\s|\s$|[\u0001-\u001f\u007f]' then null
  else format('%s must be one line of 1 to %s characters without blanks around it', field, max_length)
end;

create function app.email_problem(field text, cell text) returns text
language sql immutable set search_path = ''
return case
  when cell ~ '^[^@\s]+@[^@\s]+$' and char_length(cell) <= 320 then null
  else field || ' must be an e-mail address'
end;

create function app.language_problem(field text, cell text) returns text
language sql immutable set search_path = ''
return case
  when cell ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$' then null
  else field || ' must be a language tag, such as en or pt-BR'
end;

create function app.whole_number_problem(field text, cell text, minimum integer, maximum integer) returns text
language sql immutable set search_path = ''
return case
  when case when cell ~ '^(0|[1-9][0-9]{0,9})$' then cell::bigint between minimum and maximum end then null
  else format('%s must be a whole number from %s to %s', field, minimum, maximum)
end;

-- The length first: JSON that is nested without end would break off the check itself.
create function app.json_problem(field text, cell text) returns text
language sql immutable set search_path = ''
return case
  when case when char_length(cell) <= 10000 then pg_input_is_valid(cell, 'jsonb') end then null
  else field || ' must be JSON of at most 10000 characters, such as 4, true or "yes"'
end;

-- With a zone, or the same file would mean different moments in different sessions.
create function app.date_time_problem(field text, cell text) returns text
language sql stable set search_path = ''
return case
  when case
    when cell ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
      and pg_input_is_valid(cell, 'timestamptz')
    then cell::timestamptz >= '0001-01-01Z' and cell::timestamptz < '10000-01-01Z'
  end then null
  else field || ' must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:15:30Z'
end;

revoke all on function
  app.uuid_problem(text, text),
  app.text_problem(text, text, integer, integer),
  app.label_problem(text, text, integer),
  app.email_problem(text, text),
  app.language_problem(text, text),
  app.whole_number_problem(text, text, integer, integer),
  app.json_problem(text, text),
  app.date_time_problem(text, text)
from public;

comment on function app.uuid_problem(text, text) is 'Null when the cell is a uuid in the form 8-4-4-4-12.';
comment on function app.text_problem(text, text, integer, integer) is 'Null when the cell is a text of that many characters.';
comment on function app.label_problem(text, text, integer) is 'Null when the cell is one line of text without blanks around it.';
comment on function app.email_problem(text, text) is 'Null when the cell is an e-mail address.';
comment on function app.language_problem(text, text) is 'Null when the cell is a BCP 47 tag.';
comment on function app.whole_number_problem(text, text, integer, integer) is 'Null when the cell is a whole number in that range.';
comment on function app.json_problem(text, text) is 'Null when the cell is JSON of at most 10000 characters.';
comment on function app.date_time_problem(text, text) is 'Null when the cell is an ISO 8601 date-time with a zone, of the years 1 to 9999.';
