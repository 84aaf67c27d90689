-- Customers by their numbers.
-- @param id bigint[]
SELECT id, name FROM customers
WHERE id IN ({{range $i, $id := .id}}{{if $i}}, {{end}}{{$id}}{{else}}NULL{{end}})
