-- Hours or days, with those without events.
-- @param unit enum(hour, day) = day
-- @param from date required
-- @param to date required
SELECT g AS period, count(e.id) AS events
FROM generate_series({{sqlVal "from"}}::date, {{sqlVal "to"}}::date,
  {{if eq .unit "hour"}}interval '1 hour'{{else}}1{{end}}) AS g
LEFT JOIN events e ON date_trunc('{{.unit}}', e.occurred_at) = g
GROUP BY g ORDER BY g
