-- The columns that the caller chooses.
-- @param columns enum(id, name, email, city, created_at)[] = id,name
SELECT {{range $i, $c := .columns}}{{if $i}}, {{end}}c.{{$c}}{{end}}
FROM customers c
ORDER BY c.id
