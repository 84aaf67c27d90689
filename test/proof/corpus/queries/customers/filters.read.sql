-- Customers by any number of filters.
SELECT c.id, c.name
FROM customers c
WHERE true
  {{if isSet "name"}}AND c.name = {{sqlVal "name"}}{{end}}
  {{if isSet "email"}}AND c.email = {{sqlVal "email"}}{{end}}
  {{if isSet "city"}}AND c.city = {{sqlVal "city"}}{{end}}
  {{if isSet "country"}}AND c.country = {{sqlVal "country"}}{{end}}
  {{if isSet "vip"}}AND c.vip{{end}}
  {{if isSet "since"}}AND c.created_at >= {{sqlVal "since"}}::date{{end}}
  {{if isSet "until"}}AND c.created_at < {{sqlVal "until"}}::date{{end}}
  {{if isSet "segment"}}AND c.attributes ->> 'segment' = {{sqlVal "segment"}}{{end}}
  {{if isSet "language"}}AND c.attributes ->> 'language' = {{sqlVal "language"}}{{end}}
  {{if isSet "tenant"}}AND c.tenant_id = {{sqlVal "tenant"}}::int{{end}}
  {{if isSet "ordered"}}AND EXISTS (SELECT FROM orders o WHERE o.customer_id = c.id){{end}}
  {{if isSet "seen"}}AND EXISTS (SELECT FROM events e WHERE e.customer_id = c.id){{end}}
  {{if isSet "invoiced"}}AND c.id IN (SELECT o.customer_id FROM orders o JOIN billing.invoices i ON i.order_id = o.id){{end}}
ORDER BY c.id
