-- Records a payment or a refund.
-- @param body.kind enum(payment, refund) = payment
-- @param body.invoice bigint required
-- @param body.amount numeric required
INSERT INTO {{if eq (index . "body.kind") "refund"}}billing.refunds{{else}}billing.payments{{end}} (invoice_id, amount, method)
VALUES ({{sqlVal "body.invoice"}}::bigint, {{sqlVal "body.amount"}}::numeric, 'transfer')
