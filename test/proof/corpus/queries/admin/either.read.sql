-- Settings of one user or of the service, not of both.
{{if not (or (isSet "user") (isSet "service"))}}
SELECT key, value FROM settings
{{else if and (isSet "user") (isSet "service")}}
SELECT key, value FROM settings WHERE false
{{else}}
SELECT key, value FROM settings WHERE updated_by {{if isSet "user"}}= {{sqlVal "user"}}{{else}}IS NULL{{end}}
{{end}}
