-- The columns in `columns`, with spaces between them.
SELECT {{range $i, $c := split (defaultOrValue "columns" "id name") " "}}{{if $i}}, {{end}}{{$c}}{{end}}
FROM products
