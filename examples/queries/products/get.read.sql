-- One product by its id: ?id=3
SELECT id, name, category, price, stock, tags, added_at
FROM products
WHERE id = {{sqlVal "id"}}::integer
