-- Settings of one prefix.
SELECT key, value FROM settings
{{if isSet "prefix"}}WHERE key LIKE {{sqlVal "prefix"}} || '%'{{end}}
{{if isSet "by"}}WHERE updated_by = {{sqlVal "by"}}{{end}}
ORDER BY key
