-- Products of some categories: ?category=tea&category=pots, interpolated into the statement and therefore screened.
SELECT category, name, price
FROM products
WHERE category IN {{inFormat "category"}}
ORDER BY category, name
