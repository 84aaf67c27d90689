-- Products by id, as bound values: ?id=1&id=5&id=9
SELECT id, name, price
FROM products
WHERE id IN {{sqlList "id"}}
ORDER BY id
