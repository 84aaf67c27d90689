-- By number or by address; without either there is nothing.
-- @one
SELECT id, name, email FROM customers
WHERE {{if isSet "id"}}id = {{sqlVal "id"}}::bigint{{else if isSet "email"}}email = {{sqlVal "email"}}{{else}}false{{end}}
