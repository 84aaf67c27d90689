-- A setting by its key; any other parameter is for later.
{{if isSet "key"}}
SELECT key, value FROM settings WHERE key = {{sqlVal "key"}}
{{end}}
