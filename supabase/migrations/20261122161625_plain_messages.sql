set lock_timeout = '5s';
set statement_timeout = '60s';

-- Written by hand: `supabase db diff` inserts line breaks into these texts.
create or replace function app.cell_checks() returns table (kind text, condition text, words text)
language sql immutable set search_path = ''
begin atomic
  values
    ('uuid', $$%1$s like '________-____-____-____-____________' and pg_input_is_valid(%1$s, 'uuid')$$, 'must be a uuid'),
    ('text', 'char_length(%1$s) between %2$s and %3$s', 'must be %2$s to %3$s characters'),
    ('label', $$char_length(%1$s) between %2$s and %3$s and %1$s !~ '^\s|\s$|[\u0001-\u001f\u007f]'$$,
      'must be one line of %2$s to %3$s characters without blanks around it'),
    ('email', $$char_length(%1$s) <= %3$s and %1$s ~ '^[^@\s]+@[^@\s]+$'$$, 'must be an email address'),
    ('language', $$%1$s ~ '^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$'$$, 'must be a language tag, such as en or pt-BR'),
    ('whole_number', $$case when %1$s ~ '^(0|[1-9][0-9]{0,9})$' then %1$s::bigint between %2$s and %3$s end$$,
      'must be a whole number from %2$s to %3$s'),
    ('date_time', $$case
        when %1$s ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
          and pg_input_is_valid(%1$s, 'timestamptz')
        then %1$s::timestamptz >= '0001-01-01Z' and %1$s::timestamptz < '10000-01-01Z'
      end$$,
      'must be an ISO 8601 date-time with a zone, such as 2026-11-20T10:15:30Z'),
    ('json', $$case when char_length(%1$s) <= %3$s then pg_input_is_valid(%1$s, 'jsonb') end$$,
      'must be JSON of at most %3$s characters (such as 4, true or "yes")'),
    ('json', $$case when char_length(%1$s) <= %3$s and pg_input_is_valid(%1$s, 'jsonb')
        then not jsonb_path_exists(%1$s::jsonb, 'strict $.**{60} ? (@.type() == "array" || @.type() == "object")')
        else true
      end$$,
      'must nest at most 60 levels of arrays and objects'),
    ('json', $$case when char_length(%1$s) <= %3$s and pg_input_is_valid(%1$s, 'jsonb')
        then not exists (
          select from jsonb_path_query(%1$s::jsonb, 'strict $.** ? (@.type() == "number")') as number where char_length(number::text) > 1000
        )
        else true
      end$$,
      'must hold numbers of at most 1000 characters each, written out');
end;
