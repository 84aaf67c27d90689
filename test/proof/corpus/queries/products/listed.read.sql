-- Products by their numbers: ?id=1&id=2
SELECT id, name FROM products
WHERE id IN (0{{if isSet "id"}}{{range .id}}, {{.}}{{end}}{{end}})
