-- Companies that wait for their turn, or get a 429: they send too many requests at once.
select
  JSONExtractString(event_message, 'company_id') as company_id,
  JSONExtractString(event_message, 'key_id') as key_id,
  count() as requests,
  countIf(JSONExtractFloat(event_message, 'waited_milliseconds') > 0) as waited,
  round(sum(JSONExtractFloat(event_message, 'waited_milliseconds')) / 1000, 1) as seconds_waited,
  countIf(JSONExtractInt(event_message, 'status') = 429) as refused
from logs
where source = 'function_logs' and event_message like '{"time":%'
group by company_id, key_id
having waited > 0 or refused > 0
order by refused desc, seconds_waited desc
limit 50;
