-- Tables that describe the files of a load (docs/operate/load-data.md): the files, their columns, and the
-- checks of a cell. Checking and loading build their statements only from these tables, so that no text from an
-- operator becomes SQL.

-- The files in the order in which they are checked and written. A file comes after the files that its rows refer to.
create function app.loaded_files() returns table (place integer, file text, target text, one text)
language sql immutable set search_path = ''
begin atomic
  values
    (1, 'teams', 'teams', 'team'),
    (2, 'members', 'members', 'member'),
    (3, 'categories', 'category_names', 'category'),
    (4, 'kudos', 'kudos', 'kudos'),
    (5, 'day_ratings', 'day_ratings', 'rating'),
    (6, 'pulse_questions', 'pulse_questions', 'question'),
    (7, 'pulse_responses', 'pulse_responses', 'answer');
end;

-- The columns of each file, in the file's order.
--
-- unique_by: the columns with the same value here are together unique in a file; those with key identify a row.
-- minimum, maximum: of the number of characters, or of the number itself.
-- when_empty: the SQL of the value to store for an empty cell; null if a cell must not be empty; kept if an empty cell, or
-- a file without the column, leaves what is stored of the same
-- person (<person>_id, for <person>_team_then_id), and a new row to the triggers.
-- names: the file whose ids the column has. target_column: the column of the target table.
create function app.loaded_columns() returns table (
  file text, place integer, field text, kind text, unique_by text, minimum integer, maximum integer, when_empty text,
  names text, target_column text
)
language sql immutable set search_path = ''
begin atomic
  values
    ('teams', 1, 'id', 'uuid', 'key', null::integer, null::integer, null, null, 'id'),
    ('teams', 2, 'name', 'label', null, 1, 255, null, null, 'name'),

    ('members', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('members', 2, 'name', 'label', null, 1, 255, null, null, 'name'),
    ('members', 3, 'email', 'email', 'email', 1, 320, null, null, 'email'),
    ('members', 4, 'role', 'label', null, 1, 50, null, null, 'role'),
    ('members', 5, 'team_id', 'uuid', null, null, null, 'null', 'teams', 'team_id'),
    ('members', 6, 'created_at', 'date_time', null, null, null, null, null, 'created_at'),

    ('categories', 1, 'id', 'uuid', 'key', null, null, null, null, 'category_id'),
    ('categories', 2, 'language', 'language', 'key', null, null, null, null, 'language'),
    ('categories', 3, 'name', 'label', null, 1, 255, null, null, 'name'),

    ('kudos', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('kudos', 2, 'sender_id', 'uuid', null, null, null, null, 'members', 'sender_id'),
    ('kudos', 3, 'receiver_id', 'uuid', null, null, null, null, 'members', 'receiver_id'),
    ('kudos', 4, 'category_id', 'uuid', null, null, null, null, 'categories', 'category_id'),
    ('kudos', 5, 'message', 'text', null, 1, 10000, null, null, 'message'),
    ('kudos', 6, 'created_at', 'date_time', null, null, null, null, null, 'created_at'),
    -- The team may have been deleted since.
    ('kudos', 7, 'sender_team_then_id', 'uuid', null, null, null, 'kept', null, 'sender_team_then_id'),
    ('kudos', 8, 'receiver_team_then_id', 'uuid', null, null, null, 'kept', null, 'receiver_team_then_id'),

    ('day_ratings', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('day_ratings', 2, 'rating', 'whole_number', null, 1, 5, null, null, 'rating'),
    ('day_ratings', 3, 'comment', 'text', null, 1, 10000, 'null', null, 'comment'),
    ('day_ratings', 4, 'team_id', 'uuid', null, null, null, 'null', 'teams', 'team_id'),
    ('day_ratings', 5, 'points_awarded', 'whole_number', null, 0, 2147483647, 'null', null, 'points_awarded'),
    ('day_ratings', 6, 'created_at', 'date_time', null, null, null, null, null, 'created_at'),

    ('pulse_questions', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('pulse_questions', 2, 'question', 'text', null, 1, 2000, null, null, 'question'),
    ('pulse_questions', 3, 'response_type', 'label', null, 1, 50, 'null', null, 'response_type'),

    ('pulse_responses', 1, 'id', 'uuid', 'key', null, null, null, null, 'id'),
    ('pulse_responses', 2, 'question_id', 'uuid', null, null, null, 'null', 'pulse_questions', 'question_id'),
    ('pulse_responses', 3, 'value', 'json', null, 1, 10000, 'null', null, 'value'),
    ('pulse_responses', 4, 'comment', 'text', null, 1, 10000, '''''', null, 'comment'),
    ('pulse_responses', 5, 'created_at', 'date_time', null, null, null, null, null, 'created_at');
end;

-- The checks of a cell, by kind: a condition, and the message for a cell that does not meet it. %1$s is the cell, %2$s
-- the minimum, %3$s the maximum. The checks are stricter than a cast, which accepts {…} as a uuid and yesterday as a
-- date. They are SQL text that becomes part of the statement: calling a function for each cell would cost more than
-- storing the row.
--
-- label (names, roles and so on): people group and filter by these, and an invisible blank would make two values of
-- one. date_time: without a zone, the same file would mean different times in different sessions.
--
-- json: the length is checked first, because JSON that is nested too deeply would make the check itself fail. 60
-- levels: a page of the API adds two, and the JSON readers of .NET accept 64 by default, the fewest of the readers in
-- wide use. 1000 characters: the longest number that Jackson accepts. A number that is short here can have thousands of
-- digits when written out (1e131071).
create function app.cell_checks() returns table (kind text, condition text, words text)
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
        when %1$s ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}T([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]{1,9})?)?'
          '(Z|[+-][0-9]{2}(:?[0-9]{2})?)$'
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
          select from jsonb_path_query(%1$s::jsonb, 'strict $.** ? (@.type() == "number")') as number
          where char_length(number::text) > 1000
        )
        else true
      end$$,
      'must hold numbers of at most 1000 characters each, written out');
end;
