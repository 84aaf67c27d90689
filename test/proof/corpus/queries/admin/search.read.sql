-- Everything with a text, in the tables that the caller names.
-- @param in enum(customers, products)[] = customers
-- @param q text required
{{range $i, $table := .in}}
{{if $i}}UNION ALL{{end}}
SELECT '{{$table}}' AS source, id::text, name FROM {{$table}} WHERE name ILIKE {{sqlVal "q"}}
{{end}}
ORDER BY source LIMIT 50
