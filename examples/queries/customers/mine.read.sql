-- The caller's own orders; a header names the caller: curl -H 'X-Customer: ada@example.com'
SELECT o.id, o.placed_at, o.status, sum(i.quantity * i.price) AS total
FROM customers c
JOIN orders o ON o.customer_id = c.id
JOIN order_items i ON i.order_id = o.id
WHERE c.email = {{sqlVal "header.X-Customer"}}
GROUP BY o.id
ORDER BY o.placed_at DESC
