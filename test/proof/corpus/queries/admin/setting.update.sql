-- Sets a setting, and adds it if there is none.
-- @param key text required
-- @param request.body json
-- @one
INSERT INTO settings (key, value, updated_by)
VALUES ({{sqlVal "key"}}, {{sqlVal "request.body"}}::jsonb, {{sqlVal "claims.sub"}})
ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_by = excluded.updated_by, updated_at = now()
RETURNING key, value
