-- Removes a customer with everything that belongs to them.
-- @param id bigint required
DELETE FROM events WHERE customer_id = {{sqlVal "id"}}::bigint;

DELETE FROM order_items WHERE order_id IN (SELECT id FROM orders WHERE customer_id = {{sqlVal "id"}}::bigint);

DELETE FROM orders WHERE customer_id = {{sqlVal "id"}}::bigint;

DELETE FROM customers WHERE id = {{sqlVal "id"}}::bigint RETURNING id
