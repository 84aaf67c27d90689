-- One customer with the number of orders.
-- @path /customers/{id}
-- @param id bigint required
-- @one
SELECT c.id, c.name, c.email, c.attributes, count(o.id) AS orders
FROM customers c LEFT JOIN orders o ON o.customer_id = c.id
WHERE c.id = {{sqlVal "id"}}::bigint
GROUP BY c.id
