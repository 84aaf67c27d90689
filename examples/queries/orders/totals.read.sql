-- Sales by category, or with `by` by city or month; `since` excludes older orders.
{{define "column"}}
  {{- $by := defaultOrValue "by" "category"}}
  {{- if eq $by "city"}}c.city{{else if eq $by "month"}}to_char(o.placed_at, 'YYYY-MM'){{else}}p.category{{end -}}
{{end -}}
SELECT {{template "column" .}} AS name, count(DISTINCT o.id) AS orders, sum(i.quantity * i.price) AS total
FROM orders o
JOIN customers c ON c.id = o.customer_id
JOIN order_items i ON i.order_id = o.id
JOIN products p ON p.id = i.product_id
WHERE o.status <> 'cancelled'
  {{if isSet "since"}}AND o.placed_at >= {{sqlVal "since"}}::date{{end}}
GROUP BY 1
ORDER BY total DESC
