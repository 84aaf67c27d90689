-- Products with a text in their names, which is part of the statement.
SELECT id, name FROM products
WHERE name ILIKE '%{{.q}}%'
{{if .sku}}AND sku = '{{.sku}}'{{end}}
