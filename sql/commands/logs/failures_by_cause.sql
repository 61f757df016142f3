-- Answers of 5xx by cause (docs/operate/logs-and-errors.md, Errors).
select
  JSONExtractString(event_message, 'path') as path,
  JSONExtractString(event_message, 'tool') as tool,
  JSONExtractString(event_message, 'error') as error,
  count() as failures,
  min(timestamp) as earliest,
  max(timestamp) as latest
from logs
where source = 'function_logs' and event_message like '{"time":%'
  and JSONExtractInt(event_message, 'status') >= 500
group by path, tool, error
order by failures desc
limit 50;
