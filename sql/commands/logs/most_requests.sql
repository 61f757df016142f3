-- Who sends most, and how long the service worked for them.
select
  JSONExtractString(event_message, 'company_id') as company_id,
  JSONExtractString(event_message, 'key_id') as key_id,
  count() as requests,
  sum(JSONExtractInt(event_message, 'rows')) as total_rows,
  round(sum(JSONExtractFloat(event_message, 'milliseconds')
    - JSONExtractFloat(event_message, 'waited_milliseconds')) / 1000, 1) as seconds
from logs
where source = 'function_logs' and event_message like '{"time":%'
group by company_id, key_id
order by requests desc
limit 50;
