-- Customers with their orders, on demand locked.
SELECT c.id, count(o.id) AS orders
FROM customers c LEFT JOIN orders o ON o.customer_id = c.id
GROUP BY c.id
{{if isSet "lock"}}FOR UPDATE{{end}}
