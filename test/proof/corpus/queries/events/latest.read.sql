-- The latest event of each customer.
SELECT DISTINCT ON (customer_id) customer_id, kind, occurred_at
FROM events
ORDER BY
  {{if isSet "newest"}}occurred_at DESC{{else}}customer_id, occurred_at DESC{{end}}
