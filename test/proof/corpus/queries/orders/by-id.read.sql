-- Some orders by their numbers: ?id=1&id=2
SELECT id, status, total
FROM orders
WHERE id IN ({{sqlList "id"}})
ORDER BY id
