-- Removes a product; 409 if it is part of an order, 404 if there is none.
-- @path /v1/products/{id}
-- @param id integer required
-- @one
DELETE FROM products
WHERE id = {{sqlVal "id"}}::integer
RETURNING id, name
