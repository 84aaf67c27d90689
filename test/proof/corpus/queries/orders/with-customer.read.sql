-- Orders; the customers are joined only where a filter needs them.
SELECT o.id, o.status
  {{if isSet "names"}}, c.name{{end}}
FROM orders o
{{if isSet "city"}}JOIN customers c ON c.id = o.customer_id AND c.city = {{sqlVal "city"}}{{end}}
ORDER BY o.id
