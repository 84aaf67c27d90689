-- A column as text, and a mistake elsewhere.
SELECT id, {{defaultOrValue "column" "name"}} FROM customers
{{if isSet "since"}}WHERE since >= {{sqlVal "since"}}::date{{end}}
ORDER BY {{defaultOrValue "column" "name"}}
