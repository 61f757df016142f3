-- Answers of 5xx that never reached the function, in the platform's own request log.
select
  log_attributes['response.status_code'] as status,
  log_attributes['request.pathname'] as path,
  count() as answers,
  max(timestamp) as latest
from logs
where source = 'function_edge_logs' and toInt32OrZero(log_attributes['response.status_code']) >= 500
group by status, path
order by answers desc
limit 50;
