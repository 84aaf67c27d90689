-- Orders; with `archived` those of the archive too.
SELECT id, status::text, total FROM orders
{{if isSet "customer"}}WHERE customer_id = {{sqlVal "customer"}}::bigint{{end}}
ORDER BY id
{{if isSet "archived"}}
UNION ALL
SELECT id, status, total FROM archived_orders
{{end}}
