-- What was paid on each day.
-- @param from date = 2025-01-01
-- @param to date = 2025-12-31
SELECT d::date AS day, coalesce(sum(p.amount), 0) AS amount
FROM generate_series({{sqlVal "from"}}::date, {{sqlVal "to"}}::date, interval '1 day') AS d
LEFT JOIN billing.payments p ON p.received_at::date = d::date
  {{if isSet "method"}}AND p.method = {{sqlVal "method"}}{{end}}
GROUP BY d ORDER BY d
