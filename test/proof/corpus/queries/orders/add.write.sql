-- Adds an order; the currency is optional.
-- @param body.customer bigint required
-- @param body.currency text maxlength=3
INSERT INTO orders (customer_id, status
  {{if isSet "body.currency"}}, currency{{end}})
VALUES ({{sqlVal "body.customer"}}::bigint, 'new')
RETURNING id
