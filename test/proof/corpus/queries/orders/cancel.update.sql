-- Cancels an order that was not shipped yet.
-- @param id bigint required
-- @param body.reason text
-- @one
UPDATE orders
SET status = 'cancelled'{{if isSet "body.reason"}}, note = concat_ws('; ', note, {{sqlVal "body.reason"}}::text){{end}}
WHERE id = {{sqlVal "id"}}::bigint AND status IN ('new', 'paid')
RETURNING id, status
