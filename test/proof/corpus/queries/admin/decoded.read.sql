-- Settings by a key that is encoded twice.
SELECT key, value FROM settings
{{if isSet "key"}}WHERE key = '{{unEscape .key}}'{{end}}
