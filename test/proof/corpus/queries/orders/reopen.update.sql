-- Sets the status of orders.
-- @param id bigint[] required
UPDATE orders o
SET {{if isSet "body.note"}}o.note = {{sqlVal "body.note"}}, {{end}}status = 'new'
WHERE o.id = ANY ({{sqlVal "id"}}::bigint[])
