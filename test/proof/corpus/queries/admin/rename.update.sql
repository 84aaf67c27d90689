-- Renames a setting.
-- @param key text required
-- @param body.key text required
UPDATE settings SET key = {{sqlVal "body.key"}} WHERE key = {{sqlVal "key"}}
{{if eq (index . "body.returning") "row"}}RETURNING *{{else if eq (index . "body.returning") "key"}}RETURN key{{end}}
