-- Products with a tag, or with several.
SELECT id, name, tags
FROM products
WHERE stock >= 0
  {{if isSet "tag"}}AND tags = {{sqlVal "tag"}}::text{{end}}
  {{if isSet "any"}}AND {{sqlVal "any"}} = ANY (tags){{end}}
