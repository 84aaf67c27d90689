-- Records a payment; an invoice that is paid in full is closed.
-- @param invoice bigint required
-- @param body.amount numeric required min=0.01
-- @param body.method enum(card, transfer, cash) = transfer
-- @one
WITH paid AS (
  INSERT INTO billing.payments (invoice_id, amount, method)
  VALUES ({{sqlVal "invoice"}}::bigint, {{sqlVal "body.amount"}}::numeric, {{sqlVal "body.method"}})
  RETURNING invoice_id, amount
)
UPDATE billing.invoices i SET paid_at = now()
FROM paid
WHERE i.id = paid.invoice_id AND i.amount <= paid.amount
RETURNING i.id, i.paid_at
