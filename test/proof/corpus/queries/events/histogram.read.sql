-- Events per hour, day or week.
-- @param unit enum(hour, day, week) = day
-- @param zone text pattern=[A-Za-z_/]+ = UTC
SELECT date_trunc('{{.unit}}', occurred_at AT TIME ZONE '{{.zone}}') AS period, count(*) AS events
FROM events
GROUP BY 1 ORDER BY 1
