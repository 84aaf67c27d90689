-- Orders with what was asked for.
{{- $customers := or (isSet "city") (isSet "names")}}
SELECT o.id, o.status{{if $customers}}, c.name, c.city{{end}}{{if isSet "lines"}}, i.product_id, i.quantity{{end}}
FROM orders o
{{if $customers}}JOIN customers c ON c.id = o.customer_id{{end}}
{{if isSet "lines"}}LEFT JOIN order_items i ON i.order_id = o.id{{end}}
{{if isSet "city"}}WHERE c.city = {{sqlVal "city"}}{{end}}
ORDER BY o.id
