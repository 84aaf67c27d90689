-- DELETE ?id=25. A product that somebody ordered is still referred to: 409.
DELETE FROM products
WHERE id = {{sqlVal "id"}}
RETURNING id, name
