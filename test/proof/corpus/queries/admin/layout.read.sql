-- A list with its parts in templates of their own.
{{define "columns"}}key, value{{if isSet "times"}}, updated_at{{end}}{{end}}
{{define "filter"}}{{if isSet "key"}}WHERE key = {{sqlVal "key"}}{{else if isSet "by"}}WHERE updated_by = {{sqlVal "by"}}{{end}}{{end}}
SELECT {{template "columns"}} FROM settings {{template "filter"}} {{block "order" .}}ORDER BY {{if eq .sort "time"}}updated_at DESC{{else}}key{{end}}{{end}}
