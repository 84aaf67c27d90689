-- Customers; a flag is text, so that "false" is true.
-- @param vip boolean
SELECT id, name FROM customers
{{if .vip}}WHERE vip = {{.vip}}{{end}}
