-- Changes what was sent, and the time of nothing else.
-- @param id bigint required
-- @one
UPDATE customers SET email = email
  {{if isSet "body.name"}}, name = {{sqlVal "body.name"}}{{end}}
  {{if isSet "body.city"}}, city = {{sqlVal "body.city"}}{{end}}
  {{if isSet "body.attributes"}}, attributes = attributes || {{sqlVal "body.attributes"}}::jsonb{{end}}
WHERE id = {{sqlVal "id"}}::bigint
RETURNING *
