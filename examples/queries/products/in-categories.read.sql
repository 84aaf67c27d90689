-- Products of some categories: ?category=tea&category=pots, in the text of the statement, so its values are screened.
SELECT category, name, price
FROM products
WHERE category IN {{inFormat "category"}}
ORDER BY category, name
