-- Orders; with `archived` those of the archive too.
SELECT id, status::text, total, placed_at FROM orders
{{if eq .archived "yes"}}
UNION ALL
SELECT id, status, total, placed_at FROM archived_orders
{{end}}
ORDER BY placed_at DESC
