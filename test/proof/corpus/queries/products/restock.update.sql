-- Adds to the stock of several products, and records it.
-- @param body.items json required
UPDATE products p SET stock = stock + i.quantity
FROM jsonb_to_recordset({{sqlVal "body.items"}}::jsonb) AS i (product integer, quantity integer)
WHERE p.id = i.product;

SELECT record_event(NULL, 'restock', {{sqlVal "body.items"}}::jsonb) AS event
