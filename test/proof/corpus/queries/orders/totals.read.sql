-- Sales by a column of the caller's choice.
{{define "by"}}{{if eq .by "city"}}c.city{{else if eq .by "month"}}to_char(o.placed_at, 'YYYY-MM'){{else}}o.status::text{{end}}{{end -}}
SELECT {{template "by" .}} AS name, count(*) AS orders, sum(o.total) AS total
FROM orders o JOIN customers c ON c.id = o.customer_id
GROUP BY {{template "by" .}}
ORDER BY total DESC
