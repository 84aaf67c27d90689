-- Products with at least so many tags.
SELECT id, name, tags FROM products
{{if isSet "tags"}}WHERE jsonb_array_length(tags) >= {{sqlVal "tags"}}::int{{end}}
ORDER BY id
