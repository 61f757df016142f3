-- Companies of whose requests more than 1 in 10 fails, three at least (docs/operate/monitor.md, Alerts).
select
  JSONExtractString(event_message, 'company_id') as company_id,
  countIf(JSONExtractInt(event_message, 'status') >= 500) as failures,
  count() as requests,
  max(JSONExtractString(event_message, 'error')) as one_error
from logs
where source = 'function_logs' and event_message like '{"time":%'
  and JSONExtractString(event_message, 'company_id') <> ''
group by company_id
having failures >= 3 and failures * 10 > requests
order by failures desc
limit 50;
