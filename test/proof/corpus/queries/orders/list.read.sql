-- Orders, newest first.
-- @strict
-- @param status enum(new, paid, shipped, cancelled)[]
-- @param customer bigint
-- @param from date
-- @param to date
-- @param page integer min=1 = 1
SELECT o.id, o.status, o.total, o.placed_at, c.name AS customer
FROM orders o JOIN customers c ON c.id = o.customer_id
WHERE true
  {{if isSet "status"}}AND o.status = ANY ({{sqlVal "status"}}::order_status[]){{end}}
  {{if isSet "customer"}}AND o.customer_id = {{sqlVal "customer"}}{{end}}
  {{if isSet "from"}}AND o.placed_at >= {{sqlVal "from"}}::date{{end}}
  {{if isSet "to"}}AND o.placed_at < {{sqlVal "to"}}::date + 1{{end}}
ORDER BY o.placed_at DESC
{{limitOffset .page "50"}}
