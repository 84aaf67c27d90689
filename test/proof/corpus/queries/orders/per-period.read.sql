-- Orders per period.
-- @param per enum(day, month, quarter) = day
SELECT
  {{- if eq .per "month"}}
  date_trunc('month', o.placed_at)
  {{- else if eq .per "quarter"}}
  date_trunc('quarter', o.currency)
  {{- else}}
  date_trunc('day', o.placed_at)
  {{- end}} AS period,
  count(*) AS orders
FROM orders o
GROUP BY 1 ORDER BY 1
