UPDATE worlds w SET changed = {{sqlVal "number"}}
FROM (SELECT id FROM worlds WHERE id = ANY ({{sqlVal "ids"}}::integer[]) ORDER BY id FOR UPDATE) k
WHERE w.id = k.id
