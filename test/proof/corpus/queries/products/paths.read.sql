-- The categories, on demand with their paths.
WITH RECURSIVE tree AS (
  SELECT id, name::text
    {{if isSet "path"}}, name::varchar(40) AS path{{end}}
  FROM categories WHERE parent_id IS NULL
  UNION ALL
  SELECT c.id, c.name
    {{if isSet "path"}}, t.path || ' > ' || c.name{{end}}
  FROM categories c JOIN tree t ON c.parent_id = t.id
)
SELECT * FROM tree
