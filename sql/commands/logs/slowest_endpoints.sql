-- The slowest endpoints: milliseconds until the headers were sent, including waiting.
select
  JSONExtractString(event_message, 'method') as method,
  JSONExtractString(event_message, 'path') as path,
  JSONExtractString(event_message, 'tool') as tool,
  count() as requests,
  round(avg(JSONExtractFloat(event_message, 'milliseconds')), 1) as average,
  max(JSONExtractFloat(event_message, 'milliseconds')) as slowest,
  countIf(JSONExtractFloat(event_message, 'milliseconds') > 1000) as over_a_second,
  round(avg(JSONExtractFloat(event_message, 'waited_milliseconds')), 1) as of_it_waited
from logs
where source = 'function_logs' and event_message like '{"time":%'
group by method, path, tool
order by over_a_second desc, average desc
limit 50;
