-- Who is refused, and why. A 401 has a key_id if the key was revoked or has expired.
select
  JSONExtractString(event_message, 'key_id') as key_id,
  JSONExtractString(event_message, 'company_id') as company_id,
  JSONExtractInt(event_message, 'status') as status,
  JSONExtractString(event_message, 'path') as path,
  JSONExtractString(event_message, 'error') as error,
  JSONExtractString(event_message, 'reason') as reason,
  count() as refused,
  max(timestamp) as latest
from logs
where source = 'function_logs' and event_message like '{"time":%'
  and JSONExtractInt(event_message, 'status') between 400 and 499
group by key_id, company_id, status, path, error, reason
order by refused desc
limit 100;
