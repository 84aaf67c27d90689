-- One product; 404 if there is none.
-- @path /v1/products/{id}
-- @param id integer required
-- @one
SELECT id, name, category, price, stock, tags
FROM products
WHERE id = {{sqlVal "id"}}::integer
