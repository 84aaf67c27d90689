-- The events, with `latest` only the latest of each customer.
SELECT id, customer_id, kind, row_number() OVER (PARTITION BY customer_id ORDER BY occurred_at DESC) AS n
FROM events
{{if isSet "latest"}}WHERE n = 1{{end}}
