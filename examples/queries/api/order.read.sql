-- An order with its lines.
-- @path /v1/orders/{id}
-- @param id integer required
-- @one
SELECT o.id, o.status, c.name AS customer, (
  SELECT json_agg(json_build_object('product', p.name, 'quantity', i.quantity, 'price', i.price) ORDER BY p.name)
  FROM order_items i JOIN products p ON p.id = i.product_id
  WHERE i.order_id = o.id
) AS lines
FROM orders o JOIN customers c ON c.id = o.customer_id
WHERE o.id = {{sqlVal "id"}}::integer
