-- Orders by the day of shipping.
SELECT id, shipped_at
FROM orders
ORDER BY shipped_at
{{if eq .dir "desc"}}DESC NULL LAST{{else if eq .dir "asc"}}ASC NULLS FIRST{{end}}
