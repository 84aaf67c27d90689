-- Invoices that are late by so many days.
SELECT id, number FROM billing.invoices
WHERE paid_at IS NULL
  {{if isSet "days"}}AND due_on < now() - interval {{sqlVal "days"}}{{end}}
