-- Marks an order as shipped.
-- @param id bigint required
UPDATE orders
SET status = 'shipped'
  {{if isSet "body.carrier"}}, carrier = {{sqlVal "body.carrier"}},{{end}}
  shipped_at = now()
WHERE id = {{sqlVal "id"}}::bigint
RETURNING id, status, carrier
