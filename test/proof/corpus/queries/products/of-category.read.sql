-- Products of a category.
SELECT id, name FROM products{{if isSet "category"}}WHERE category_id = {{sqlVal "category"}}::int{{end}}
ORDER BY name
