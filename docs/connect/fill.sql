-- Replaces all rows of the tables with the files in lists/, in one transaction of psql (databases.md).
-- Before version 18, psql takes a line \. for the end of the file, also inside a message. sed writes it as \".".
delete from members;
\copy members from program 'sed ''s/^\\\./\\"."/'' lists/members.csv' with (format csv, header match, encoding 'utf8')
delete from teams;
\copy teams from program 'sed ''s/^\\\./\\"."/'' lists/teams.csv' with (format csv, header match, encoding 'utf8')
delete from activity;
\copy activity from program 'sed ''s/^\\\./\\"."/'' lists/activity.csv' with (format csv, header match, encoding 'utf8')
delete from categories;
\copy categories from program 'sed ''s/^\\\./\\"."/'' lists/categories.csv' with (format csv, header match, encoding 'utf8')
delete from rewards;
\copy rewards from program 'sed ''s/^\\\./\\"."/'' lists/rewards.csv' with (format csv, header match, encoding 'utf8')
delete from day_ratings;
\copy day_ratings from program 'sed ''s/^\\\./\\"."/'' lists/day-ratings.csv' with (format csv, header match, encoding 'utf8')
delete from pulse_responses;
\copy pulse_responses from program 'sed ''s/^\\\./\\"."/'' lists/pulse-responses.csv' with (format csv, header match, encoding 'utf8')
