-- Keys of whose requests more than half get a 401 or 403, 20 at least: revoked, expired, or without the scope
-- (docs/operate/monitor.md, Alerts).
select
  JSONExtractString(event_message, 'company_id') as company_id,
  JSONExtractString(event_message, 'key_id') as key_id,
  countIf(JSONExtractInt(event_message, 'status') in (401, 403)) as refused,
  count() as requests
from logs
where source = 'function_logs' and event_message like '{"time":%'
  and JSONExtractString(event_message, 'key_id') <> ''
group by company_id, key_id
having refused >= 20 and refused * 2 > requests
order by refused desc
limit 50;
