-- DELETE ?id=25. A product with orders cannot be removed: 409.
DELETE FROM products
WHERE id = {{sqlVal "id"}}
RETURNING id, name
