-- What was paid, per invoice.
SELECT i.number, p.amount
FROM billing.invoices i
{{if eq .unpaid "yes"}}LEFT{{end}} JOIN billing.payments p ON p.invoice_id = i.id
  AND p.method IN ('card'{{range split "transfer cash" " "}}, '{{.}}'{{end}})
ORDER BY i.number LIMIT {{defaultOrValue "limit" "10"}}
