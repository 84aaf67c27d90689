-- Products with the words in their name: ?q=fl (bound, so any character is fine)
SELECT id, name, category, price
FROM products
WHERE name ILIKE '%' || {{sqlVal "q"}} || '%'
ORDER BY name
