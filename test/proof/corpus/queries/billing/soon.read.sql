-- Invoices that are due within a time.
-- @param within enum(week, month, year) = week
SELECT id, number FROM billing.invoices
WHERE due_on < current_date +
  {{if eq .within "week"}}interval '1 week'{{else if eq .within "month"}}interval '1 mont'{{else}}interval '1 year'{{end}}
