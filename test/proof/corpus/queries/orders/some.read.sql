-- Some orders by their numbers: ?id=1&id=2
SELECT id, status, total
FROM orders
{{if isSet "id"}}WHERE id IN {{sqlList "id"}}{{end}}
ORDER BY id
