SELECT id, name, category, price, quantity, active FROM items
WHERE price BETWEEN {{sqlVal "min"}} AND {{sqlVal "max"}} ORDER BY id LIMIT 50
