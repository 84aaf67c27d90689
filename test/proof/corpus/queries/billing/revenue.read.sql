-- The sum of all invoices of a time.
-- @param from date = 2025-01-01
-- @param to date
-- @scalar
SELECT coalesce(sum(amount), 0)
FROM billing.invoices
WHERE issued_on >= {{sqlVal "from"}}::date
  {{if isSet "to"}}AND issued_on <= {{sqlVal "to"}}::date{{end}}
