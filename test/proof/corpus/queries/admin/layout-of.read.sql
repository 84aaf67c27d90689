-- A list with its parts in templates of their own.
{{define "filter"}}WHERE key = {{sqlVal "key"}}{{end}}
{{define "order"}}ORDER BY {{if eq .sort "time"}}changed_at DESC{{else}}key{{end}}{{end}}
SELECT key, value FROM settings
{{if isSet "key"}}{{template "filter"}}{{end}}
{{template "order" .}}
