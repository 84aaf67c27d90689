-- Orders by a column.
SELECT id, total FROM orders
{{if isSet "sort"}}ORDER BY '{{.sort}}'{{end}}
