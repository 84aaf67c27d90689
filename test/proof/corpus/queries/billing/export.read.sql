-- Invoices, with more columns on demand.
SELECT id, number
  {{if isSet "full"}}{{range "amount due_on paid_at"}}, {{.}}{{end}}{{end}}
FROM billing.invoices
