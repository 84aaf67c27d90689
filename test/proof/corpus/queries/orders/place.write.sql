-- Places an order with its lines.
-- @param body.customer bigint required
-- @param body.lines json required
-- @param body.note text
-- @one
-- @status 201
INSERT INTO orders (customer_id, note) VALUES ({{sqlVal "body.customer"}}::bigint, {{sqlVal "body.note"}});

INSERT INTO order_items (order_id, product_id, quantity, unit_price)
SELECT currval(pg_get_serial_sequence('orders', 'id')), l.product, l.quantity, p.price
FROM jsonb_to_recordset({{sqlVal "body.lines"}}::jsonb) AS l (product integer, quantity integer)
JOIN products p ON p.id = l.product;

SELECT currval(pg_get_serial_sequence('orders', 'id')) AS id
