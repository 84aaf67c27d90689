-- Products with more than one line in orders.
SELECT p.id, p.name, count(*) AS n
FROM products p JOIN order_items i ON i.product_id = p.id
GROUP BY p.id
{{if isSet "min"}}HAVING n >= {{sqlVal "min"}}::int{{end}}
ORDER BY n DESC
