-- What one key has read. Replace the zeros with the ID of the key.
select
  JSONExtractString(event_message, 'method') as method,
  JSONExtractString(event_message, 'path') as path,
  count() as requests,
  sum(JSONExtractInt(event_message, 'rows')) as total_rows,
  min(timestamp) as earliest,
  max(timestamp) as latest
from logs
where source = 'function_logs' and event_message like '{"time":%'
  and JSONExtractString(event_message, 'key_id') = '00000000-0000-4000-8000-000000000000'
  and JSONExtractInt(event_message, 'status') = 200
group by method, path
order by total_rows desc
limit 50;
