-- Products; with `q` those that match it.
SELECT id, name
  {{if isSet "q"}}, ts_rank(search, plainto_tsquery({{sqlVal "q"}})) AS rank{{end}}
FROM products
{{if isSet "q"}}WHERE search @@ plainto_tsquery({{sqlVal "q"}}){{end}}
ORDER BY {{if eq .sort "best"}}rank DESC, {{end}}name
