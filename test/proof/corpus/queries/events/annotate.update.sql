-- Adds a note to an event.
-- @param id bigint required
UPDATE events
SET payload = payload
  {{if isSet "body.note"}}|| jsonb_build_object('note', {{sqlVal "body.note"}}){{end}}
  {{if isSet "body.by"}}|| jsonb_build_object('by', {{sqlVal "body.by"}}::text){{end}}
WHERE id = {{sqlVal "id"}}::bigint
