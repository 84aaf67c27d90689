-- Customers by any of some columns, in a loop.
SELECT id, name FROM customers
WHERE true
{{- range split "name email city" " "}}{{if isSet .}} AND {{.}} = {{sqlVal .}}{{end}}{{end}}
ORDER BY id
