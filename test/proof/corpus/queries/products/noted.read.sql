-- Products; with `debug` the statement has a comment.
SELECT id, name FROM products
{{if isSet "debug"}}-- for {{sqlVal "debug"}}
{{end}}
ORDER BY id
