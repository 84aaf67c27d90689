-- Places an order with its lines, or changes nothing: {"customer": 1, "lines": [{"product": 3, "quantity": 2}]}
-- @path /v1/orders
-- @param body.customer integer required
-- @param body.lines json required
-- @one
-- @status 201
-- @header Location: /v1/orders/{id}
INSERT INTO orders (customer_id) VALUES ({{sqlVal "body.customer"}}::integer);

INSERT INTO order_items (order_id, product_id, quantity, price)
SELECT currval('orders_id_seq'), l.product, l.quantity, p.price
FROM jsonb_to_recordset({{sqlVal "body.lines"}}::jsonb) AS l (product integer, quantity integer)
LEFT JOIN products p ON p.id = l.product;

UPDATE products p
SET stock = stock - i.quantity
FROM order_items i
WHERE i.order_id = currval('orders_id_seq') AND p.id = i.product_id;

SELECT currval('orders_id_seq') AS id, sum(quantity * price) AS total
FROM order_items
WHERE order_id = currval('orders_id_seq')
