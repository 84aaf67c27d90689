-- Removes an invoice, with `force` a paid one too.
-- @param id bigint required
DELETE FROM billing.invoices
WHERE id = {{sqlVal "id"}}::bigint
{{if isSet "force"}}CASCADE{{else}}AND paid_at IS NULL{{end}}
RETURNING id
