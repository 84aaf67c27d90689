-- Orders by any number of filters.
SELECT o.id, o.status
FROM orders o
{{if isSet "city"}}JOIN customers c ON c.id = o.customer_id{{end}}
WHERE true
  {{if isSet "status"}}AND status = {{sqlVal "status"}}::order_status{{end}}
  {{if isSet "currency"}}AND currency = {{sqlVal "currency"}}{{end}}
  {{if isSet "carrier"}}AND carrier = {{sqlVal "carrier"}}{{end}}
  {{if isSet "note"}}AND note ILIKE {{sqlVal "note"}}{{end}}
  {{if isSet "min"}}AND total >= {{sqlVal "min"}}::numeric{{end}}
  {{if isSet "max"}}AND total <= {{sqlVal "max"}}::numeric{{end}}
  {{if isSet "from"}}AND placed_at >= {{sqlVal "from"}}::date{{end}}
  {{if isSet "to"}}AND placed_at < {{sqlVal "to"}}::date{{end}}
  {{if isSet "shipped"}}AND shipped_at IS NOT NULL{{end}}
  {{if isSet "customer"}}AND customer_id = {{sqlVal "customer"}}::bigint{{end}}
  {{if isSet "city"}}AND c.city = {{sqlVal "city"}}{{end}}
  {{if isSet "open"}}AND status IN ('new', 'paid'){{end}}
  {{if isSet "after"}}AND id > {{sqlVal "after"}}::bigint{{end}}
ORDER BY o.id
