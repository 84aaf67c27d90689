-- Orders by a column, as text.
SELECT id, status, total, placed_at
FROM orders
ORDER BY {{defaultOrValue "sort" "id"}} {{defaultOrValue "dir" "ASC"}}
