-- Orders of a customer; with `archived` those of the archive too.
-- @param customer bigint required
-- @param archived boolean = false
SELECT id, status::text, currency, total FROM orders WHERE customer_id = {{sqlVal "customer"}}::bigint
{{if eq .archived "true"}}
UNION ALL
SELECT id, status, total FROM archived_orders WHERE customer_id = {{sqlVal "customer"}}::bigint
{{end}}
ORDER BY id
