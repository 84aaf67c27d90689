-- Products by their numbers, which become part of the statement.
SELECT id, sku, name FROM products
WHERE sku IN {{inFormat "sku"}}
