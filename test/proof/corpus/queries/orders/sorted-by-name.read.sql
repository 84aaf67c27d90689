-- Orders by a column that the caller names.
SELECT id, status, total, placed_at
FROM orders
ORDER BY {{if isSet "sort"}}{{ident "sort"}}{{else}}id{{end}}{{if isSet "descending"}} DESC{{end}}
