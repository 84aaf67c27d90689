-- Records an event.
-- @param body.customer bigint
-- @param body.kind text required maxlength=40
-- @one
-- @status 201
SELECT record_event({{sqlVal "body.customer"}}::bigint, {{sqlVal "body.kind"}}{{if isSet "body.payload"}}, {{sqlVal "body.payload"}}::jsonb{{end}}) AS id
