-- The categories below one, with their depth.
-- @param root integer required
-- @param depth integer min=1 max=9 = 5
WITH RECURSIVE tree AS (
  SELECT id, name, 1 AS depth FROM categories WHERE id = {{sqlVal "root"}}::int
  UNION ALL
  SELECT c.id, c.name, t.depth + 1 FROM categories c JOIN tree t ON c.parent_id = t.id
  WHERE t.depth < {{sqlVal "depth"}}::int
)
SELECT id, depth, {{if isSet "indent"}}repeat('  ', depth - 1) || name{{else}}name{{end}} AS name
FROM tree
