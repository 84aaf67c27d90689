-- PATCH: changes what was sent.
-- @param id bigint required
UPDATE customers SET
{{- $sep := " "}}
{{- if isSet "body.name"}}{{$sep}}name = {{sqlVal "body.name"}}{{$sep = ", "}}{{end}}
{{- if isSet "body.city"}}{{$sep}}city = {{sqlVal "body.city"}}{{$sep = ", "}}{{end}}
{{- if isSet "body.vip"}}{{$sep}}vip = {{sqlVal "body.vip"}}::boolean{{$sep = ", "}}{{end}}
WHERE id = {{sqlVal "id"}}::bigint
RETURNING id, name, city, vip
