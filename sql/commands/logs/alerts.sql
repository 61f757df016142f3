-- What needs an alert (docs/operate/monitor.md, Alerts). An output other than [] is an alert.
select
  countIf(JSONExtractString(event_message, 'error') like '% answered 401 with %') as secret_key_refused,
  countIf(JSONExtractString(event_message, 'error') like '% with PT500') as no_row_level_security,
  countIf(JSONExtractString(event_message, 'error') like '% with 53100') as disk_full,
  countIf(JSONExtractString(event_message, 'error') like '% with 25006') as read_only,
  countIf(JSONExtractString(event_message, 'error') like '% with PGRST003'
    or JSONExtractString(event_message, 'error') like '% with 53300') as no_connection_free,
  countIf(JSONExtractString(event_message, 'error') like '% push the migrations %') as migrations_missing,
  countIf(JSONExtractString(event_message, 'error') like '%(TimeoutError)') as no_answer_in_time,
  countIf(JSONExtractString(event_message, 'error') like '% answered 503 with PGRST%'
    or JSONExtractString(event_message, 'error') like '% with 57P%') as database_away,
  countIf(JSONExtractString(event_message, 'error') like '% with 55P03') as locked,
  countIf(JSONExtractString(event_message, 'error') like 'unhandled: %') as unhandled,
  countIf(JSONExtractString(event_message, 'served_by') = 'primary') as not_from_replica,
  countIf(JSONExtractString(event_message, 'served_by') = 'replica') as from_replica,
  count(distinct case
    when JSONExtractInt(event_message, 'status') = 429 then JSONExtractString(event_message, 'company_id')
  end) as companies_refused,
  countIf(JSONExtractString(event_message, 'path') = '/') as probes,
  countIf(JSONExtractInt(event_message, 'status') >= 500) as failures,
  count() as requests
from logs
where source = 'function_logs' and event_message like '{"time":%'
having failures * 100 > requests and failures >= 3
  or no_answer_in_time >= 3
  -- One company can be refused for what it does; several are refused for what others do.
  or companies_refused >= 5
  -- The uptime probe is in every log that arrives whole. Of a busy instance it has a sample.
  or probes = 0 and requests < 1000
  or not_from_replica > from_replica and not_from_replica >= 20
  or secret_key_refused + no_row_level_security + disk_full + read_only + no_connection_free + migrations_missing + unhandled > 0;
