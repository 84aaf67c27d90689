-- Events per period, which is text in quotes in both places.
SELECT date_trunc('{{defaultOrValue "unit" "day"}}', occurred_at) AS period, count(*) AS events
FROM events
GROUP BY date_trunc('{{defaultOrValue "unit" "day"}}', occurred_at)
