-- Invoices by their state.
-- @param state enum(all, paid, late) = all
SELECT id, number, amount
FROM billing.invoices
{{if eq .state "paid"}}
WHERE settled_at IS NOT NULL
{{else if eq .state "late"}}
WHERE paid_at IS NULL AND due_on < current_date
{{end}}
ORDER BY id
