-- What was sold, by category or by city.
-- @path /v1/sales
-- @param by enum(category, city) = category
-- @param since date = 2000-01-01
-- @timeout 2s
SELECT {{if eq .by "city"}}c.city{{else}}p.category{{end}} AS name, sum(i.quantity) AS sold, sum(i.quantity * i.price) AS total
FROM orders o
JOIN customers c ON c.id = o.customer_id
JOIN order_items i ON i.order_id = o.id
JOIN products p ON p.id = i.product_id
WHERE o.status <> 'cancelled' AND o.placed_at >= {{sqlVal "since"}}::date
GROUP BY 1
ORDER BY total DESC
