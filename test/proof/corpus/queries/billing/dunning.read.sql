-- Invoices that were reminded of; from level 3 on by a lawyer.
SELECT id, number
  {{if isSet "level"}}, {{if gt .level 2}}'lawyer'{{else}}'letter'{{end}} AS by{{end}}
FROM billing.invoices
WHERE reminders > 0
