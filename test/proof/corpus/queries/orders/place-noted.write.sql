-- Places an order without lines; a note is an event too.
-- @param body.customer bigint required
-- @param body.note text
INSERT INTO orders (customer_id, note) VALUES ({{sqlVal "body.customer"}}::bigint, {{sqlVal "body.note"}});
{{if isSet "body.note"}}
INSERT INTO events (customer_id, type, payload)
VALUES ({{sqlVal "body.customer"}}::bigint, 'note', jsonb_build_object('text', {{sqlVal "body.note"}}::text));
{{end}}
UPDATE customers SET attributes = attributes || '{"active": true}' WHERE id = {{sqlVal "body.customer"}}::bigint
