-- Everything with a text, in the tables that the caller names; one of them has no names.
-- @param in enum(customers, orders)[] = customers
-- @param q text required
{{range $i, $table := .in}}
{{if $i}}UNION ALL{{end}}
SELECT '{{$table}}' AS source, id::text, name FROM {{$table}} WHERE name ILIKE {{sqlVal "q"}}
{{end}}
